import type { Static } from 'typebox';
import type { Transfer } from '../../contract/calls.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict, isUniqueViolation } from '../platform/errors.ts';
import { digitsOf } from '../platform/phones.ts';
import type { Work } from '../platform/work.ts';
import { startCall } from './calls.ts';
import { keepCeilings } from '../numbers/ceilings.ts';
import { dialable, mannersOf } from '../numbers/numbers.ts';

const ACTIVE = sql('calls/transfer.active')`
  select c.lead_id, l.list_id, c.direction, c.recording_paused
    from calls c left join leads l on l.account_id = c.account_id and l.id = c.lead_id
   where c.account_id = $1 and c.id = $2 and c.state = 'active' and c.hang_up_at is null`;

/**
 * Passes a call on to another number: that one is called, and when it answers, the two are connected and the agent is free. `asked`: the agent
 * talks to whoever answers, while the other waits, and hands over then.
 */
export async function transferCall(
  work: Work,
  actor: Actor,
  id: number,
  { number, asked = false }: Static<typeof Transfer>,
): Promise<number> {
  type Active = { lead_id: number | null; list_id: number | null; direction: string; recording_paused: boolean };
  const [call] = await query<Active>(work.db, ACTIVE, [actor.account.id, id]);
  if (call?.direction === 'local') throw conflict('local', 'A call between colleagues cannot be passed on.');
  if (!call || call.direction === 'transfer')
    throw conflict('not_active', 'Only a call that is going on can be passed on.');
  const manners = await mannersOf(work, actor.account.id, call.list_id);
  const destination = dialable(number, manners);
  const countedAs = digitsOf(destination, manners.country);
  await keepCeilings(work, actor, { kind: 'call', number: destination, countedAs });
  work.nudge('line');
  const begun = startCall(work, actor, {
    direction: 'transfer',
    destination,
    countedAs,
    callerId: manners.caller,
    // Off the record it is passed on off the record: nobody would be left to say so.
    recorded: manners.record_calls && (asked || !call.recording_paused),
    announced: manners.announce_recording,
    transferOf: id,
    asked,
    ...(actor.user && { userId: actor.user.id }),
    ...(call.lead_id !== null && { leadId: call.lead_id }),
  });
  return begun.catch((error: unknown) => {
    throw isUniqueViolation(error) ? conflict('transferring', 'This call is being passed on already.') : error;
  });
}

const HAND_OVER = sql('calls/transfer.hand_over')`
  update calls set handed_over_at = coalesce(handed_over_at, now())
   where account_id = $1 and transfer_of = $2 and asked and state <> 'completed' and hang_up_at is null returning id`;

/** Whoever was asked gets the call, at once or when they answer. */
export async function handOver(work: Work, actor: Actor, id: number): Promise<number> {
  const [call] = await query<{ id: number }>(work.db, HAND_OVER, [actor.account.id, id]);
  if (!call) throw conflict('nobody_asked', 'Nobody is being asked. Call them first.');
  work.nudge('line');
  return call.id;
}

// Whoever was only asked has nobody to talk to either.
const END = sql('calls/transfer.end')`
  update calls set hang_up_at = coalesce(hang_up_at, now())
   where account_id = $1 and transfer_of = $2
     and (state in ('initiated', 'calling') or state = 'active' and asked and handed_over_at is null)`;

/** Nobody is left to be connected with whom it was to be passed on to. */
export async function endTransfer(work: Work, actor: Actor, id: number): Promise<void> {
  await query(work.db, END, [actor.account.id, id]);
}
