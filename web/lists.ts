import { queryOptions } from '@tanstack/react-query';
import type { ListAtPages } from '../contract/list-pages.ts';
import { get } from './api.ts';
import { asks, CHOSEN } from './asks.ts';

/** Every list one may see. */
export const listsQuery = queryOptions({ queryKey: ['lists'], queryFn: () => get<ListAtPages[]>(asks.lists) });

/** Where leads can be moved to; `from`: the one that all of them are in. */
export const listsToMoveTo = (lists: ListAtPages[], from: number | undefined): ListAtPages[] =>
  lists.filter(({ id, archived }) => !archived && id !== from);

/** The one that is worked on in this browser. */
export const readChosen = () => Number(localStorage.getItem(CHOSEN));
export const keepChosen = (listId: number) => localStorage.setItem(CHOSEN, String(listId));
