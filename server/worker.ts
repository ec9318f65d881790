import { PAST_ACTS } from './bulk/bulk.ts';
import { giveBulkTurns } from './bulk/turns.ts';
import { dropStaged } from './imports/past.ts';
import { giveImportTurns } from './imports/turns.ts';
import { PAST_REPORTS } from './calls/reports.ts';
import { startSwitchboard, type Switchboard } from './calls/switchboard.ts';
import { tellOfCall } from './calls/tell.ts';
import { pullCalls } from './calls/wishes.ts';
import type { Config } from './config.ts';
import { PAST_EXPORTS } from './exports/exports.ts';
import { fillDemoJob } from './demo/demo.ts';
import { lapseClaims } from './leads/claims.ts';
import { removePastLeads } from './leads/remove.ts';
import { startRemovals } from './lists/deleted.ts';
import { giveListTurns } from './leads/list-jobs.ts';
import { PAST_JOBS } from './lists/jobs.ts';
import { giveMailTurns, PAST_MAILS, pullMails } from './mails/mails.ts';
import type { Db } from './platform/db.ts';
import type { Job } from './platform/jobs.ts';
import { createPostOut } from './platform/http-out.ts';
import type { Log } from './platform/log.ts';
import { isDatabaseAway } from './platform/errors.ts';
import { forgetSilentNodes, type Node, type Role } from './platform/nodes.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Nudged, Transact } from './platform/work.ts';
import { PAST_TOLD } from './leads/deleted.ts';
import { PAST_HOLDS, pullHolds } from './leads/holds.ts';
import type { Incoming } from './recordings/incoming.ts';
import { measureStored } from './recordings/peaks.ts';
import { removeOldRecordings } from './recordings/recordings.ts';
import { reasonOf, startStoring } from './recordings/storing.ts';
import type { Store } from './recordings/store.ts';
import { openEmbedded } from './telephony/media/embedded/engine.ts';
import type { Heard, MediaSettings } from './telephony/media/media.ts';
import { CARRIERS, type CarrierName } from './telephony/open.ts';
import { PAST_KEYS } from './people/keys/keys.ts';
import { PAST_SESSIONS } from './people/sessions/sessions.ts';
import { PAST_LINKS } from './people/users/mailed-tokens.ts';
import { endSilentPresences } from './people/users/presence.ts';
import { giveResetTurns, PAST_REQUESTS } from './people/users/resets.ts';
import { PAST_ANSWERS } from './platform/idempotency.ts';
import { PAST_COUNTS } from './platform/limits.ts';
import { sqlFor } from './platform/sql.ts';
import { sweep, sweepSql, type Sweep } from './platform/sweep.ts';
import type { Turns } from './platform/turns.ts';
import { PAST_DELIVERIES, tidyDeliveries } from './webhooks/deliveries.ts';
import { startDispatcher } from './webhooks/dispatcher.ts';
import { allowedBy, nameRefused } from './webhooks/targets.ts';
import { PAST_WEBHOOKS } from './webhooks/webhooks.ts';

type Means = { db: Db; secrets: Secrets; transact: Transact; config: Config; store: Store };
type JobMeans = Means & { incoming: string; log: Log };

/** All jobs and schedules, listed. */
export const listJobs = ({ db, secrets, transact, config, store, incoming, log }: JobMeans): Job[] => [
  fillDemoJob({ db, secrets, transact, incoming }, config, log),
  { name: 'drop-import-files', every: '5 * * * *', run: () => dropStaged(db, transact) },
  { name: 'forget-silent-nodes', every: '17 * * * *', run: () => forgetSilentNodes(db) },
  { name: 'lapse-claims', every: '7 * * * *', run: () => lapseClaims({ db, secrets }, transact) },
  { name: 'measure-recordings', every: '37 * * * *', run: () => measureStored(db, store) },
  { name: 'remove-deleted-leads', every: '57 * * * *', run: () => removePastLeads(transact) },
  { name: 'remove-deleted-lists', every: '57 * * * *', run: () => startRemovals(transact) },
  { name: 'remove-old-recordings', every: '27 * * * *', run: () => removeOldRecordings(db, store) },
  { name: 'sweep', every: '47 * * * *', run: () => sweep(db, PAST.map(SWEEP)) },
];

