import type { Became, Call, Direction, Ender, Line, LineCall } from '../../contract/calls.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict, isUniqueViolation } from '../platform/errors.ts';
import { writePhone } from '../platform/phones.ts';
import type { Reading, Work } from '../platform/work.ts';
import { holdQuietly } from '../leads/holds.ts';
import { talksIn } from '../leads/tries.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import { advanceCall, readCall, readCalls } from './calls.ts';
import { giveToColleague } from './hand-over.ts';
import { inCall, takesPartIn, talksOn } from './in-call.ts';

/** What is on an agent's line: the call they are in, and those that ring. */

/** Who has the lead open or claims it is rung first, this long, if they are there and free. */
const OWN_FIRST = `interval '10 seconds'`;
const HERE = `interval '5 minutes'`;
/** So long it is told what became of a call that was passed on. */
const NEWS = `interval '15 seconds'`;

const inNoCall = (user: string) =>
  `not exists (select from calls own where own.account_id = c.account_id and ${talksOn('own', user)})`;

/**
 * Whether a call, `c`, rings at a user's: one that is for them, or one that came in, first at theirs who hold or claim the lead, then at everyone's who works the list and is free. A caller whom
 * nobody knows rings at all agents of the list whose number was called, or else of the account.
 */
const ringsAt = (user: string) => `
  (c.direction = 'inbound' or c.offered_to is not null) and c.state <> 'completed' and c.taken_at is null and c.hang_up_at is null
    and ${user} <> all (c.declined_by)
  and ${inNoCall(user)}
  and exists (select from users a
    where a.account_id = c.account_id and a.id = ${user} and a.disabled_at is null and (a.agent or a.owner)
      and a.away_since is null)
  and case
    when c.offered_to is not null then c.offered_to = ${user}
    when exists (
      select from leads l
        join users h on h.account_id = l.account_id and h.disabled_at is null and (h.agent or h.owner)
         and h.away_since is null
         and h.id = case when l.held_until > now() then coalesce(l.held_by, l.claimed_by) else l.claimed_by end
       where l.account_id = c.account_id and l.id = c.lead_id and h.id <> ${user} and h.id <> all (c.declined_by)
         and c.rang_at > now() - ${OWN_FIRST} and ${inNoCall('h.id')}
         and (h.page_seen_at between now() - ${HERE} and now() + ${HERE}
           or exists (select from sessions s
             where s.account_id = h.account_id and s.user_id = h.id and s.seen_at between now() - ${HERE}
             and now() + ${HERE}))
    ) then false
    when c.lead_id is not null then exists (
      select from leads l where l.account_id = c.account_id and l.id = c.lead_id
         and (l.claimed_by = ${user} or (l.held_by = ${user} and l.held_until > now()) or exists (
           select from list_people p where p.account_id = l.account_id and p.list_id = l.list_id
             and p.user_id = ${user})))
    when exists (select from lists li where li.account_id = c.account_id and li.caller_number = c.destination_number
      and li.deleted_at is null)
      then exists (
      select from lists li join list_people p on p.account_id = li.account_id and p.list_id = li.id
       where li.account_id = c.account_id and li.caller_number = c.destination_number and li.deleted_at is null
         and p.user_id = ${user})
    else true
  end`;

/** To whom the call `c` is being passed on: who is asked before they get it, and a colleague anyway, while it waits. */
const PASSING = `
  select k.id, k.state, k.answered_at, k.asked from calls k
   where k.account_id = c.account_id and k.transfer_of = c.id and (k.asked or k.offered_to is not null)
     and k.state <> 'completed'`;

/** Whether the call `c` is only about to be passed on, and whoever does so talks to the colleague first. */
const ASKS = `c.direction = 'transfer' and c.asked and c.handed_over_at is null`;

