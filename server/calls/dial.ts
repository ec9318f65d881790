import type { NewCall } from '../../contract/calls.ts';
import { lockWholeLead, refuseForeignClaim, type WholeLead } from '../leads/access.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { conflict, isNotFound, isUniqueViolation } from '../platform/errors.ts';
import { digitsOf } from '../platform/phones.ts';
import { invalid } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import { holdQuietly, heldByOther } from '../leads/holds.ts';
import { advanceCall, startCall, type NewCall as StartedCall } from './calls.ts';
import { inCall, refuseInCall } from './in-call.ts';
import { keepCeilings } from '../numbers/ceilings.ts';
import { dialable, mannersOf, numberOf } from '../numbers/numbers.ts';

const RIGHT = 'calls.make';

/** Wants a call to a lead or to a number; whoever holds the line makes it. A colleague's rings at once. */
export async function dialCall(work: Work, actor: Actor, given: NewCall): Promise<number> {
  if (given.user_id !== undefined) return ringColleague(work, actor, given.user_id);
  const lead = given.lead_id === undefined ? undefined : await openOwn(work, actor, given.lead_id);
  const number = lead ? numberOf(lead, given) : given.number;
  if (number === undefined) throw invalid({ number: ['must be given, or lead_id'] });
  const manners = await mannersOf(work, actor.account.id, lead?.list_id ?? null);
  // Whoever dials has the lead before them, from wherever they dialled.
  if (lead && actor.user && !given.automated) await holdQuietly(work, actor, lead.id);
  const destination = dialable(number, manners);
  const countedAs = digitsOf(destination, manners.country);
  const kind = given.automated ? 'automated' : 'call';
  await keepCeilings(work, actor, { kind, number: destination, countedAs });
  work.nudge('line');
  return startAlone(work, actor, {
    direction: given.automated ? 'automated' : 'outbound',
    destination,
    countedAs,
    callerId: manners.caller,
    recorded: manners.record_calls,
    announced: manners.announce_recording,
    ...(actor.user && { userId: actor.user.id }),
    ...(lead && { leadId: lead.id }),
  });
}

/** One call an agent at a time. */
async function startAlone(work: Work, actor: Actor, call: StartedCall): Promise<number> {
  if (call.direction !== 'automated') await refuseInCall(work, actor);
  return startCall(work, actor, call).catch((error: unknown) => {
    throw isUniqueViolation(error) ? inCall() : error;
  });
}

const COLLEAGUE = sql('calls/dial.colleague')`
  select id, email, away_reason from users
   where account_id = $1 and id = $2 and id <> $3 and disabled_at is null and accepted_at is not null
     and (agent or owner)`;

async function ringColleague(work: Work, actor: Actor, userId: number): Promise<number> {
  const own = actor.user!;
  const [colleague] = await query<{ id: number; email: string; away_reason: string | null }>(work.db, COLLEAGUE, [
    actor.account.id,
    userId,
    own.id,
  ]);
  if (!colleague) throw invalid({ user_id: ['names no colleague who can be called'] });
  if (colleague.away_reason !== null) throw conflict('away', `${colleague.email} is away: ${colleague.away_reason}.`);
  const call = { direction: 'local', destination: colleague.email, offeredTo: colleague.id, userId: own.id } as const;
  const id = await startAlone(work, actor, { ...call, callerId: { number: null, name: own.email } });
  await advanceCall(work, actor, id, 'calling');
  return id;
}

/** A lead that one may call: visible, not claimed by and not open with somebody else. */
async function openOwn(work: Work, actor: Actor, id: number): Promise<WholeLead> {
  const lead = await openNamed(work, actor, id);
  refuseForeignClaim(actor, lead, RIGHT);
  if (lead.held_by !== null && lead.held_by !== actor.user?.id) throw heldByOther(lead);
  return lead;
}

/** By an id in a body, where one that is not to be seen is a fault of the parameter. */
const openNamed = (work: Work, actor: Actor, id: number): Promise<WholeLead> =>
  lockWholeLead(work, actor, id, RIGHT).catch((error: unknown) => {
    throw isNotFound(error) ? invalid({ lead_id: ['names no lead that you may call'] }) : error;
  });

const ASSIGN = sql('calls/dial.assign')`
  update calls set lead_id = $3 where account_id = $1 and id = $2 and (lead_id is null or lead_id = $3)
   returning id`;

/** Says which lead a call was about. */
export async function assignCall(work: Work, actor: Actor, callId: number, leadId: number): Promise<void> {
  const lead = await openNamed(work, actor, leadId);
  const rows = await query(work.db, ASSIGN, [actor.account.id, callId, lead.id]);
  if (rows.length === 0) throw conflict('call_linked', 'This call belongs to another lead already.');
}
