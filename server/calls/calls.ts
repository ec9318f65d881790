import { CALL_STATES, type Call, type CallState, type Direction, type Ender } from '../../contract/calls.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { databaseNow } from '../platform/clock.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading, Work } from '../platform/work.ts';
import { DELETED_LISTS, worksList } from '../lists/people.ts';
import { linkToRecording } from '../recordings/links.ts';
import type { CallerId, Cause } from '../telephony/carrier.ts';

/*
 *  initiated → calling → active → completed
 *      └──────────┴─────────────────┘        forward only: reports come late, twice and out of order
 */

export type NewCall = {
  direction: Direction;
  leadId?: number;
  userId?: number;
  /** The number dialled; of an inbound call, ours. */
  destination: string;
  /** The number and name the recipient saw; of an inbound call, the caller's. */
  callerId?: CallerId;
  startedAt?: Date;
  /** A colleague who is called; such a call needs no line. */
  offeredTo?: number;
  /** The call that it takes over. */
  transferOf?: number;
  /** Of such a one: whoever answers is asked first. */
  asked?: boolean;
  /** The digits by which its number counts; not of what is not counted. */
  countedAs?: string;
  /** Whether it is to be recorded. */
  recorded?: boolean;
  /** And whether both hear so first. */
  announced?: boolean;
  /** Of a call that came in, and so is on a line already. */
  carrier?: { name: string; callId: string };
};

const START = sql('calls/calls.start')`
  insert into calls (account_id, direction, lead_id, user_id, destination_number, caller_number, caller_name,
    started_at, recorded,
                      carrier, carrier_call_id, transfer_of, offered_to, counted_as, asked,
                      announced)
   values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, now()), $9, $10, $11, $12, $13, $14, $15, $16) returning id`;

export async function startCall({ db }: Work, actor: Actor, call: NewCall): Promise<number> {
  const [row] = await query<{ id: number }>(db, START, [
    actor.account.id,
    call.direction,
    call.leadId ?? null,
    call.userId ?? null,
    call.destination,
    call.callerId?.number ?? null,
    call.callerId?.name ?? null,
    call.startedAt ?? null,
    call.recorded ?? false,
    call.carrier?.name ?? null,
    call.carrier?.callId ?? null,
    call.transferOf ?? null,
    call.offeredTo ?? null,
    call.countedAs ?? null,
    call.asked ?? false,
    call.announced ?? false,
  ]);
  return row!.id;
}

const NAME = sql('calls/calls.name')`
  update calls set carrier = $3, carrier_call_id = $4 where account_id = $1 and id = $2`;

export const nameCall = ({ db }: Work, accountId: number, id: number, carrier: string, callId: string) =>
  query(db, NAME, [accountId, id, carrier, callId]);

const ORDER = `array[${CALL_STATES.map((state) => `'${state}'`).join(', ')}]`;

const ADVANCE = sql('calls/calls.advance')`
  update calls set state = $3, answered_at = case when $3 = 'active' then $4::timestamptz else answered_at end
   where account_id = $1 and id = $2 and array_position(${ORDER}, state) < array_position(${ORDER}, $3) returning id`;

/** Whether it went forward; a call that is further already stays where it is. */
export async function advanceCall(
  { db }: Work,
  actor: Actor,
  id: number,
  to: Exclude<CallState, 'completed'>,
  at = databaseNow(),
): Promise<boolean> {
  return (await query(db, ADVANCE, [actor.account.id, id, to, at])).length > 0;
}

const ANSWER_EARLIER = sql('calls/calls.answer_earlier')`
  update calls set answered_at = $3 where account_id = $1 and id = $2 and answered_at > $3`;

/** Of several times at which a call is said to have been answered, the earliest counts. */
export const answerEarlier = ({ db }: Work, actor: Actor, id: number, at: Date) =>
  query(db, ANSWER_EARLIER, [actor.account.id, id, at]);

/** `voicemail`: over, and it was a machine that had answered. `passedOn`: over for us alone. */
export type Ending = {
  cause: Cause | 'voicemail';
  at: Date;
  answeredAt?: Date;
  machine?: boolean;
  lineLost?: boolean;
  passedOn?: boolean;
};

// A machine's answer is what the agent says it is; where there is no agent, what the carrier took it for.
const COMPLETE = sql('calls/calls.complete')`
  update calls set state = 'completed',
    answered_at = case when $3 in ('over', 'voicemail') then coalesce(answered_at, $5, $4) end,
         ended_at = greatest($4::timestamptz, answered_at, $5, started_at),
         disposition = case when $3 <> 'over' then $3 when voicemail or (direction = 'automated' and $6)
           then 'voicemail' else 'normal' end,
         ended_by = coalesce(ended_by, $7), digits = null
   where account_id = $1 and id = $2 and state <> 'completed' returning id`;