/** Ids of the call someone is in and of those that ring at theirs. */
export const lineOf = (account: string, user: string) => `
  select c.id, c.state, c.recorded, c.answered_at, c.recording_paused, (${talksOn('c', user)}) as own,
         case when c.user_id = ${user} then c.on_hold else c.on_hold_by_other end or passing.id is not null as on_hold,
         case when c.user_id = ${user} then c.on_hold_by_other else c.on_hold end as on_hold_by_other,
         ${ASKS} as asks, passing.id as passing, case when passing.asked then passing.id end as consulted,
         passing.state as passing_state, passing.answered_at as consulted_at
    from calls c left join lateral (${PASSING}) passing on true
   where c.account_id = ${account} and c.state <> 'completed' and ((${talksOn('c', user)}) or (${ringsAt(user)}))
   order by c.id`;

/** The call before, while its lead is open before whoever made it and waits for its outcome. One that goes on with others has left them free. */
const wrappingUp = (account: string, user: string) => `
  select c.id, c.ended_by from leads l
   cross join lateral (
     select k.id, k.state, k.event_id, k.ended_at, k.ended_by from calls k
      where k.account_id = l.account_id and k.lead_id = l.id and k.user_id = ${user} and ${talksIn('k', user)}
      order by k.id desc limit 1) c
   where l.account_id = ${account} and l.held_by = ${user} and l.held_until > now()
     and l.list_id not in ${DELETED_LISTS}
     and c.state = 'completed' and c.event_id is null and c.ended_at > now() - interval '1 hour'
     and not exists (
       select from calls t where t.account_id = l.account_id and t.transfer_of = c.id and t.state <> 'completed')
   order by c.id desc limit 1`;

/** What someone does, of whom the row is named. */
export const doingOf = (u: string) => `
  case (select max(array_position(array['initiated', 'calling', 'active'], own.state)) from calls own
         where own.account_id = ${u}.account_id and ${talksOn('own', `${u}.id`)})
    when 3 then 'on_call' when 1 then 'calling' when 2 then 'calling'
    else case when exists (${wrappingUp(`${u}.account_id`, `${u}.id`)}) then 'wrapping_up'
              when ${u}.away_since is not null then 'away' else 'ready' end
  end`;

/** What became of the last call of someone's that they passed on to a colleague; what they took back themselves is no news. */
const PASSED_ON = `
  select t.id, case
           when t.user_id = t.offered_to and (o.state = 'completed' or t.state <> 'completed') then 'taken'
           when t.state = 'active' then 'asked'
           when t.state <> 'completed' then 'ringing'
           when t.answered_at is not null then 'hung_up'
           when t.ended_by = 'other' then 'declined'
           else 'not_answered' end as became
    from (select k.account_id, k.id, k.state from calls k
           where k.account_id = u.account_id and k.user_id = u.id and ${talksIn('k', 'u.id')}
           order by k.started_at desc, k.id desc limit 1) o
   cross join lateral (
     select k.id, k.state, k.user_id, k.offered_to, k.answered_at, k.taken_at, k.handed_over_at, k.ended_at, k.ended_by
       from calls k
      where k.account_id = o.account_id and k.transfer_of = o.id and k.offered_to is not null
      order by k.id desc limit 1) t
   where case when t.user_id = t.offered_to and t.handed_over_at is not null
           then greatest(t.handed_over_at, t.taken_at) > now() - ${NEWS}
           else o.state <> 'completed' and t.ended_by is distinct from 'agent'
             and (t.state <> 'completed' or t.ended_at > now() - ${NEWS}) end`;

const LINE = sql('calls/line.line')`
  select u.away_reason, u.away_since, a.away_reasons, c.id, c.own, c.recorded, c.answered_at, c.ended_by,
         c.recording_paused, c.on_hold, c.on_hold_by_other, c.asks, c.consulted, c.consulted_at, p.id as passed, p.became
    from users u join accounts a on a.id = u.account_id
    left join lateral (
      (select id, coalesce(own, false) as own, recorded, answered_at, null as ended_by, recording_paused, on_hold,
              on_hold_by_other, asks, consulted, consulted_at
         from (${lineOf('u.account_id', 'u.id')}) going)
      union all
      (select id, null, false, null, ended_by, false, false, false, false, null, null
         from (${wrappingUp('u.account_id', 'u.id')}) over)) c on true
    left join lateral (${PASSED_ON}) p on true
   where u.account_id = $1 and u.id = $2::bigint`;

