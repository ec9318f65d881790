import { fold } from '../../contract/fold.ts';
import type { Categories } from '../../contract/lists.ts';
import { STATES, type State } from '../../contract/states.ts';
import type { Reading } from '../platform/work.ts';
import type { ListRecord } from './lists.ts';

type Group = Record<string, number>;

/** From the counters, so it takes as long for a million leads as for one. */
export async function countLeads({ db }: Reading, list: ListRecord) {
  const counts = await db
    .selectFrom('lead_counts')
    .select(({ fn }) => ['state', 'category', fn.sum<string>('leads').as('leads')])
    .where('account_id', '=', list.account_id)
    .where('list_id', '=', list.id)
    .groupBy(['state', 'category'])
    .having(({ fn }) => fn.sum('leads'), '<>', 0)
    .execute();
  const categories = list.categories as Categories;
  const groups = Object.fromEntries(
    Object.entries(STATES).map(([state, kind]) => {
      // Without a prototype: a category may be called "constructor".
      const group = Object.create(null) as Group;
      for (const name of kind ? (categories[kind] ?? []) : []) group[keyOf(name)] = 0;
      group.uncategorised = 0;
      group.total = 0;
      return [state, group];
    }),
  ) as Record<State, Group>;
  let total = 0;
  for (const { state, category, leads } of counts) {
    const group = groups[state as State];
    const key = category === '' ? 'uncategorised' : keyOf(category);
    group[key] = (group[key] ?? 0) + Number(leads);
    group.total! += Number(leads);
    total += Number(leads);
  }
  return { ...groups, total };
}

const OWN = new Set(['total', 'uncategorised']);

/** Categories that fold alike add up; those named as our own sums are kept apart from them. */
function keyOf(category: string): string {
  const key = fold(category) || 'category';
  return OWN.has(key) ? `${key}_category` : key;
}