/** Ends a call, once. Only one that was answered has a duration. */
export async function completeCall(
  { db }: Work,
  actor: Actor,
  id: number,
  { cause, at, answeredAt, machine = false, lineLost = false }: Ending,
): Promise<boolean> {
  // Whoever wanted it to end has said so before.
  const by: Ender = lineLost || cause === 'failed' ? 'line' : 'other';
  const values = [actor.account.id, id, cause, at, answeredAt ?? null, machine, by];
  return (await query(db, COMPLETE, values)).length > 0;
}

const LINK = sql('calls/calls.link')`
  update calls set event_id = $3 where account_id = $1 and id = $2`;

/** Names the outcome a call led to. */
export async function linkCall({ db }: Work, actor: Actor, id: number, eventId: number): Promise<void> {
  await query(db, LINK, [actor.account.id, id, eventId]);
}

type CallRow = Omit<Call, 'location' | 'caller_id' | 'lead' | 'list' | 'recordings' | 'started_at'> & {
  caller_number: string | null;
  caller_name: string | null;
  list_id: number | null;
  started_at: Date;
  audible: { id: number; started_at: string }[] | null;
};

/** Whole seconds; null for what was not answered. */
export const secondsOf = (call: string): string =>
  `floor(extract(epoch from ${call}.ended_at - ${call}.answered_at))::int`;

/**
 * One's own calls, those that were for one, and those of the lists one works and the leads one holds, unless these are deleted; all where
 * there is no bound. The lead is looked up as a value, not by `exists`, for which all leads that one holds might be walked over.
 */
export const seesCall = (call: string, bound: string): string =>
  `(${bound} is null or ${call}.user_id = ${bound} or ${call}.offered_to = ${bound}
     or (${call}.list_id not in ${DELETED_LISTS} and (${worksList(call, 'list_id', bound)}
       or (select held.claimed_by = ${bound} from leads held
            where held.account_id = ${call}.account_id and held.id = ${call}.lead_id))))`;

/** A call whose lead is deleted tells of none, and so of no outcome. $1 account, $2 whose lists and leads bound what is seen, $3 whose own calls alone may be heard; null for all. */
const CALLS = `
  select c.id, coalesce(u.email, h.email, '') as user_email, c.destination_number,
         coalesce(${secondsOf('c')}, 0) as duration, c.started_at, c.caller_number, c.caller_name,
         c.direction, c.disposition, c.state, l.id as lead_id,
         case when l.id is not null then c.event_id end as event_id, l.list_id,
         (select json_agg(json_build_object('id', r.id, 'started_at', r.started_at) order by r.id) from recordings r
           where r.account_id = c.account_id and r.call_id = c.id and r.ready_at is not null and r.removed_at is null
             and ($3::bigint is null or c.user_id = $3::bigint)) as audible
    from calls c
    left join leads l on l.account_id = c.account_id and l.id = c.lead_id and l.list_id not in ${DELETED_LISTS}
    left join users u on u.account_id = c.account_id and u.id = c.user_id
    left join users h on h.account_id = l.account_id and h.id = l.claimed_by
   where c.account_id = $1
     and ${seesCall('c', '$2::bigint')}`;

/** What everyone who asks for calls may see and hear of them: the first values of `CALLS`. */
const visible = (actor: Actor) => [actor.account.id, boundOf(actor, 'calls.read'), boundOf(actor, 'recordings.hear')];

const READ = sql('calls/calls.read')`${CALLS} and c.id = $4`;

export async function readCall(reading: Reading, actor: Actor, id: number | undefined): Promise<Call> {
  const row = await one<CallRow>(reading.db, READ, [...visible(actor), id ?? 0]);
  return toCall(reading, actor, row);
}

const READ_SOME = sql('calls/calls.read_some')`${CALLS} and c.id = any ($4::bigint[]) order by c.id`;

/** Calls of which it is known already that the actor may see them. */
export async function readCalls(reading: Reading, actor: Actor, ids: number[]): Promise<Call[]> {
  const [account, , heard] = visible(actor);
  const rows = await query<CallRow>(reading.db, READ_SOME, [account, null, heard, ids]);
  return rows.map((row) => toCall(reading, actor, row));
}

// Clients keep a link for a while; a page asks again whenever someone wants to listen.
const LINK_LASTS = { api: 7 * 86_400, app: 300, service: 300 };

function toCall({ secrets }: Pick<Reading, 'secrets'>, { account, via }: Actor, row: CallRow): Call {
  const { caller_number, caller_name, list_id, started_at, audible, ...call } = row;
  return {
    ...call,
    location: `/api/v2/calls/${row.id}`,
    started_at: started_at.toISOString(),
    caller_id: { number: caller_number, name: caller_name },
    lead: row.lead_id === null ? null : `/api/v2/leads/${row.lead_id}`,
    list: list_id === null ? null : `/api/v2/lists/${list_id}`,
    recordings: (audible ?? []).map((recording) => ({
      started_at: new Date(recording.started_at).toISOString(),
      url: linkToRecording(secrets, account.baseUrl, recording.id, LINK_LASTS[via]),
    })),
  };
}