type LineRow = {
  away_reason: string | null;
  away_since: Date | null;
  away_reasons: string[];
  id: number | null;
  /** Null of the call before. */
  own: boolean | null;
  recorded: boolean | null;
  answered_at: Date | null;
  ended_by: Ender | null;
  recording_paused: boolean | null;
  on_hold: boolean | null;
  on_hold_by_other: boolean | null;
  asks: boolean | null;
  consulted: number | null;
  consulted_at: Date | null;
  passed: number | null;
  became: Became | null;
};

export async function readLine(reading: Reading, actor: Actor): Promise<Line> {
  const rows = await query<LineRow>(reading.db, LINE, [actor.account.id, actor.user?.id ?? 0]);
  const calls = await readCalls(
    reading,
    actor,
    rows.flatMap(({ id, consulted, passed }) => [id ?? [], consulted ?? [], passed ?? []].flat()),
  );
  const told = (id: number | null, ended_by: Ender | null, asks = false): LineCall[] => {
    const call = calls.find((read) => read.id === id);
    return call ? [{ ...call, number: otherEnd(actor, call), ended_by, asks }] : [];
  };
  const find = (is: (row: LineRow) => boolean): LineCall[] =>
    rows.filter(is).flatMap(({ id, ended_by, asks }) => told(id, ended_by, asks ?? false));
  const own = rows.find((row) => row.own);
  const [call = null] = find((row) => row === own);
  const [consulted] = told(own?.consulted ?? null, null);
  const [{ passed, became } = { passed: null, became: null }] = rows;
  const [passedOn] = told(passed, null);
  const [before = null] = find(({ own: is }) => is === null);
  const [{ away_reason, away_since, away_reasons } = { away_reason: null, away_since: null, away_reasons: [] }] = rows;
  return {
    call,
    recorded: own?.recorded ?? false,
    recording_paused: own?.recording_paused ?? false,
    connected_at: own?.answered_at?.toISOString() ?? null,
    // Every line there is carries sound, and so do calls between colleagues.
    sound: call !== null,
    on_hold: own?.on_hold ?? false,
    on_hold_by_other: own?.on_hold_by_other ?? false,
    consultation: consulted ? { ...consulted, connected_at: own?.consulted_at?.toISOString() ?? null } : null,
    passed_on: passedOn && became ? { ...passedOn, became } : null,
    ringing: find(({ own: is }) => is === false),
    wrapping_up: call ? null : before,
    away: away_reason !== null && away_since ? { reason: away_reason, since: away_since.toISOString() } : null,
    away_reasons,
  };
}

/** The number at the other end, as one writes it; a colleague's address where it is they who call. */
function otherEnd({ user }: Actor, { direction, caller_id, destination_number }: Call): string {
  const isForOne = direction === 'inbound' || destination_number === user?.email;
  const number = (isForOne ? (caller_id.number ?? caller_id.name) : destination_number) ?? '';
  return writePhone(number)?.number ?? number;
}

const RINGING = sql('calls/line.ringing')`
  select c.id, c.lead_id, c.direction, ${ASKS} as asks from calls c
  where c.account_id = $1 and c.id = $2 and ${ringsAt('$3::bigint')} for no key update`;
const TAKE = sql('calls/line.take')`
  update calls set user_id = case when offered_to is null then $3 else user_id end, taken_at = now()
   where account_id = $1 and id = $2`;

type Ringing = { id: number; lead_id: number | null; direction: Direction; asks: boolean | null };

