import { useQueries, useQuery } from '@tanstack/react-query';
import type { Subjects } from '../../../contract/lead-table.ts';
import type { Desk } from '../../../contract/queue.ts';
import { listsQuery } from '../../lists.ts';
import { subjectsQuery } from '../filter/subjects.ts';
import { deskQuery } from '../queries.ts';

export type Field = Subjects['fields'][number];

const NONE: Field[] = [];

/** The fields of the lists that are shown; those of the same key are one. */
export const useFields = (lists: number[]): Field[] => useQuery(subjectsQuery(lists)).data?.fields ?? NONE;

/** Of so many lists it is read what they say of themselves. */
const MOST_LISTS = 10;

/** What the lists that are shown say of themselves: of one, of several, or of all. */
export function useDesks(lists: number[]): Desk[] {
  const { data: all = [] } = useQuery({ ...listsQuery, enabled: lists.length === 0 });
  const wanted = lists.length > 0 ? lists : all.filter(({ archived }) => !archived).map(({ id }) => id);
  return useQueries({
    queries: wanted.slice(0, MOST_LISTS).map((id) => deskQuery(id)),
    combine: takeDesks,
  });
}

const takeDesks = (desks: { data?: Desk | undefined }[]): Desk[] => desks.flatMap(({ data }) => data ?? []);
