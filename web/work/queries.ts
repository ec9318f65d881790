import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { ListRow } from '../../contract/lists.ts';
import type { Ahead, Day, Next } from '../../contract/queue.ts';
import { ask, get, queries } from '../api.ts';
import { asks, CHOSEN } from '../asks.ts';
import { deskQuery, leadQuery } from '../leads/queries.ts';
import { listsQuery } from '../lists.ts';

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

/** Another lead than the one that is being finished; `show` makes it the one to work on. */
export async function goPast(listId: number, leadId: number) {
  const given = await ask<Given>('POST', asks.next(listId), { past: leadId });
  const show = () => {
    takeIn(listId, given);
    queries.setQueryData(nextQuery(listId).queryKey, given);
  };
  return { lead: given.lead, show };
}

/** What the queue will bring; live events say when to look again. */
export const aheadQuery = (listId: number, past: readonly number[]) =>
  queryOptions({
    queryKey: ['ahead', listId, past],
    queryFn: () => get<Ahead>(asks.ahead(listId, past)),
    refetchInterval: 30_000,
    placeholderData: (before: Ahead | undefined) => before,
  });

export const dayQuery = queryOptions({ queryKey: ['day'], queryFn: () => get<Day>(asks.day) });

export const readChosen = () => Number(localStorage.getItem(CHOSEN));
export const keepChosen = (listId: number) => localStorage.setItem(CHOSEN, String(listId));

/** The chosen list, or where it is not ours any more, the one that has been there longest. */
export const pickList = (lists: ListRow[] | undefined, chosen: number): number | undefined =>
  lists?.find(({ id }) => id === chosen)?.id ?? lists?.at(-1)?.id;

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
