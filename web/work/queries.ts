import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { ListAtPages } from '../../contract/list-pages.ts';
import type { Ahead, Day, Next } from '../../contract/queue.ts';
import { ask, get, queries } from '../api.ts';
import { asks } from '../asks.ts';
import { deskQuery, leadQuery } from '../leads/queries.ts';
import { listsQuery, readChosen } from '../lists.ts';

export type Given = Static<typeof Next>;

/** The lead to work on; only the agent asks for another. */
export const nextQuery = (listId: number) =>
  queryOptions({
    queryKey: ['next', listId],
    queryFn: async () => {
      const given = await ask<Given>('POST', asks.next(listId));
      takeIn(listId, given);
      return given;
    },
    staleTime: Infinity,
  });

function takeIn(listId: number, { lead }: Given): void {
  if (lead) queries.setQueryData(leadQuery(lead.id).queryKey, lead);
  // What comes after it is known from now on.
  void queries.invalidateQueries({ queryKey: ['ahead', listId] });
}

/**
 * Another lead than the one that is finished or left, and than those that were gone past before it. Where only those are left another round begins:
 * `past` is what lies behind in it. `show` makes the lead the one to work on.
 */
export async function goPast(listId: number, past: readonly number[], leadId: number) {
  const others = past.filter((id) => id !== leadId);
  const askPast = (ids: number[]) => ask<Given>('POST', asks.next(listId), { past: ids });
  const given = await askPast([...others, leadId]);
  if (given.lead || others.length === 0) return gone(listId, given, others);
  return gone(listId, await askPast([leadId]), []);
}

const gone = (listId: number, given: Given, past: number[]) => ({
  lead: given.lead?.id,
  past,
  show: () => {
    takeIn(listId, given);
    queries.setQueryData(nextQuery(listId).queryKey, given);
  },
});

/** What the queue will bring; live events say when to look again. */
export const aheadQuery = (listId: number, past: readonly number[]) =>
  queryOptions({
    queryKey: ['ahead', listId, past],
    queryFn: () => get<Ahead>(asks.ahead(listId, past)),
    refetchInterval: 30_000,
    placeholderData: (before: Ahead | undefined) => before,
  });

/** Looked at now and then by itself: at midnight another begins. */
export const dayQuery = queryOptions({
  queryKey: ['day'],
  queryFn: () => get<Day>(asks.day),
  refetchInterval: 60_000,
});

/** The chosen list, or where it is not ours any more, the one that has been there longest, rather one that is not paused. */
export function pickList(lists: ListAtPages[] | undefined, chosen: number): number | undefined {
  const open = lists?.filter(({ archived }) => !archived) ?? [];
  const picked = open.find(({ id }) => id === chosen) ?? open.findLast(({ paused }) => !paused) ?? open.at(-1);
  return picked?.id;
}

/** All that the desk shows first, asked for side by side. What fails is asked for again by whoever shows it. */
export async function openDesk(): Promise<void> {
  const furnish = (listId: number) =>
    Promise.allSettled([
      queries.fetchQuery({ ...nextQuery(listId), staleTime: 0, retry: false }),
      queries.prefetchQuery(deskQuery(listId)),
    ]);
  const chosen = readChosen();
  const [lists] = await Promise.all([
    queries.ensureQueryData(listsQuery).catch(() => undefined),
    chosen > 0 && furnish(chosen),
  ]);
  const listId = pickList(lists, chosen);
  if (listId !== undefined && listId !== chosen) await furnish(listId);
}
