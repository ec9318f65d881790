import { giveOutcome } from '../leads/outcomes.ts';
import { findLeadByNumber } from '../leads/by-number.ts';
import type { Actor } from '../platform/actor.ts';
import { query, settle } from '../platform/db.ts';
import { isNotFound } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import type { Report } from '../telephony/carrier.ts';
import { advanceCall, linkCall, startCall } from './calls.ts';
import { mannersOf } from '../numbers/numbers.ts';

type CameIn = Extract<Report, { kind: 'came_in' }>;

/** Someone calls. It rings at once: to whom, the line tells. */
export async function receiveCall(work: Work, actor: Actor, carrier: string, report: CameIn): Promise<void> {
  const { subject: callId, from, to, at } = report;
  const lead = await findLeadByNumber(work, actor.account.id, from);
  const { caller, record_calls } = await mannersOf(work, actor.account.id, null);
  const id = await startCall(work, actor, {
    direction: 'inbound',
    destination: to ?? caller.number ?? '',
    callerId: { number: from, name: null },
    startedAt: at,
    recorded: record_calls,
    carrier: { name: carrier, callId },
    ...(lead && { leadId: lead.id }),
  });
  await advanceCall(work, actor, id, 'calling', at);
}

const MISSED = `
  select lead_id from calls where account_id = $1 and id = $2 and direction = 'inbound' and answered_at is null
    and lead_id is not null`;

/** Nobody answered a lead's call: it is called back now, whatever became of it before. */
export async function missCall(work: Work, actor: Actor, id: number): Promise<void> {
  const [missed] = await query<{ lead_id: number }>(work.db, MISSED, [actor.account.id, id]);
  if (!missed) return;
  try {
    const given = await giveOutcome(work, actor, missed.lead_id, 'call_back', () => ({ call_back_in: 0 }));
    const event = await settle(work.db, given);
    await linkCall(work, actor, id, event.id);
  } catch (error) {
    // The lead went meanwhile.
    if (!isNotFound(error)) throw error;
  }
}
