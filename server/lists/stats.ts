import { fold } from '../../contract/fold.ts';
import type { Categories } from '../../contract/lists.ts';
import { STATES, type State } from '../../contract/states.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { toListRow } from './lists.ts';
import { seesList } from './people.ts';

type Group = Record<string, number>;

type Count = { state: State; category: string; leads: number };
type Counted = {
  id: number;
  name: string;
  created_at: Date;
  locked_on_defaults: boolean;
  categories: Categories;
  counts: Count[] | null;
};

const COUNT = sql('lists/stats.count')`
  select li.id, li.name, li.created_at, li.locked_on_defaults, li.categories,
         (select json_agg(c) from (select state, category, sum(leads)::int8 as leads from lead_counts
           where account_id = li.account_id and list_id = li.id
           group by state, category having sum(leads) <> 0) c) as counts
    from lists li where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

/** From the counters, so it takes as long for a million leads as for one. */
export async function readStats({ db }: Reading, actor: Actor, id: number | undefined) {
  const list = await one<Counted>(db, COUNT, [actor.account.id, id ?? 0, boundOf(actor, 'stats.read')]);
  const leads_counts = addUp(list.categories, list.counts ?? []);
  return { ...toListRow({ ...list, leads_count: leads_counts.total }), leads_counts };
}

function addUp(categories: Categories, counts: Count[]) {
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
    const group = groups[state];
    const key = category === '' ? 'uncategorised' : keyOf(category);
    group[key] = (group[key] ?? 0) + leads;
    group.total! += leads;
    total += leads;
  }
  return { ...groups, total };
}

const OWN = new Set(['total', 'uncategorised']);

/** Categories that fold alike add up; those named as our own sums are kept apart from them. */
function keyOf(category: string): string {
  const key = fold(category) || 'field';
  return OWN.has(key) ? `${key}_category` : key;
}