/** Now done in turns: docs/decisions/0013. */
export const FORMER_JOBS = ['bulk-act', 'mail-reset', 'resume-bulk-acts', 'send-mail'];

/** What has had its time, as each noun says of its own rows. */
const PAST: Sweep[] = [
  PAST_MAILS,
  PAST_REQUESTS,
  PAST_LINKS,
  PAST_SESSIONS,
  PAST_KEYS,
  PAST_ANSWERS,
  PAST_DELIVERIES,
  PAST_REPORTS,
  ...PAST_ACTS,
  PAST_EXPORTS,
  PAST_JOBS,
  PAST_WEBHOOKS,
  PAST_HOLDS,
  PAST_COUNTS,
  PAST_TOLD,
];

const SWEEP = sqlFor(
  'worker.sweep',
  sweepSql,
  PAST.map((past) => [past]),
);

/** What accounts and people wait for in turns: docs/decisions/0013. */
export function giveTurns({ config, ...means }: Omit<Means, 'store'> & { log: Log }) {
  const turns: { [what in Exclude<Nudged, 'line'>]?: Turns | undefined } = {
    bulk: giveBulkTurns(means),
    imports: giveImportTurns(means),
    lists: giveListTurns(means),
    mails: giveMailTurns({ ...means, mail: config.mail }),
    resets: giveResetTurns(means),
  };
  return {
    nudge: (what: Exclude<Nudged, 'line'>) => turns[what]?.nudge(),
    stop: () => Promise.all(Object.values(turns).map(async (one) => one?.stop())),
  };
}

const TIDY_MS = 60_000;

/**
 * Once a minute, on every node: what a clock that was set back left far ahead is put where it would be put now, so that nothing waits for the
 * clock to come there again. By a timer: the schedule of jobs waits for that clock itself.
 */
export function startTidying({ db, log }: { db: Db; log: Log }): () => Promise<void> {
  const tidy = async () => {
    for (const one of [pullCalls, pullHolds, pullMails, endSilentPresences, tidyDeliveries])
      await one(db).catch((error: unknown) => {
        if (!isDatabaseAway(error)) log.error({ err: error }, 'What a clock left behind could not be tidied');
      });
  };
  const timer = setInterval(tidy, TIDY_MS);
  void tidy();
  return async () => clearInterval(timer);
}

/** Brings webhooks to their subscribers until it is told to stop. */
export function startDeliveries({
  db,
  secrets,
  config,
  log,
  node,
}: Omit<Means, 'transact' | 'store'> & { log: Log; node: Node }): () => Promise<void> {
  const out = createPostOut();
  const allowedFor = allowedBy(config);
  nameRefused(db, allowedFor, log).catch((error: unknown) => log.debug({ err: error }, 'Targets were not looked at'));
  const dispatcher = startDispatcher({ db, secrets, post: out.post, allowedFor, log, node });
  return async () => {
    await dispatcher.stop().finally(() => out.close());
  };
}

type LineMeans = Pick<Means, 'db' | 'transact' | 'store'> & {
  role: Role;
  log: Log;
  node: Node;
  carrier: CarrierName;
  media: MediaSettings;
  incoming: Incoming;
};

/**
 * Looks after the telephone line, as long as no other node does, and stores what was recorded here. A worker only stores: browsers send their
 * sound to whoever holds the line, and nobody opens ports to a machine that answers no requests.
 */
export function startLine({ role, carrier, media, incoming, store, ...means }: LineMeans): Switchboard {
  const { log } = means;
  const { name, open } = CARRIERS[carrier];
  const site = {
    folder: incoming.path,
    fail: (error: unknown) => {
      log.error({ err: error }, 'A call could not be recorded');
      return reasonOf(error);
    },
  };
  const storing = startStoring({ ...means, store, incoming, carrier: name, ready: tellOfCall });
  if (role === 'work') return { nudge: () => {}, isHolder: () => false, stop: () => storing.stop() };
  const openMedia = (hear: (heard: Heard) => void) => openEmbedded(media, hear);
  const line = startSwitchboard({ ...means, openCarrier: open(site), openMedia });
  return {
    nudge: line.nudge,
    isHolder: line.isHolder,
    // The line first: what ends with it has recordings, too.
    stop: () => line.stop().finally(() => storing.stop()),
  };
}
