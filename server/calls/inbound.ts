import { giveOutcome } from '../leads/outcomes.ts';
import { appointmentOf } from '../leads/tries.ts';
import { findLeadByNumber } from '../leads/by-number.ts';
import type { Actor } from '../platform/actor.ts';
import { query, settle } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
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
  const { caller, record_calls, announce_recording } = await mannersOf(work, actor.account.id, lead?.list_id ?? null);
  const id = await startCall(work, actor, {
    direction: 'inbound',
    destination: to ?? caller.number ?? '',
    callerId: { number: from, name: null },
    startedAt: at,
    recorded: record_calls,
    announced: announce_recording,
    carrier: { name: carrier, callId },
    ...(lead && { leadId: lead.id }),
  });
  await advanceCall(work, actor, id, 'calling', at);
}

const MISSED = sql('calls/inbound.missed')`
  select lead_id from calls where account_id = $1 and id = $2 and direction = 'inbound' and answered_at is null
    and lead_id is not null`;

/** Nobody answered a lead's call: it is called back now, whatever became of it before, unless there is an appointment with it. */
export async function missCall(work: Work, actor: Actor, id: number): Promise<void> {
  const [missed] = await query<{ lead_id: number | null }>(work.db, MISSED, [actor.account.id, id]);
  if (!missed) return;
  try {
    const given = await giveOutcome(work, actor, missed.lead_id!, 'call_back', (lead) => {
      const scheduled_for = appointmentOf(lead)?.toISOString();
      return scheduled_for ? { scheduled_for } : { call_back_in: 0 };
    });
    const event = await settle(work.db, given);
    await linkCall(work, actor, id, event.id);
  } catch (error) {
    // The lead went meanwhile.
    if (!isNotFound(error)) throw error;
  }
}
