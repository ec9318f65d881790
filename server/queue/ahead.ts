import type { Ahead } from '../../contract/queue.ts';
import { toldSql } from '../leads/told.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading } from '../platform/work.ts';
import { DUE_BY, IN_PLACE, lookAtQueue, PLACES } from './queue.ts';

const MOST_COMING = 7;
// More than this is simply much.
const MOST_COUNTED = 1_000;

const COUNT = (from: string, to: string) => `
  (select count(*) from (select from leads l
     where l.account_id = $1 and l.list_id = $2 and l.rank in (1, 2) and l.skipped in (false, true)
       and l.claimant in (0, $3)
       and l.turn_at > ${from} and l.turn_at < ${to} limit ${MOST_COUNTED}) counted)`;

const AHEAD = sql('queue/ahead.ahead')`
  with days as (
    -- Days of 23 and of 25 hours are days too.
    select date_trunc('day', begins + interval '36 hours', time_zone) as tomorrow,
           date_trunc('day', begins + interval '60 hours', time_zone) as after_tomorrow
      from (select date_trunc('day', now(), a.time_zone) as begins, a.time_zone from accounts a where a.id = $1) today
  ), next as (
    select found.* from ${PLACES} with ordinality as place (rank, claimant, skipped, number)
     cross join lateral (
       select l.id, l.turn_at from leads l
        where ${IN_PLACE} and l.turn_at <= ${DUE_BY} and (l.held_until is null or l.held_until <= now())
          and l.id <> all ($7::bigint[])
        order by l.turn_at, l.id limit 1) found
     order by place.number limit 1
  ), coming as (
    select found.* from ${PLACES} as place (rank, claimant, skipped)
     cross join lateral (
       select l.id, l.turn_at from leads l where ${IN_PLACE} and l.turn_at > ${DUE_BY}
        order by l.turn_at, l.id limit ${MOST_COMING}) found
     order by found.turn_at, found.id limit ${MOST_COMING}
  ), told as (
    select chosen.is_next, json_build_object('id', l.id, 'primary_identifier',
             coalesce(${toldSql('li.identifiers[1]')}, ''), 'secondary_identifier',
             coalesce(${toldSql('li.identifiers[2]')}, ''), 'state', l.state, 'category', l.category,
             'at', ${isoOf('l.turn_at')}, 'yours', l.claimed_by is not null) as lead,
           l.turn_at, l.id
      from (select id, true as is_next from next union all select id, false from coming) chosen
      join leads l on l.account_id = $1 and l.id = chosen.id
      join lead_data d on d.account_id = $1 and d.lead_id = l.id
      join lists li on li.account_id = $1 and li.id = l.list_id
  )
  select (select lead from told where is_next) as next,
         coalesce((select json_agg(lead order by turn_at, id) from told where not is_next), '[]') as coming,
         ${COUNT('now()', '(select tomorrow from days)')} as later_today,
         ${COUNT('(select tomorrow from days)', '(select after_tomorrow from days)')} as tomorrow`;

/** What a list's queue will bring someone, as it stands: a forecast, nothing is held. `past` are leads that they went past. */
export async function readAhead(
  reading: Reading,
  actor: Actor,
  listId: number | undefined,
  past: number[],
): Promise<Ahead> {
  const queue = await lookAtQueue(reading, actor, listId);
  if (!queue) return { next: null, coming: [], later_today: 0, tomorrow: 0 };
  const [ahead] = await query<Ahead>(reading.db, AHEAD, [...queue, past]);
  return ahead!;
}
