import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { ListRow } from '../../contract/lists.ts';
import type { Next } from '../../contract/queue.ts';
import { ask, get, queries } from '../api.ts';
import { deskQuery, leadQuery } from '../leads/queries.ts';

export type Given = Static<typeof Next>;

export const listsQuery = queryOptions({
  queryKey: ['lists'],
  queryFn: () => get<ListRow[]>('/lists'),
  // A first list may be on its way.
  refetchInterval: ({ state }) => (state.data?.length === 0 ? 1_500 : false),
});

async function giveNext(listId: number): Promise<Given> {
  const given = await ask<Given>('POST', `/lists/${listId}/next`);
  if (given.lead) queries.setQueryData(leadQuery(given.lead.id).queryKey, given.lead);
  return given;
}

export const nextQuery = (listId: number) => ({
  queryKey: ['next', listId],
  queryFn: () => giveNext(listId),
  initialData: () => takeAhead(listId),
  // Only the agent asks for another.
  staleTime: Infinity,
  gcTime: 0,
});

/** Asked for before the desk is drawn, and shown once. */
let ahead: { listId: number; answer: Promise<void>; given?: Given } | undefined;

function askAhead(listId: number): Promise<void> {
  if (ahead?.listId === listId) return ahead.answer;
  const asked: typeof ahead = { listId, answer: Promise.resolve() };
  asked.answer = giveNext(listId).then(
    (given) => void (asked.given = given),
    // The desk asks again, and can say what is wrong.
    () => void (ahead = undefined),
  );
  ahead = asked;
  return asked.answer;
}

function takeAhead(listId: number): Given | undefined {
  const given = ahead?.listId === listId ? ahead.given : undefined;
  ahead = undefined;
  return given;
}

const CHOSEN = 'leadline list';
export const readChosen = () => Number(localStorage.getItem(CHOSEN));
export const keepChosen = (listId: number) => localStorage.setItem(CHOSEN, String(listId));

/** The chosen list, or where it is not ours any more, the newest. */
export const pickList = (lists: ListRow[] | undefined, chosen: number): number | undefined =>
  lists?.find(({ id }) => id === chosen)?.id ?? lists?.at(-1)?.id;

/** All that the desk shows first, asked for side by side. */
export async function openDesk(): Promise<void> {
  const furnish = (listId: number) => Promise.all([askAhead(listId), queries.prefetchQuery(deskQuery(listId))]);
  const chosen = readChosen();
  const [lists] = await Promise.all([
    queries.ensureQueryData(listsQuery).catch(() => undefined),
    chosen > 0 && furnish(chosen),
  ]);
  const listId = pickList(lists, chosen);
  if (listId !== undefined && listId !== chosen) await furnish(listId);
}
