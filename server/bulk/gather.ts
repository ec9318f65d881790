import type { Matching } from '../../contract/lead-table.ts';
import { gather, readMatching } from '../filters/matching.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { HttpError } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { auditAct, readBulkAct } from './bulk.ts';

/** Which leads an act is about is found bit by bit, and written down with how far it has come. */

/** Looked at in one turn. */
const AT_ONCE = 10_000;

const PUT = sql('bulk/gather.put')`
  with act as materialized (
    select total, except_ids from bulk_acts where account_id = $1 and id = $2
  ), kept as materialized (
    select found.id, row_number() over (order by found.id) as place from unnest($3::bigint[]) as found (id)
     where not exists (
       select from act cross join lateral unnest(act.except_ids) as other (id) where other.id = found.id)
  ), put as (
    insert into bulk_leads (account_id, act_id, place, lead_id)
    select $1, $2, act.total + kept.place, kept.id from kept cross join act
  )
  select count(*) as number from kept`;

// An undo is about the leads that its act has changed, and takes over what is to be put back; not about those that an undo before it, which was
// stopped, has brought back.
const PUT_CHANGED = sql('bulk/gather.put_changed')`
  with changed as materialized (
    select l.place, l.lead_id, l.before, l.left_at from bulk_leads l
     where l.account_id = $1 and l.act_id = $3 and l.place > $4 and l.before is not null
     order by l.place limit ${AT_ONCE}
  ), due as materialized (
    select c.* from changed c where not exists (
      select from bulk_acts u join bulk_leads p on p.account_id = u.account_id and p.act_id = u.id
       where u.account_id = $1 and u.undoes = $3 and u.id <> $2 and p.place > u.total - u.position and p.refused is null
         and p.lead_id = c.lead_id)
  ), put as (
    insert into bulk_leads (account_id, act_id, place, lead_id, before, left_at)
    select $1, $2, b.total + row_number() over (order by d.place), d.lead_id, d.before, d.left_at
      from due d join bulk_acts b on b.account_id = $1 and b.id = $2
  )
  select (select count(*) from due) as number, case when count(*) = ${AT_ONCE} then max(place) end as after
    from changed`;

const MOVE_ON = sql('bulk/gather.move_on')`
  update bulk_acts set total = total + $3, gathered_after = $4,
         finished_at = case when $4::bigint is null and total + $3 = 0 then clock_timestamp() end
   where account_id = $1 and id = $2`;

const GIVE_UP = sql('bulk/gather.give_up')`
  update bulk_acts set gathered_after = null, stopped_at = now(), finished_at = clock_timestamp(),
         reasons = jsonb_build_object($3::text, 0)
   where account_id = $1 and id = $2`;

type Gathering = { id: number; matching: Matching | null; undoes: number | null; gathered_after: number | null };

export async function gatherSome(work: Work, actor: Actor, act: Gathering): Promise<void> {
  const own = [actor.account.id, act.id];
  try {
    const { number, after } = await (act.undoes === null
      ? putMatching(work, actor, act)
      : putChanged(work, actor, act));
    await query(work.db, MOVE_ON, [...own, number, after]);
    if (after === null) await auditAct(work, actor, await readBulkAct(work, actor, act.id));
  } catch (error) {
    // A list or a field of the filter is gone, or the right to see them: refused before anything was written.
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    await query(work.db, GIVE_UP, [...own, error.message]);
  }
}

type Put = { number: number; after: number | null };

async function putMatching(work: Work, actor: Actor, { id, matching, gathered_after }: Gathering): Promise<Put> {
  const filter = await readMatching(work, actor, matching!);
  const { ids, after } = await gather(work, actor, filter, gathered_after!, AT_ONCE);
  // As one text: the driver takes ten times as long to write down so many numbers.
  const { number } = await one<{ number: number }>(work.db, PUT, [actor.account.id, id, `{${ids.join()}}`]);
  return { number, after };
}

const putChanged = ({ db }: Work, { account }: Actor, { id, undoes, gathered_after }: Gathering): Promise<Put> =>
  one<Put>(db, PUT_CHANGED, [account.id, id, undoes, gathered_after]);
