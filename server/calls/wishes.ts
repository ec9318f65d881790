import { query, type Db } from '../platform/db.ts';
import type { Happening } from '../telephony/carrier.ts';

/** What people want of the line, and what has to end because nobody is there any more. */

export type Wish = {
  account_id: number;
  id: number;
  /** The carrier's id of the call; null while it has none. */
  subject: string | null;
  number: string;
  caller_number: string | null;
  caller_name: string | null;
  recorded: boolean;
  body: string;
} & { kind: 'dial' | 'give up' | 'answer' | 'hang up' | 'text' };

const WISHES = `
  select c.account_id, c.id, c.carrier_call_id as subject, c.destination_number as number, c.caller_number, c.caller_name, c.recorded, '' as body,
         case when c.hang_up_at is not null and c.carrier_call_id is not null then 'hang up'
              when c.hang_up_at is not null then 'give up'
              when c.direction = 'inbound' then 'answer'
              else 'dial' end as kind
    from calls c
   where c.state <> 'completed'
     and case when c.hang_up_at is not null then c.carrier_call_id is not null or c.dialled_at is null
              when c.direction = 'inbound' then c.taken_at is not null and c.state <> 'active'
              else c.dialled_at is null end
  union all
  select t.account_id, t.id, null, t.number, t.own_number, null, false, t.body, 'text'
    from texts t where t.state = 'queued' and t.carrier is null`;

export const findWishes = (db: Db): Promise<Wish[]> => query<Wish>(db, WISHES, []);

/** False where it is under way already. From here on it is dialled once or not at all. */
export const markDialled = async (db: Db, { account_id, id }: Wish): Promise<boolean> => {
  const text =
    'update calls set dialled_at = now() where account_id = $1 and id = $2 and dialled_at is null returning id';
  return (await query(db, text, [account_id, id])).length > 0;
};

export const markSent = async (db: Db, { account_id, id }: Wish, carrier: string): Promise<boolean> => {
  const text = 'update texts set carrier = $3 where account_id = $1 and id = $2 and carrier is null returning id';
  return (await query(db, text, [account_id, id, carrier])).length > 0;
};

// Whose page is connected is missed after ten seconds. Of others all that is known is when they last asked for something.
const FORGOTTEN = `
  update calls c set hang_up_at = now()
   where c.state <> 'completed' and c.hang_up_at is null and (
     c.direction = 'inbound' and c.taken_at is null and c.started_at < now() - interval '30 seconds'
     or c.user_id is not null and c.direction in ('outbound', 'inbound') and case
       when c.page_seen_at is not null then c.page_seen_at < now() - interval '10 seconds'
       else greatest(c.started_at, c.taken_at, (select max(s.seen_at) from sessions s where s.account_id = c.account_id and s.user_id = c.user_id))
            < now() - interval '3 minutes'
     end)`;

/** Rings out what nobody takes, and ends what someone has left behind. */
export const endForgotten = (db: Db) => query(db, FORGOTTEN, []);

export type Lost = { account_id: number; id: number; answered: boolean };

const LOST = `
  select account_id, id, answered_at is not null as answered from calls
   where state <> 'completed' and (carrier is not null or dialled_at is not null)`;

/** Calls of a line that is gone. */
export const findLost = (db: Db): Promise<Lost[]> => query<Lost>(db, LOST, []);

/** Texts of which nobody can say whether they were sent. */
export const failLostTexts = (db: Db) =>
  query(
    db,
    `update texts set state = 'failed', error = 'The line was lost while it was being sent.' where state = 'queued' and carrier is not null`,
    [],
  );

/** What is to happen on a simulated line. Old wishes are forgotten. */
export const takeSimulations = (db: Db): Promise<{ account_id: number; happening: Happening }[]> =>
  query(
    db,
    `with taken as (delete from simulations returning account_id, id, happening, wanted_at)
     select account_id, happening from taken where wanted_at > now() - interval '1 minute' order by id`,
    [],
  );
