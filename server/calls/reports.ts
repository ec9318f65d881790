import { findAccountById } from '../people/accounts/find.ts';
import { serviceActor, type Actor } from '../platform/actor.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Transact, Work } from '../platform/work.ts';
import { noteLost, noteRecording } from '../recordings/recordings.ts';
import type { Report } from '../telephony/carrier.ts';
import { noteTextReport, receiveText } from '../texts/texts.ts';
import { advanceCall, answerEarlier, completeCall, type Ending } from './calls.ts';
import { missCall, receiveCall } from './inbound.ts';
import { endTransfer } from './transfer.ts';
import { tellOfCall } from './tell.ts';
import type { Sweep } from '../platform/sweep.ts';

/** What a carrier reports is stored as it is, then applied, in one transaction. */

// One report of a call or text after the other, also those that come before we know what they are about.
const LOCK = sql('calls/reports.lock')`select pg_advisory_xact_lock(hashtextextended($1 || $2, 0))`;

const STORE = sql('calls/reports.store')`
  insert into carrier_reports (account_id, carrier, subject, key, report) values ($1, $2, $3, $4, $5)
   on conflict do nothing returning id`;

type Means = { db: Db; transact: Transact };

const KNOWN = sql('calls/reports.known')`
  select id from carrier_reports where carrier = $1 and subject = $2 and key = $3`;

/** What was reported before changes nothing. */
export async function takeReport({ db, transact }: Means, carrier: string, report: Report): Promise<void> {
  const { accountId, subject, key } = report;
  // Carriers repeat themselves a lot; most of it needs no transaction.
  if ((await query(db, KNOWN, [carrier, subject, key])).length > 0) return;
  await transact(async (work) => {
    const [, stored] = await Promise.all([
      query(work.db, LOCK, [carrier, subject]),
      query(work.db, STORE, [accountId, carrier, subject, key, JSON.stringify(report)]),
    ]);
    if (stored.length > 0) await apply(work, carrier, report);
  });
}

/** The carrier has said under which id it knows a call or text; it may have reported on it already. */
export const learnId = (transact: Transact, carrier: string, subject: string, name: (work: Work) => Promise<unknown>) =>
  transact(async (work) => {
    await query(work.db, LOCK, [carrier, subject]);
    await name(work);
    await applyStored(work, carrier, subject);
  });

const STORED = sql('calls/reports.stored')`
  select report from carrier_reports where carrier = $1 and subject = $2 and report ->> 'kind' <> 'came_in'
   order by id`;

async function applyStored(work: Work, carrier: string, subject: string): Promise<void> {
  const rows = await query<{ report: Report }>(work.db, STORED, [carrier, subject]);
  for (const { report } of rows) await apply(work, carrier, revive(report));
}

/** Times are text where they were kept as JSON. */
function revive(report: Report): Report {
  const at = new Date(report.at);
  if (report.kind !== 'ended' || !report.answeredAt) return { ...report, at };
  return { ...report, at, answeredAt: new Date(report.answeredAt) };
}

const FIND = sql('calls/reports.find')`select id from calls where carrier = $1 and carrier_call_id = $2`;

const NOT_RECORDED = sql('calls/reports.not_recorded')`
  update calls set recorded = false where account_id = $1 and id = $2`;

async function apply(work: Work, carrier: string, report: Report): Promise<void> {
  const account = (await findAccountById(work, report.accountId))!;
  const actor = serviceActor(account, carrier);
  if (report.kind === 'came_in') {
    await receiveCall(work, actor, carrier, report);
    return applyStored(work, carrier, report.subject);
  }
  if (report.kind === 'text_came_in') return receiveText(work, actor, carrier, report);
  if (report.kind === 'text_sent' || report.kind === 'text_delivered' || report.kind === 'text_failed')
    return noteTextReport(work, carrier, report);
  // Early reports wait until the call is known.
  const [call] = await query<{ id: number }>(work.db, FIND, [carrier, report.subject]);
  if (!call) return;
  if (report.kind === 'calling') await advanceCall(work, actor, call.id, 'calling', report.at);
  else if (report.kind === 'answered') {
    const advanced = await advanceCall(work, actor, call.id, 'active', report.at);
    // One that others are to be connected with has answered.
    if (advanced) work.nudge('line');
    else await answerEarlier(work, actor, call.id, report.at);
  } else if (report.kind === 'recorded') await noteRecording(work, account.id, call.id, report);
  else if (report.kind === 'recording_lost') {
    await noteLost(work, account.id, call.id, report);
    await tellOfCall(work, account.id, call.id);
  } else if (report.kind === 'not_recorded') {
    await query(work.db, NOT_RECORDED, [account.id, call.id]);
    await tellOfCall(work, account.id, call.id);
  } else await endCall(work, actor, call.id, report);
}

/** With all that follows from it. */
export async function endCall(work: Work, actor: Actor, id: number, ending: Ending): Promise<void> {
  if (!(await completeCall(work, actor, id, ending))) return;
  await missCall(work, actor, id);
  if (!ending.passedOn) await endTransfer(work, actor, id);
  await tellOfCall(work, actor.account.id, id);
}

export const PAST_REPORTS: Sweep = { table: 'carrier_reports', past: `received_at < now() - interval '30 days'` };
