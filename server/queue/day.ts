import type { Day } from '../../contract/queue.ts';
import { secondsOf } from '../calls/calls.ts';
import { seesLead } from '../leads/access.ts';
import { isOutcome } from '../leads/outcomes.ts';
import { toldSql } from '../leads/told.ts';
import { talksIn } from '../leads/tries.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading } from '../platform/work.ts';

const MOST_DONE = 6;

const counted = (kind: string) => `count(*) filter (where kind = '${kind}')`;

const DAY = sql('queue/day.day')`
  with today as (
    select date_trunc('day', now(), a.time_zone) as begins, a.time_zone from accounts a where a.id = $1
  ), made as (
    select extract(hour from c.started_at at time zone (select time_zone from today))::int as hour,
      c.disposition = 'normal' as reached,
           ${secondsOf('c')} as seconds
      from calls c
     where c.account_id = $1 and c.user_id = $2 and c.started_at >= (select begins from today)
       and c.direction <> 'inbound' and ${talksIn('c', '$2')}
  ), given as (
    select e.id, e.lead_id, e.kind, e.category, e.created_at from events e
     where e.account_id = $1 and e.user_id = $2 and e.created_at >= (select begins from today)
       and ${isOutcome('e')}
  ), done as (
    select g.lead_id, coalesce(${toldSql('li.identifiers[1]')}, '') as primary_identifier,
           coalesce(${toldSql('li.identifiers[2]')}, '') as secondary_identifier,
           g.kind, g.category, ${isoOf('g.created_at')} as at,
           (select ${secondsOf('c')} from calls c
             where c.account_id = $1 and c.event_id = g.id order by c.id desc limit 1) as duration
      from (select * from given order by id desc limit ${MOST_DONE}) g
      join leads l on l.account_id = $1 and l.id = g.lead_id and ${seesLead('l', '$3::bigint')}
      join lead_data d on d.account_id = $1 and d.lead_id = l.id
      join lists li on li.account_id = $1 and li.id = l.list_id
     order by g.id desc
  )
  select calls.*, outcomes.*,
         array(select count(made.hour)::int4 from generate_series(0, 23) as hour left join made using (hour)
           group by hour order by hour) as hours,
         coalesce((select json_agg(done) from done), '[]') as done
    from (select count(*) as calls, count(*) filter (where reached) as reached,
      coalesce(sum(seconds), 0)::int8 as talked from made) calls,
         (select ${counted('winner')} as won, ${counted('call_back')} as call_back, ${counted('loser')} as lost,
           ${counted('archive')} as archived from given) outcomes`;

/** What someone has done since midnight, in the account's time zone. */
export async function readDay({ db }: Reading, actor: Actor): Promise<Day> {
  const [day] = await query<Day>(db, DAY, [actor.account.id, actor.user!.id, boundOf(actor, 'leads.read')]);
  return day!;
}
