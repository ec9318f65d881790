import { queryOptions } from '@tanstack/react-query';
import { writeToken } from '../../../contract/filters.ts';
import type { Shows, View } from '../../../contract/lead-table.ts';
import { ask, get, queries } from '../../api.ts';
import { FIRST_ORDER, matchingOf, type Asking } from '../table/asked.ts';

export const viewsQuery = queryOptions({ queryKey: ['views'], queryFn: () => get<View[]>('/views') });

/** What the page shows now, to be kept under a name. */
export const showsOf = (asked: Asking): Shows => ({
  ...matchingOf(asked),
  order: asked.order,
  columns: asked.columns,
});

/** What of it is in the address, in one spelling. */
const spell = ({ list_ids = [], filter = [], query = '', order = FIRST_ORDER }: Shows): string =>
  JSON.stringify([list_ids.toSorted((a, b) => a - b), filter.map(writeToken), query, order]);

/** Whether something was changed since the view was opened, or by someone else. Columns count where the view has its own. */
export const differs = ({ shows }: View, asked: Asking): boolean => {
  const now = showsOf(asked);
  return (
    spell(shows) !== spell(now) ||
    (shows.columns !== undefined && JSON.stringify(shows.columns) !== JSON.stringify(now.columns))
  );
};

/** As the address says it. */
export const openView = ({ id, shows }: View) => ({
  lists: shows.list_ids ?? [],
  tokens: shows.filter ?? [],
  q: shows.query ?? '',
  order: shows.order ?? FIRST_ORDER,
  view: id,
  ...(shows.columns && { columns: shows.columns }),
});

const keep = (view: View) =>
  queries.setQueryData(
    viewsQuery.queryKey,
    (now) => now && [...now.filter(({ id }) => id !== view.id), view].toSorted((a, b) => a.name.localeCompare(b.name)),
  );
const lookAgain = () => queries.invalidateQueries({ queryKey: viewsQuery.queryKey });

type Change = Partial<Pick<View, 'name' | 'shared' | 'shows'>>;

export async function saveNew(view: Pick<View, 'name' | 'shared' | 'shows'>): Promise<View> {
  const made = await ask<View>('POST', '/views', { view });
  keep(made);
  void lookAgain();
  return made;
}

export async function changeView(id: number, view: Change): Promise<View> {
  const changed = await ask<View>('PATCH', `/views/${id}`, { view });
  keep(changed);
  void lookAgain();
  return changed;
}

/** `done` comes first: with the view goes the question whether to delete it. */
export async function deleteView(id: number, done: () => void): Promise<void> {
  await ask('DELETE', `/views/${id}`);
  done();
  queries.setQueryData(viewsQuery.queryKey, (now) => now?.filter((view) => view.id !== id));
  void lookAgain();
}
