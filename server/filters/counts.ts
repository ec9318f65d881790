import type { StateCounts } from '../../contract/lead-table.ts';
import { STATES, type State } from '../../contract/states.ts';
import type { Actor } from '../platform/actor.ts';
import { PLAN_ANEW, query } from '../platform/db.ts';
import { sql, sqlFor, whenRun } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { conditionsSql, matchSql, type Filter, type Put } from './conditions.ts';

/** How many there are, by the counters: exactly, and as quickly for a million leads as for one. */

const BY_STATE = sql('filters/counts.by_state')`
  select c.state, sum(c.leads)::int8 as leads
    from (select state, leads from lead_counts
           where account_id = $1 and list_id = any (${whenRun('$2::bigint[]')}::bigint[])
          union all
          select l.state, 1 from leads l
           where l.account_id = $1 and l.claimed_by = $3 and l.list_id = any ($4::bigint[])) c
   group by 1`;

/** Of whole lists, and of what someone claims in others. */
export async function countStates({ db }: Reading, actor: Actor, filter: Filter): Promise<StateCounts> {
  const { lists, elsewhere, bound } = filter;
  const rows = await query<{ state: State; leads: number }>(db, BY_STATE, [actor.account.id, lists, bound, elsewhere]);
  const counts = Object.fromEntries(Object.keys(STATES).map((state) => [state, 0])) as Record<State, number>;
  for (const { state, leads } of rows) counts[state] = leads;
  return { total: rows.reduce((sum, { leads }) => sum + leads, 0), ...counts };
}

const COUNTED = new Set(['state', 'category']);

/** Whether a filter asks for anything that the counters know. */
export const isAskedOfCounters = ({ tokens }: Filter): boolean => tokens.some(({ name }) => COUNTED.has(name));

/** Whether the counters alone tell how many match. */
export const isCounted = ({ tokens, search }: Filter): boolean =>
  search === undefined && tokens.every(({ name }) => COUNTED.has(name));

/** Of a list and a state; list 0 is what someone claims elsewhere. */
export type Count = { list_id: number; state: State; leads: number; matching: number };

// The counters have rows like leads, with '' for no category.
const COUNT = sqlFor(
  'filters/counts.count',
  (matches: string, elsewhere: string) => `${PLAN_ANEW}
    select l.list_id, l.state, sum(l.leads)::int8 as leads,
           coalesce(sum(l.leads) filter (where ${matches}), 0)::int8 as matching
      from (select list_id, state, nullif(category, '') as category, leads from lead_counts
             where account_id = $1 and list_id = any ($2::bigint[])) l
     group by l.list_id, l.state having sum(l.leads) > 0 ${elsewhere}`,
  [
    ['true', ''],
    ['true', `union all select 0, l.state, 1, 1 from leads l where l.account_id = $1`],
  ],
);

/** What the counters know of a filter: its `matching` are all there are where it asks for nothing else. */
export type Rough = {
  counts: Count[];
  all: number;
  /** In the states and categories that are asked for. */
  matching: number;
};

export async function countRoughly({ db }: Reading, actor: Actor, filter: Filter): Promise<Rough> {
  const values: unknown[] = [actor.account.id, filter.lists];
  const put: Put = (value) => `$${values.push(value)}`;
  const tokens = filter.tokens.filter(({ name }) => COUNTED.has(name));
  const matches = conditionsSql({ ...filter, tokens, search: undefined }, put).lead.join(' and ') || 'true';
  const elsewhere =
    filter.elsewhere.length === 0
      ? ''
      : `union all
         select 0, l.state, count(*), count(*) filter (where ${matchSql({ ...filter, tokens, search: undefined }, put)})
           from leads l where l.account_id = $1 and l.claimed_by = ${put(filter.bound)}
            and l.list_id = any (${put(filter.elsewhere)}::bigint[]) group by l.state`;
  const counts = await query<Count>(db, COUNT(matches, elsewhere), values);
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0);
  return { counts, all: sum(({ leads }) => leads), matching: sum(({ matching }) => matching) };
}
