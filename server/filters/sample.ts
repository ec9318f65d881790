import { one, PLAN_ANEW } from '../platform/db.ts';
import { sqlFor } from '../platform/sql.ts';
import { matchSql, scopeSql, type Put } from './conditions.ts';
import { orderBy } from './orders.ts';
import { askOnce, nameOf, Remembered } from './remembered.ts';
import type { Hit, Search } from './walk.ts';

/**
 * Leads picked at random, of those that a filter is about: how many of them match tells about how many do in all, and where these stand in
 * an order tells about where every hundredth does. Kept for a minute, so that a scrollbar that is dragged meets the same places again.
 */
export type Sample = {
  /** Picked from the lists, and how many of these match. */
  picked: number;
  matching: number;
  /** Those that match, in the order of the table. */
  places: Hit[];
};

const WANTED = 1_500;
const MOST_PICKED = 10_000;
const KEPT = new Remembered<Promise<Sample>>(60_000, 100);

// From ids between those of the oldest and the newest lead of the lists: leads of other lists that lie there are passed over.
const PICK = sqlFor(
  'filters/sample.pick',
  (scope: string, matches: string, keys: string, told: string, by: string) => `${PLAN_ANEW}
    with ends as materialized (
      select e.id from unnest($2::bigint[]) as of_list (id)
       cross join lateral (
         (select l.id from leads l where l.account_id = $1 and l.list_id = of_list.id
           order by l.created_at, l.id limit 1)
         union all
         (select l.id from leads l where l.account_id = $1 and l.list_id = of_list.id
           order by l.created_at desc, l.id desc limit 1)) e
    ), reach as materialized (
      select min(id) as low, max(id) as high from ends
    ), aims as materialized (
      select low + floor(random() * (high - low + 1))::bigint as id
        from reach cross join lateral generate_series(1,
          least(${MOST_PICKED}, ceil(${WANTED}.0 * (high - low + 1) / greatest($3::bigint, 1)))::int)
    ), picked as materialized (
      select distinct l.* from aims
       cross join lateral (select * from leads l where l.account_id = $1 and l.id >= aims.id order by l.id limit 1) l
       where ${scope}
    ), fitting as materialized (
      select l.id, ${keys} from picked l where ${matches}
    )
    select (select count(*) from picked) as picked, (select count(*) from fitting) as matching,
           coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'keys', ${told}) order by ${by})
                       from fitting l), '[]') as places`,
  [['true', 'true', 'l.created_at as k1', 'jsonb_build_array(l.k1)', 'k1, id']],
);

/** `all`: how many leads the lists have. */
export function takeSample(search: Search, all: number): Promise<Sample> {
  const { actor, filter, order } = search;
  return askOnce(KEPT, `${order.letter} ${order.back} ${nameOf(actor, filter)}`, () => pick(search, all));
}

async function pick({ reading, actor, filter, order }: Search, all: number): Promise<Sample> {
  const values: unknown[] = [actor.account.id, filter.lists, all];
  const put: Put = (value) => `$${values.push(value)}`;
  const keys = order.keys.map(({ sql }, index) => `${sql(put)} as k${index + 1}`).join(', ');
  const told = `jsonb_build_array(${order.keys.map(({ tell }, index) => tell(`l.k${index + 1}`)).join(', ')})`;
  const text = PICK(scopeSql(filter, put), matchSql(filter, put), keys, told, orderBy(order));
  return one<Sample>(reading.db, text, values);
}
