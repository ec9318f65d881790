import type { CallState } from '../../contract/calls.ts';
import { databaseNow } from '../platform/clock.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isHeldBy } from '../platform/lease.ts';
import { LINE, type Happening } from '../telephony/carrier.ts';

/** What people want of the line, and what has to end because nobody is there any more. */

export type Wish = {
  account_id: number;
  id: number;
  /** The carrier's id of the call; null while it has none. */
  subject: string | null;
  /** And of the one whose other end it is to be connected with. */
  former: string | null;
  number: string;
  caller_number: string | null;
  caller_name: string | null;
  recorded: boolean;
  announced: boolean;
  /** Whoever passes another call on to it, or asks it first, is off the record with that one. */
  off_record: boolean;
  answered: boolean;
  body: string;
  kind: 'dial' | 'too late' | 'give up' | 'lose' | 'answer' | 'hang up' | 'bridge' | 'hand over' | 'text';
};

// Whoever it was to be passed on to has answered: to hang up then is to hand over.
const PASSED_ON = `
  select from calls passed where passed.account_id = c.account_id and passed.state = 'active'
    and passed.hang_up_at is null and (not passed.asked or passed.handed_over_at is not null)`;

// The line was away. Whoever asked for a call so long ago waits for it no more, and whoever was called would hear nobody. A node that dies is
// missed and replaced well before.
const TOO_LATE = `now() - interval '1 minute'`;

const WISHES = sql('calls/wishes.wishes')`
  select * from (
  select c.account_id, c.id, c.carrier_call_id as subject, null as former, c.destination_number as number,
         c.caller_number, c.caller_name, c.recorded, c.announced,
         exists (select from calls other where other.account_id = c.account_id and other.id = c.transfer_of
                                           and (other.recording_paused or not other.recorded)) as off_record,
         c.answered_at is not null as answered, '' as body,
         case when c.carrier_call_id is null and c.dialled_at is not null then 'lose'
              when c.hang_up_at is not null and c.carrier_call_id is not null then 'hang up'
              when c.hang_up_at is not null then 'give up'
              when c.direction = 'inbound' then 'answer'
              when c.rang_at < ${TOO_LATE} then 'too late'
              else 'dial' end as kind
    from calls c
   where c.state <> 'completed'
     and case when c.carrier_call_id is null and c.dialled_at is not null
       then c.dialled_at < now() - interval '30 seconds'
              when c.hang_up_at is not null then not exists (${PASSED_ON} and passed.transfer_of = c.id)
              when c.offered_to is not null then false
              when c.direction = 'inbound' then c.taken_at is not null and c.state <> 'active'
              else c.dialled_at is null end
  union all
  select c.account_id, c.id, c.carrier_call_id, former.carrier_call_id, '', null, null, c.recorded, c.announced, false,
         true, '', case when c.offered_to is null then 'bridge' else 'hand over' end
    from calls c join calls former on former.account_id = c.account_id and former.id = c.transfer_of
   where c.state = 'active' and c.hang_up_at is null and former.state = 'active'
     and (not c.asked or c.handed_over_at is not null) and (c.offered_to is null or c.dialled_at is null)
  union all
  select t.account_id, t.id, null, null, t.number, t.own_number, null, false, false, false, false, t.body, 'text'
    from texts t where t.state = 'queued' and t.carrier is null) wish
   where ${isHeldBy(LINE, '$1')}`;

export const findWishes = (db: Db, nodeId: number): Promise<Wish[]> => query<Wish>(db, WISHES, [nodeId]);

const MARK_DIALLED = sql('calls/wishes.mark_dialled')`
  update calls set dialled_at = now()
   where account_id = $1 and id = $2 and dialled_at is null and hang_up_at is null and state = $4
     and (state <> 'initiated' or rang_at >= ${TOO_LATE}) and ${isHeldBy(LINE, '$3')} returning id`;

const markBegun = async (db: Db, nodeId: number, { account_id, id }: Wish, state: CallState): Promise<boolean> =>
  (await query(db, MARK_DIALLED, [account_id, id, nodeId, state])).length > 0;

/** Whether it is still wanted, and nobody was faster. From here on it is dialled once or not at all. */
export const markDialled = (db: Db, nodeId: number, wish: Wish) => markBegun(db, nodeId, wish, 'initiated');

