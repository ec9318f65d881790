import type { Static } from 'typebox';
import type { Transfer } from '../../contract/calls.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict, isUniqueViolation } from '../platform/errors.ts';
import { digitsOf } from '../platform/phones.ts';
import { invalid } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import { advanceCall, startCall } from './calls.ts';
import { giveToColleague } from './hand-over.ts';
import { findTaker } from './takers.ts';
import { keepCeilings } from '../numbers/ceilings.ts';
import { dialable, mannersOf } from '../numbers/numbers.ts';

const ACTIVE = sql('calls/transfer.active')`
  select c.lead_id, l.list_id, c.direction, c.caller_number, c.destination_number, c.user_id = c.offered_to as given
    from calls c left join leads l on l.account_id = c.account_id and l.id = c.lead_id
   where c.account_id = $1 and c.id = $2 and c.state = 'active' and c.hang_up_at is null`;

// Asked again once there is whom it is passed on to: its end, which is written down before this or after it, takes them along.
const GOES_ON = sql('calls/transfer.goes_on')`
  select id from calls where account_id = $1 and id = $2 and state = 'active' and hang_up_at is null for share`;

const notActive = () => conflict('not_active', 'Only a call that is going on can be passed on.');

type Active = {
  lead_id: number | null;
  list_id: number | null;
  direction: string;
  caller_number: string | null;
  destination_number: string;
  /** Whether a colleague has passed it on to whose it is. */
  given: boolean | null;
};

/**
 * Passes a call on to another number or to a colleague: that one is called, and when they answer, the two are connected and the agent is free.
 * `asked`: the agent talks to whoever answers, while the other waits, and hands over then.
 */
export async function transferCall(
  work: Work,
  actor: Actor,
  id: number,
  { number, user_id: userId, asked = false }: Static<typeof Transfer>,
): Promise<number> {
  if (number !== undefined && userId !== undefined) throw invalid({ user_id: ['cannot be given along with number'] });
  const [call] = await query<Active>(work.db, ACTIVE, [actor.account.id, id]);
  if (call?.direction === 'local') throw conflict('local', 'A call between colleagues cannot be passed on.');
  if (!call || (call.direction === 'transfer' && !call.given)) throw notActive();
  const begun =
    userId !== undefined
      ? passToColleague(work, actor, id, call, userId, asked)
      : passToNumber(work, actor, id, call, number, asked);
  const passed = await begun.catch((error: unknown) => {
    throw isUniqueViolation(error) ? conflict('transferring', 'This call is being passed on already.') : error;
  });
  if ((await query(work.db, GOES_ON, [actor.account.id, id])).length === 0) throw notActive();
  return passed;
}

async function passToNumber(
  work: Work,
  actor: Actor,
  id: number,
  call: Active,
  number: string | undefined,
  asked: boolean,
): Promise<number> {
  if (number === undefined) throw invalid({ number: ['must be given, or user_id'] });
  const manners = await mannersOf(work, actor.account.id, call.list_id);
  const destination = dialable(number, manners);
  const countedAs = digitsOf(destination, manners.country);
  await keepCeilings(work, actor, { kind: 'call', number: destination, countedAs });
  work.nudge('line');
  return startCall(work, actor, {
    direction: 'transfer',
    destination,
    countedAs,
    callerId: manners.caller,
    // Whether it is off the record counts when the two are connected.
    recorded: manners.record_calls,
    announced: manners.announce_recording,
    transferOf: id,
    asked,
    ...(actor.user && { userId: actor.user.id }),
    ...(call.lead_id !== null && { leadId: call.lead_id }),
  });
}

/** Rings at the colleague's as a call between colleagues does; no line is needed before they have it. */
async function passToColleague(
  work: Work,
  actor: Actor,
  id: number,
  call: Active,
  userId: number,
  asked: boolean,
): Promise<number> {
  const taker = await findTaker(work, actor, id, userId);
  if (!taker) throw invalid({ user_id: ['names no colleague who works calls'] });
  if (taker.refusal !== null) throw conflict('cannot_take', `${taker.name} ${taker.refusal}.`);
  const isOutbound = call.direction === 'outbound';
  const passed = await startCall(work, actor, {
    direction: 'transfer',
    destination: taker.email,
    // Whom it is about, and who passes them on.
    callerId: { number: isOutbound ? call.destination_number : call.caller_number, name: actor.user!.email },
    offeredTo: taker.id,
    transferOf: id,
    asked,
    userId: actor.user!.id,
    ...(call.lead_id !== null && { leadId: call.lead_id }),
  });
  await advanceCall(work, actor, passed, 'calling');
  work.nudge('line');
  return passed;
}

const HAND_OVER = sql('calls/transfer.hand_over')`
  update calls set handed_over_at = coalesce(handed_over_at, now())
   where account_id = $1 and transfer_of = $2 and asked and state <> 'completed' and hang_up_at is null
  returning id, offered_to is not null and taken_at is not null as answered`;

/** Whoever was asked gets the call, at once or when they answer. */
export async function handOver(work: Work, actor: Actor, id: number): Promise<number> {
  const values = [actor.account.id, id];
  const [call] = await query<{ id: number; answered: boolean | null }>(work.db, HAND_OVER, values);
  if (!call) throw conflict('nobody_asked', 'Nobody is being asked. Call them first.');
  if (call.answered)
    await giveToColleague(work, actor, call.id).catch((error: unknown) => {
      throw isUniqueViolation(error) ? conflict('cannot_take', 'They are in another call by now.') : error;
    });
  work.nudge('line');
  return call.id;
}

const END = sql('calls/transfer.end')`
  update calls set hang_up_at = coalesce(hang_up_at, now())
   where account_id = $1 and transfer_of = $2 and state <> 'completed'`;

/** Nobody is left to be connected with whom it was to be passed on to, also where they have answered. */
export async function endTransfer(work: Work, actor: Actor, id: number): Promise<void> {
  await query(work.db, END, [actor.account.id, id]);
}
