import { queryOptions } from '@tanstack/react-query';
import type { ListJob, ListPeople } from '../../../contract/list-pages.ts';
import type { Lead } from '../../../contract/leads.ts';
import { get } from '../../api.ts';

export const peopleOfQuery = (listId: number) =>
  queryOptions({ queryKey: ['list', listId, 'people'], queryFn: () => get<ListPeople>(`/lists/${listId}/people`) });

/** One lead of the list, by its place. */
export const sampleQuery = (listId: number, place: number) =>
  queryOptions({
    queryKey: ['list', listId, 'sample', place],
    queryFn: async () => (await get<Lead[]>(`/lists/${listId}/leads?per_page=1&page=${place}`))[0] ?? null,
    placeholderData: (before: Lead | null | undefined) => before,
  });

export const jobQuery = (listId: number, job: ListJob | undefined) =>
  queryOptions({
    queryKey: ['list', listId, 'job', job?.id],
    queryFn: () => get<ListJob>(`/lists/${listId}/jobs/${job!.id}`),
    enabled: job !== undefined && job.finished_at === null,
    refetchInterval: ({ state }) => (state.data?.finished_at ? false : 1_000),
  });
