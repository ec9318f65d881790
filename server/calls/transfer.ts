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
  select c.lead_id, l.list_id from calls c left join leads l on l.account_id = c.account_id and l.id = c.lead_id
   where c.account_id = $1 and c.id = $2 and c.state = 'active' and c.hang_up_at is null`;

/** Passes a call on to another number: that one is called, and when it answers, the two are connected and the agent is free. */
export async function transferCall(work: Work, actor: Actor, id: number, number: string): Promise<number> {
  const [call] = await query<{ lead_id: number | null; list_id: number | null }>(work.db, ACTIVE, [
    actor.account.id,
    id,
  ]);
  if (!call) throw conflict('not_active', 'Only a call that is going on can be passed on.');
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
    recorded: manners.record_calls,
    transferOf: id,
    ...(actor.user && { userId: actor.user.id }),
    ...(call.lead_id !== null && { leadId: call.lead_id }),
  });
  return begun.catch((error: unknown) => {
    throw isUniqueViolation(error) ? conflict('transferring', 'This call is being passed on already.') : error;
  });
}

const END = sql('calls/transfer.end')`
  update calls set hang_up_at = coalesce(hang_up_at, now())
   where account_id = $1 and transfer_of = $2 and state in ('initiated', 'calling')`;

/** Nobody is left to be connected with whom it was to be passed on to. */
export async function endTransfer(work: Work, actor: Actor, id: number): Promise<void> {
  await query(work.db, END, [actor.account.id, id]);
}
