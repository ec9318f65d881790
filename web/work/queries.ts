import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Ahead, Day, Next } from '../../contract/queue.ts';
import { ask, get, queries } from '../api.ts';
import { leadQuery } from '../leads/queries.ts';

export type Given = Static<typeof Next>;

/** The lead to work on; only the agent asks for another. */
export const nextQuery = (listId: number) =>
  queryOptions({
    queryKey: ['next', listId],
    queryFn: async () => {
      const given = await ask<Given>('POST', `/lists/${listId}/next`);
      if (given.lead) queries.setQueryData(leadQuery(given.lead.id).queryKey, given.lead);
      // What comes after it is known from now on.
      void queries.invalidateQueries({ queryKey: ['ahead', listId] });
      return given;
    },
    staleTime: Infinity,
    gcTime: 0,
  });

/** What the queue will bring; live events say when to look again. */
export const aheadQuery = (listId: number) =>
  queryOptions({
    queryKey: ['ahead', listId],
    queryFn: () => get<Ahead>(`/lists/${listId}/ahead`),
    refetchInterval: 30_000,
  });

export const dayQuery = queryOptions({ queryKey: ['day'], queryFn: () => get<Day>('/day') });
