import { queryOptions } from '@tanstack/react-query';
import type {
  DeletedList,
  Fields,
  ListJob,
  ListOverview,
  ListProgress,
  ListWithSettings,
} from '../../contract/list-pages.ts';
import { get } from '../api.ts';
import { sayCount } from '../counts.ts';
import { withPending } from './pending-fields.ts';
import { sayRoughly } from '../times.ts';

/** How every campaign stands. Live events say when something changed; last activity moves by itself. */
export const progressQuery = queryOptions({
  queryKey: ['lists', 'progress'],
  queryFn: () => get<ListProgress[]>('/lists/progress'),
  refetchInterval: 30_000,
});

export const deletedQuery = queryOptions({
  queryKey: ['lists', 'deleted'],
  queryFn: () => get<DeletedList[]>('/lists/deleted'),
});

/** A list with all that can be changed about it. */
export const listQuery = (id: number) =>
  queryOptions({ queryKey: ['list', id, 'settings'], queryFn: () => get<ListWithSettings>(`/lists/${id}`) });

export const overviewQuery = (id: number) =>
  queryOptions({
    queryKey: ['list', id, 'overview'],
    queryFn: () => get<ListOverview>(`/lists/${id}/overview`),
    refetchInterval: 30_000,
  });

export const fieldsQuery = (id: number) =>
  queryOptions({
    queryKey: ['list', id, 'fields'],
    queryFn: async () => withPending(id, await get<Fields>(`/lists/${id}/fields`)),
  });

export const isRunning = ({ finished_at }: Pick<ListJob, 'finished_at'>): boolean => finished_at === null;

/** `9 s left`, `4 min left`; nothing while nobody can know. */
export const sayLeft = ({ seconds_left: seconds }: Pick<ListJob, 'seconds_left'>): string =>
  seconds === null ? '' : `${sayRoughly(seconds)} left`;

/** Won out of won and lost: `9.2 %`. */
export function sayConversion({ won, lost }: { won: number; lost: number }): string {
  if (won + lost === 0) return 'Not yet';
  return `${((100 * won) / (won + lost)).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;
}

export const sayLeads = (count: number): string => sayCount(count, 'lead');