async function findRinging(work: Work, actor: Actor, id: number | undefined) {
  const values = [actor.account.id, id ?? 0, actor.user?.id ?? 0];
  const [call] = await query<Ringing>(work.db, RINGING, values);
  if (call) return call;
  await readCall(work, actor, id);
  throw conflict('not_ringing', 'This call does not ring at yours any more.');
}

/** The first who answers has it, and its lead open before them. */
export async function answerCall(work: Work, actor: Actor, id: number | undefined): Promise<number> {
  const call = await findRinging(work, actor, id);
  try {
    await query(work.db, TAKE, [actor.account.id, call.id, actor.user!.id]);
    if (call.direction === 'transfer' && !call.asks) await giveToColleague(work, actor, call.id);
  } catch (error) {
    throw isUniqueViolation(error) ? inCall() : error;
  }
  if (call.lead_id !== null && call.direction !== 'transfer') await holdQuietly(work, actor, call.lead_id);
  // Between colleagues there is no line that would have to connect them.
  if (call.direction !== 'inbound') await advanceCall(work, actor, call.id, 'active');
  work.nudge('line');
  return call.id;
}

const DECLINE = sql('calls/line.decline')`
  update calls set declined_by = declined_by || $3::bigint,
         hang_up_at = case when offered_to is not null then now() end,
         ended_by = case when offered_to is not null then 'other' end
   where account_id = $1 and id = $2`;

/** Rings at the others' from now on. */
export async function declineCall(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  const call = await findRinging(work, actor, id);
  await query(work.db, DECLINE, [actor.account.id, call.id, actor.user!.id]);
  work.nudge('line');
}

const HANG_UP = sql('calls/line.hang_up')`
  update calls set hang_up_at = coalesce(hang_up_at, now()), voicemail = voicemail or ($4 and state = 'active'),
         ended_by = coalesce(ended_by, case when user_id = $3 then 'agent' else 'other' end)
   where account_id = $1 and id = $2 and state <> 'completed' and ${takesPartIn('calls', '$3')}`;

/** Ends a call; as voicemail, where a machine had answered. Nothing where it is over. */
export async function hangUp(work: Work, actor: Actor, id: number, voicemail: boolean): Promise<void> {
  await query(work.db, HANG_UP, [actor.account.id, id, actor.user?.id ?? 0, voicemail]);
  work.nudge('line');
}

const FIND_OWN = sql('calls/line.find_own')`
  select id from calls where account_id = $1 and id = $2 and ${takesPartIn('calls', '$3')}`;

/** A call that one makes or has answered; 404 for all others. */
export async function findOwnCall({ db }: Pick<Reading, 'db'>, actor: Actor, id: number | undefined): Promise<number> {
  const call = await one<{ id: number }>(db, FIND_OWN, [actor.account.id, id ?? 0, actor.user?.id ?? 0]);
  return call.id;
}

const STANDING = sql('calls/line.standing')`
  select state from calls where account_id = $1 and id = $2 and ${takesPartIn('calls', '$3::bigint')}
     and ${talksIn('calls', '$3')}`;

/** Why someone is not to be heard in a call; undefined where they are. */
export async function whyNotIn({ db }: Pick<Reading, 'db'>, actor: Actor, id: number): Promise<string | undefined> {
  const [call] = await query<{ state: string }>(db, STANDING, [actor.account.id, id, actor.user!.id]);
  if (!call) return 'This call is not yours.';
  return call.state === 'completed' ? 'This call is over.' : undefined;
}

const SEE_PAGE = sql('calls/line.see_page')`
  update calls set page_seen_at = now() where account_id = $1 and user_id = $2 and state <> 'completed'`;

/** The page of someone in a call has answered. From now on, when it does not any more, their call ends. */
export async function seePage({ db }: Pick<Reading, 'db'>, actor: Actor): Promise<void> {
  await query(db, SEE_PAGE, [actor.account.id, actor.user!.id]);
}
