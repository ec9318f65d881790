import type { Static } from 'typebox';
import type { Direction, Line } from '../../contract/calls.ts';
import type { Actor } from '../platform/actor.ts';
import { notePage } from '../people/users/acting.ts';
import { one, query } from '../platform/db.ts';
import { conflict, isUniqueViolation } from '../platform/errors.ts';
import type { Reading, Work } from '../platform/work.ts';
import { holdQuietly } from '../leads/holds.ts';
import { advanceCall, readCall, readCalls } from './calls.ts';
import { inCall } from './dial.ts';

/** What is on an agent's line: the call they are in, and those that ring. */

/** Who has the lead open or claims it is rung first, this long, if they are there and free. */
const OWN_FIRST = `interval '10 seconds'`;
const HERE = `interval '5 minutes'`;

/** Whoever makes it or answers it. */
const takesPartIn = (call: string, user: string) =>
  `(${call}.user_id = ${user} or (${call}.offered_to = ${user} and ${call}.taken_at is not null))`;

/** Nobody talks on automated calls, nor any more on those that were passed on. */
const talksOn = (call: string, user: string) =>
  `${takesPartIn(call, user)} and ${call}.state <> 'completed' and ${call}.direction not in ('automated', 'transfer')`;
const inNoCall = (user: string) =>
  `not exists (select from calls own where own.account_id = c.account_id and ${talksOn('own', user)})`;

/**
 * Whether a call that came in, `c`, rings at a user's: first at theirs who hold or claim the lead, then at everyone's who works the list and is free. A caller whom
 * nobody knows rings at all agents of the list whose number was called, or else of the account.
 */
const ringsAt = (user: string) => `
  c.direction in ('inbound', 'local') and c.state <> 'completed' and c.taken_at is null and c.hang_up_at is null
    and ${user} <> all (c.declined_by)
  and ${inNoCall(user)}
  and exists (select from users a
    where a.account_id = c.account_id and a.id = ${user} and a.disabled_at is null and (a.agent or a.owner))
  and case
    when c.direction = 'local' then c.offered_to = ${user}
    when exists (
      select from leads l
        join users h on h.account_id = l.account_id and h.disabled_at is null and (h.agent or h.owner)
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
    when exists (select from lists li where li.account_id = c.account_id and li.caller_number = c.destination_number)
      then exists (
      select from lists li join list_people p on p.account_id = li.account_id and p.list_id = li.id
       where li.account_id = c.account_id and li.caller_number = c.destination_number and p.user_id = ${user})
    else true
  end`;

/** Ids of the call someone is in and of those that ring at theirs. */
export const lineOf = (account: string, user: string) => `
  select c.id, c.state, c.recorded, c.answered_at, (${talksOn('c', user)}) as own from calls c
   where c.account_id = ${account} and c.state <> 'completed' and ((${talksOn('c', user)}) or (${ringsAt(user)}))
   order by c.id`;

const LINE = lineOf('$1', '$2::bigint');

export async function readLine(reading: Reading, actor: Actor): Promise<Static<typeof Line>> {
  type Row = { id: number; own: boolean; recorded: boolean; answered_at: Date | null };
  const rows = await query<Row>(reading.db, LINE, [actor.account.id, actor.user?.id ?? 0]);
  const calls = await readCalls(
    reading,
    actor,
    rows.map(({ id }) => id),
  );
  const own = rows.find((row) => row.own);
  const others = new Set(rows.flatMap((row) => (row.own ? [] : [row.id])));
  return {
    call: calls.find(({ id }) => id === own?.id) ?? null,
    recorded: own?.recorded ?? false,
    connected_at: own?.answered_at?.toISOString() ?? null,
    ringing: calls.filter(({ id }) => others.has(id)),
  };
}

const RINGING = `select c.id, c.lead_id, c.direction from calls c
  where c.account_id = $1 and c.id = $2 and ${ringsAt('$3::bigint')} for no key update`;
const TAKE = `
  update calls set user_id = case when direction = 'local' then user_id else $3 end, taken_at = now()
   where account_id = $1 and id = $2`;

async function findRinging(work: Work, actor: Actor, id: number | undefined) {
  const values = [actor.account.id, id ?? 0, actor.user?.id ?? 0];
  const [call] = await query<{ id: number; lead_id: number | null; direction: Direction }>(work.db, RINGING, values);
  if (call) return call;
  await readCall(work, actor, id);
  throw conflict('not_ringing', 'This call does not ring at yours any more.');
}

/** The first who answers has it, and its lead open before them. */
export async function answerCall(work: Work, actor: Actor, id: number | undefined): Promise<number> {
  const call = await findRinging(work, actor, id);
  try {
    await query(work.db, TAKE, [actor.account.id, call.id, actor.user!.id]);
  } catch (error) {
    throw isUniqueViolation(error) ? inCall() : error;
  }
  if (call.lead_id !== null) await holdQuietly(work, actor, call.lead_id);
  // Between colleagues there is no line that would have to connect them.
  if (call.direction === 'local') await advanceCall(work, actor, call.id, 'active');
  work.nudge('line');
  return call.id;
}

/** Rings at the others' from now on. */
export async function declineCall(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  const call = await findRinging(work, actor, id);
  const text = `update calls set declined_by = declined_by || $3::bigint,
    hang_up_at = case when direction = 'local' then now() end
                 where account_id = $1 and id = $2`;
  await query(work.db, text, [actor.account.id, call.id, actor.user!.id]);
  work.nudge('line');
}

const HANG_UP = `
  update calls set hang_up_at = coalesce(hang_up_at, now()), voicemail = voicemail or ($4 and state = 'active')
   where account_id = $1 and id = $2 and state <> 'completed' and ${takesPartIn('calls', '$3')}`;

/** Ends a call; as voicemail, where a machine had answered. Nothing where it is over. */
export async function hangUp(work: Work, actor: Actor, id: number, voicemail: boolean): Promise<void> {
  await query(work.db, HANG_UP, [actor.account.id, id, actor.user?.id ?? 0, voicemail]);
  work.nudge('line');
}

/** A call that one makes or has answered; 404 for all others. */
export async function findOwnCall({ db }: Pick<Reading, 'db'>, actor: Actor, id: number | undefined): Promise<number> {
  const text = `select id from calls where account_id = $1 and id = $2 and ${takesPartIn('calls', '$3')}`;
  const call = await one<{ id: number }>(db, text, [actor.account.id, id ?? 0, actor.user?.id ?? 0]);
  return call.id;
}

/** Someone's page is connected. From now on, when it is not any more, their call ends. */
export async function seePage({ db }: Pick<Reading, 'db'>, actor: Actor, talks: boolean): Promise<void> {
  await notePage({ db }, actor);
  const text = `update calls set page_seen_at = now() where account_id = $1 and user_id = $2 and state <> 'completed'`;
  if (talks) await query(db, text, [actor.account.id, actor.user!.id]);
}