/** The same of a colleague who is to be connected: from here on the end of the call that they get is not theirs. */
export const markConnected = (db: Db, nodeId: number, wish: Wish) => markBegun(db, nodeId, wish, 'active');

const CARRY_PAUSE = sql('calls/wishes.carry_pause')`
  update calls c set recording_paused = c.recorded
         and (c.recording_paused or former.recording_paused or not former.recorded)
    from calls former
   where c.account_id = $1 and c.id = $2 and former.account_id = c.account_id and former.id = c.transfer_of
     and ${isHeldBy(LINE, '$3')} returning c.recording_paused`;

/**
 * Whether two who are to be connected are off the record, as the agent who leaves them had it at the last moment: nobody is left to say so
 * afterwards. Undefined where they are not ours to connect any more.
 */
export async function carryPause(db: Db, nodeId: number, { account_id, id }: Wish): Promise<boolean | undefined> {
  const [carried] = await query<{ recording_paused: boolean }>(db, CARRY_PAUSE, [account_id, id, nodeId]);
  return carried?.recording_paused;
}

const MARK_GIVEN_UP = sql('calls/wishes.mark_given_up')`
  update calls set dialled_at = now() where account_id = $1 and id = $2 and dialled_at is null
   returning id`;

/** Whether it can be given up: nobody has begun to dial it, nor will. */
export const markGivenUp = async (db: Db, { account_id, id }: Wish): Promise<boolean> => {
  return (await query(db, MARK_GIVEN_UP, [account_id, id])).length > 0;
};

// Whose page is connected is missed after ten seconds. Of others all that is known is when they last asked for something.
// Nobody is, while the clock is not where it is believed to be: it was set a moment ago, and nobody could say since that they are there.
const FORGOTTEN = sql('calls/wishes.forgotten')`
  update calls c set hang_up_at = now(), ended_by = coalesce(ended_by, 'nobody')
   where c.state <> 'completed' and c.hang_up_at is null
     and now() between $1::timestamptz - interval '5 seconds' and $1::timestamptz + interval '5 seconds' and (
     (c.direction = 'inbound' or c.offered_to is not null) and c.taken_at is null and c.rang_at < now() - interval '30 seconds'
     or c.direction in ('automated', 'transfer') and c.offered_to is null and c.rang_at < now() - interval '2 hours'
     or c.user_id is not null and (c.direction in ('outbound', 'inbound', 'local') or c.user_id = c.offered_to) and case
       when c.page_seen_at is not null then c.page_seen_at < now() - interval '10 seconds'
       else greatest(c.rang_at, c.taken_at, (select max(s.seen_at) from sessions s
              where s.account_id = c.account_id and s.user_id = c.user_id and s.seen_at <= now()))
            < now() - interval '3 minutes'
     end)`;

/** Rings out what nobody takes, and ends what someone has left behind. */
export const endForgotten = (db: Db) => query(db, FORGOTTEN, [databaseNow()]);

const PULL = sql('calls/wishes.pull')`
  update calls set rang_at = least(rang_at, now()), taken_at = least(taken_at, now()),
    dialled_at = least(dialled_at, now()),
         page_seen_at = least(page_seen_at, now())
   where state <> 'completed' and greatest(rang_at, taken_at, dialled_at, page_seen_at) > now() + interval '5 seconds'`;

/** After the clock was set back: who was there a moment ago was not there in an hour, and is missed when they are gone. */
export const pullCalls = (db: Db) => query(db, PULL, []);

export type Lost = { account_id: number; id: number; answered: boolean };

const LOST = sql('calls/wishes.lost')`
  select account_id, id, answered_at is not null as answered from calls
   where state <> 'completed' and (carrier is not null or dialled_at is not null)`;

/** Calls of a line that is gone. */
export const findLost = (db: Db): Promise<Lost[]> => query<Lost>(db, LOST, []);

const TAKE_SIMULATIONS = sql('calls/wishes.take_simulations')`
  with taken as (delete from simulations where ${isHeldBy(LINE, '$1')}
    returning account_id, id, happening, wanted_at)
   select account_id, happening from taken where wanted_at > now() - interval '1 minute' order by id`;

/** What is to happen on a simulated line. Old wishes are forgotten. */
export const takeSimulations = (db: Db, nodeId: number): Promise<{ account_id: number; happening: Happening }[]> =>
  query(db, TAKE_SIMULATIONS, [nodeId]);
