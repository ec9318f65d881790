import type { Matching } from '../../contract/lead-table.ts';
import type { Actor } from '../platform/actor.ts';
import { one, PLAN_ANEW, query } from '../platform/db.ts';
import { sqlFor } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { conditionsSql, matchSql, scopeSql, type Filter, type Put } from './conditions.ts';
import { countRoughly, isCounted } from './counts.ts';
import { cutPage, exactFields, holdsSql } from './narrow.ts';
import type { Order } from './orders.ts';
import { readFilter } from './read.ts';
import { BOUNDS, type Search } from './walk.ts';

/** Which leads match, for acts on many and for exports. */

/** Read for what this actor sees now; throws 422 that names the token. Read it again where time has passed: lists come and go. */
export const readMatching = (reading: Reading, actor: Actor, matching: Matching): Promise<Filter> =>
  readFilter(reading, actor, matching);

/** A statement with those values before the filter's own. */
function fill(filter: Filter, before: unknown[]): { scope: string; matches: string; values: unknown[] } {
  const values = [...before];
  const put: Put = (value) => `$${values.push(value)}`;
  return { scope: scopeSql(filter, put), matches: matchSql(filter, put), values };
}

const GATHER = sqlFor(
  'filters/matching.gather',
  (scope: string, matches: string) => `${PLAN_ANEW}
    with looked as materialized (
      select * from leads l where l.account_id = $1 and l.id > $2 order by l.id limit $3
    )
    select array(select l.id from looked l where ${scope} and ${matches} order by l.id) as ids,
           case when (select count(*) from looked) = $3 then (select max(id) from looked) end as after`,
  [['true', 'true']],
);

/** No index is walked in this order, but few leads are soon put in it. */
const BY_ID: Order = { letter: 'i', keys: [], back: false };

const searchOf = (reading: Reading, actor: Actor, filter: Filter): Search => ({
  reading,
  actor,
  filter,
  order: BY_ID,
  size: 0,
  bounds: BOUNDS,
});

/**
 * Ids of those that match, in the order of ids, after one: for acts on many and exports. `after` null: there are no more. Where an index
 * names few, these are gone through; otherwise all leads of the account are, and work is bounded by `limit` leads looked at.
 */
export async function gather(
  reading: Reading,
  actor: Actor,
  filter: Filter,
  after: number,
  limit: number,
): Promise<{ ids: number[]; after: number | null }> {
  const rough = await countRoughly(reading, actor, filter);
  if (rough.matching === 0) return { ids: [], after: null };
  const cut = { after: { keys: [], id: after, place: 0 }, size: limit };
  const few = await cutPage(searchOf(reading, actor, filter), async () => rough, cut);
  if (few) {
    const { ids } = few;
    return { ids, after: ids.length === limit ? ids.at(-1)! : null };
  }
  const { scope, matches, values } = fill(filter, [actor.account.id, after, limit]);
  return one<{ ids: number[]; after: number | null }>(reading.db, GATHER(scope, matches), values);
}

const STILL = sqlFor(
  'filters/matching.still',
  (scope: string, matches: string) => `${PLAN_ANEW}
    select l.id from unnest($2::bigint[]) as asked (id)
     cross join lateral (select * from leads l where l.account_id = $1 and l.id = asked.id offset 0) l
     where ${scope} and ${matches}`,
  [['true', 'true']],
);

/** Which of these still match. */
export async function stillMatch({ db }: Reading, actor: Actor, filter: Filter, ids: number[]): Promise<Set<number>> {
  const { scope, matches, values } = fill(filter, [actor.account.id, ids]);
  const rows = await query<{ id: number }>(db, STILL(scope, matches), values);
  return new Set(rows.map(({ id }) => id));
}

const COUNT = sqlFor(
  'filters/matching.count',
  (tables: string, matches: string) => `${PLAN_ANEW} select count(*) as number from ${tables} where ${matches}`,
  [['leads l', 'true']],
);

/** Of so many leads at a time, where things have to be looked up for each: others have their turn in between, and no statement takes too long. */
const COUNTED_AT_ONCE = 25_000;
const COUNT_SOME = sqlFor(
  'filters/matching.count_some',
  (scope: string, matches: string) => `${PLAN_ANEW}
    with looked as materialized (
      select * from leads l where l.account_id = $1 and l.id > $2 order by l.id limit $3
    )
    select (select count(*) from looked l where ${scope} and ${matches}) as number,
           case when (select count(*) from looked) = $3 then (select max(id) from looked) end as after`,
  [['true', 'true']],
);

const LOOKED_UP = new Set(['attempts', 'last_outcome', 'duplicate', 'imported_by', 'import']);

/** Exactly how many. */
export async function countMatching(reading: Reading, actor: Actor, filter: Filter): Promise<number> {
  const rough = await countRoughly(reading, actor, filter);
  if (isCounted(filter) || rough.matching === 0) return rough.matching;
  const few = await cutPage(searchOf(reading, actor, filter), async () => rough, { at: 0, size: 0 });
  if (few) return few.total;
  const { db } = reading;
  if (filter.elsewhere.length === 0 && !filter.tokens.some(({ name }) => LOOKED_UP.has(name)))
    return (await one<{ number: number }>(db, ...countSql(actor, filter))).number;
  let total = 0;
  for (let after: number | null = 0; after !== null;) {
    const { scope, matches, values } = fill(filter, [actor.account.id, after, COUNTED_AT_ONCE]);
    const some: { number: number; after: number | null } = await one(db, COUNT_SOME(scope, matches), values);
    total += some.number;
    ({ after } = some);
  }
  return total;
}

/** From one end to the other, of whichever table decides; in each list by itself where an index has it so. */
function countSql(actor: Actor, filter: Filter) {
  const values: unknown[] = [actor.account.id, filter.lists];
  const put: Put = (value) => `$${values.push(value)}`;
  const { lead, data } = conditionsSql(filter, put);
  const exact = exactFields(filter);
  const own =
    lead.length === 0
      ? []
      : [`(select ${lead.join(' and ')} from leads l where l.account_id = d.account_id and l.id = d.lead_id)`];
  const text =
    data.length === 0
      ? COUNT('leads l', ['l.account_id = $1 and l.list_id = any ($2::bigint[])', ...lead].join(' and '))
      : exact.length === 0
        ? COUNT('lead_data d', ['d.account_id = $1 and d.list_id = any ($2::bigint[])', ...data, ...own].join(' and '))
        : COUNT(
            `unnest($2::bigint[]) as of_list (id) cross join lateral (select * from lead_data d
               where d.account_id = $1 and d.list_id = of_list.id and ${holdsSql(exact, put)} offset 0) d`,
            [...data, ...own].join(' and '),
          );
  return [text, values] as const;
}
