import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recordings } from '../settings.ts';
import { query, type Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { createNudge } from '../platform/nudge.ts';
import type { Reading, Transact, Work } from '../platform/work.ts';
import type { Report } from '../telephony/carrier.ts';
import { measureFile } from './peaks.ts';
import { keyOf, type Store } from './store.ts';

/** Where a recording is finished before it is stored: a rename is enough where both are in one folder. */
export const incomingOf = (recordings: Recordings): string =>
  'folder' in recordings ? join(recordings.folder, 'incoming') : join(tmpdir(), 'leadline-recordings');

type Recorded = Pick<Extract<Report, { kind: 'recorded' }>, 'part' | 'at' | 'file'>;

/** A recording is there, on this machine; it can be fetched when it is stored. */
export async function noteRecording({ db }: Work, accountId: number, callId: number, { part, at, file }: Recorded) {
  await query(
    db,
    `insert into recordings (account_id, call_id, part, started_at, file, host) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [accountId, callId, part, at, file, hostname()],
  );
}

const OF_CALL = `
  select ready_at is not null as stored, removed_at is not null as removed, seconds, peaks from recordings
   where account_id = $1 and call_id = $2 order by id`;

export type KeptRecording = { stored: boolean; removed: boolean; seconds: number | null; peaks: Buffer | null };

/** What there is of a call, and what there was; whoever asks has made sure that it may be known. */
export const listRecordings = ({ db }: Reading, accountId: number, callId: number): Promise<KeptRecording[]> =>
  query<KeptRecording>(db, OF_CALL, [accountId, callId]);

type Waiting = { account_id: number; id: number; call_id: number; file: string };

const WAITING = `
  select account_id, id, call_id, file from recordings where file is not null and host = $1 order by id limit 100`;
const READY = `
  update recordings set file = null, ready_at = now(), seconds = $3, peaks = $4 where account_id = $1 and id = $2 and file is not null`;
const LOST =
  'update recordings set file = null, removed_at = now() where account_id = $1 and id = $2 and file is not null';

const LOCK_CALL = 'select id from calls where account_id = $1 and id = $2 for no key update';

type Means = { db: Db; transact: Transact; store: Store; log: Log; ready: Ready };
/** Is told of each call whose recording can be fetched from now on. */
type Ready = (work: Work, accountId: number, callId: number) => Promise<void>;

/** Puts what waits on this host into the store. False where some could not be. */
export async function storeRecordings({ db, transact, store, log, ready }: Means): Promise<boolean> {
  let well = true;
  for (const waiting of await query<Waiting>(db, WAITING, [hostname()])) {
    const { account_id: accountId, id, call_id: callId } = waiting;
    try {
      const measured = await measureFile(waiting.file);
      const stored = await take(store, waiting);
      if (!stored)
        log.error({ recording: id, file: waiting.file }, 'A recording is not where it should be; it is lost');
      await transact(async (work) => {
        // A call that ends in the same moment sees that its recording is ready, or we see that it has ended.
        await query(work.db, LOCK_CALL, [accountId, callId]);
        if (stored) await query(work.db, READY, [accountId, id, measured?.seconds ?? null, measured?.peaks ?? null]);
        else await query(work.db, LOST, [accountId, id]);
        await ready(work, accountId, callId);
      });
    } catch (error) {
      well = false;
      log.error({ err: error, recording: id }, 'A recording could not be stored; it is tried again');
    }
  }
  return well;
}

const LOOK_MS = 1_000;
const AGAIN_MS = 30_000;
const PATIENCE_MS = 5_000;

/** On every node, for what was recorded there; a store that is slow holds up nothing else. */
export function startStoring(means: Means): { stop(): Promise<void> } {
  let stopping = false;
  const { nudge, pause } = createNudge();
  const running = (async () => {
    while (!stopping) {
      const well = await storeRecordings(means).catch(() => false);
      await pause(well ? LOOK_MS : AGAIN_MS);
    }
    await storeRecordings(means).catch(() => false);
  })();
  return {
    async stop() {
      stopping = true;
      nudge();
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    },
  };
}

/** Whether the store has it: it may have had it already, where a node died before it could note so. */
async function take(store: Store, waiting: Waiting): Promise<boolean> {
  try {
    await store.take(keyOf(waiting), waiting.file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return (await store.measure(keyOf(waiting))) !== undefined;
  }
}

const OLD = `
  select r.account_id, r.id from recordings r join accounts a on a.id = r.account_id
   where r.removed_at is null and r.ready_at is not null and r.started_at < now() - a.recordings_keep_days * interval '1 day' limit 1000`;

/** What is older than its account keeps. */
export async function removeOldRecordings(db: Db, store: Store): Promise<void> {
  for (;;) {
    const old = await query<{ account_id: number; id: number }>(db, OLD, []);
    for (const one of old) {
      await store.remove(keyOf(one));
      await query(db, 'update recordings set removed_at = now() where account_id = $1 and id = $2', [
        one.account_id,
        one.id,
      ]);
    }
    if (old.length === 0) return;
  }
}
