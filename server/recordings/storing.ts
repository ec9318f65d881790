import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../../db/patience.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isDatabaseAway } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { createNudge } from '../platform/nudge.ts';
import type { Transact, Work } from '../platform/work.ts';
import { isInPlace, sweepIncoming, type Incoming } from './incoming.ts';
import { measureFile, type Measured } from './peaks.ts';
import { keyOf, type Store } from './store.ts';

/** Puts what was recorded on this machine into the store. What cannot be stored stays where it is, and holds up nothing else. */

type Means = {
  db: Db;
  transact: Transact;
  store: Store;
  incoming: Incoming;
  carrier: string;
  log: Log;
  ready: Ready;
  restMs?: number;
};
/** Is told of each call whose recording can be fetched from now on, or never. */
type Ready = (work: Work, accountId: number, callId: number) => Promise<void>;

type Waiting = { account_id: number; id: number; call_id: number; file: string | null; folder: string | null };

const PAGE = 100;
const LOOK_MS = 1_000;
/** Those that failed are tried again by tens, and rest where none of ten went in. */
const TRIED_AGAIN = 10;
const REST_MS = 30_000;
const SWEEP_MS = 3_600_000;
/** What a process left that was killed a moment ago. */
const SWEEP_AGAIN_MS = 20_000;
const PATIENCE_MS = 2_000;

// What failed once never stands before what nobody has tried yet.
const WAITING = (failed: boolean, most: number) => `
  select account_id, id, call_id, file, folder from recordings
   where file is not null and (folder = $1 or folder is null) and error is ${failed ? 'not ' : ''}null and id > $2
   order by id limit ${most}`;
const UNTRIED = sql('recordings/storing.untried')`${WAITING(false, PAGE)}`;
const FAILED_BEFORE = sql('recordings/storing.failed_before')`${WAITING(true, TRIED_AGAIN)}`;
const OWN = sql('recordings/storing.own')`
  update recordings set folder = $1 where id = any ($2::bigint[]) and folder is null`;
const READY = sql('recordings/storing.ready')`
  update recordings set file = null, ready_at = now(), error = null, failed_at = null,
         seconds = $3, peaks = $4, gaps = $5
   where account_id = $1 and id = $2 and file is not null`;
const LOST = sql('recordings/storing.lost')`
  update recordings set file = null, removed_at = now(), error = $3, failed_at = now()
   where account_id = $1 and id = $2 and file is not null`;
const FAILED = sql('recordings/storing.failed')`
  update recordings set error = $3, failed_at = coalesce(failed_at, now())
   where account_id = $1 and id = $2 and file is not null and error is distinct from $3`;

const LOCK_CALL = sql('recordings/storing.lock_call')`
  select id from calls where account_id = $1 and id = $2 for no key update`;

export function startStoring(means: Means): { stop(): Promise<void> } {
  const { db, incoming, log, restMs = REST_MS } = means;
  let [stopping, sweepAt, againAt] = [false, 0, 0];
  let trouble: string | undefined;
  const { nudge, pause } = createNudge();

  const fail = async ({ account_id, id }: Waiting, error: unknown): Promise<false> => {
    const reason = reasonOf(error);
    await query(db, FAILED, [account_id, id, reason]);
    // Once, however many there are and however often they are tried.
    if (reason !== trouble)
      log.error({ err: error, recording: id }, 'Recordings cannot be stored; they wait and are tried again');
    trouble = reason;
    return false;
  };

  const isStored = async (one: Waiting): Promise<boolean> => {
    const file = join(incoming.path, one.file!);
    let [measured, stored]: [Measured | undefined, boolean] = [undefined, false];
    try {
      measured = await measureFile(file);
      stored = await take(means, keyOf(one), file);
    } catch (error) {
      return fail(one, error);
    }
    if (!stored) log.error({ recording: one.id, file }, 'A recording is not where it should be; it is lost');
    try {
      await note(means, one, stored, measured);
      return true;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      return fail(one, error);
    }
  };

  const storeNew = async () => {
    for (let last = 0; ;) {
      const page = await query<Waiting>(db, UNTRIED, [incoming.id, last]);
      for (const one of await findOwn(db, incoming, page)) await isStored(one);
      if (page.length < PAGE) return;
      last = page.at(-1)!.id;
    }
  };

  let last = 0;
  /** From where the last round came to, so that each has its turn. */
  const tryAgain = async () => {
    while (performance.now() >= againAt) {
      const some = await query<Waiting>(db, FAILED_BEFORE, [incoming.id, last]);
      let stored = 0;
      for (const one of some) if (await isStored(one)) stored += 1;
      if (some.length === 0 && last === 0) {
        if (trouble !== undefined) log.info('Recordings are stored again');
        trouble = undefined;
        return;
      }
      last = some.length < TRIED_AGAIN ? 0 : some.at(-1)!.id;
      if (stored === 0 && some.length > 0) againAt = performance.now() + restMs;
    }
  };

  const look = async () => {
    if (performance.now() >= sweepAt) {
      sweepAt = performance.now() + SWEEP_MS;
      const isLeft = await sweepIncoming(means).catch((error: unknown) => {
        log.error({ err: error }, 'Incoming recordings could not be looked through');
        return false;
      });
      if (isLeft) sweepAt = performance.now() + SWEEP_AGAIN_MS;
    }
    await storeNew();
    await tryAgain();
  };

  const running = (async () => {
    while (!stopping) {
      await look().catch((error: unknown) => {
        if (!isDatabaseAway(error)) log.error({ err: error }, 'Recordings could not be looked after');
      });
      await pause(LOOK_MS);
    }
    await storeNew().catch(() => {});
  })();
  return {
    async stop() {
      stopping = true;
      nudge();
      await within(PATIENCE_MS, running);
    },
  };
}

/** Of those that nobody has said to have, the ones that lie here are ours from now on. */
async function findOwn(db: Db, incoming: Incoming, page: Waiting[]): Promise<Waiting[]> {
  const own: Waiting[] = [];
  for (const one of page) if (one.folder !== null || (await isThere(join(incoming.path, one.file!)))) own.push(one);
  const found = own.flatMap(({ id, folder }) => (folder === null ? [id] : []));
  if (found.length > 0) await query(db, OWN, [incoming.id, found]);
  return own;
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Whether the store has it: it may have had it already, where a node died before it could note so. */
async function take({ store, incoming }: Means, key: string, file: string): Promise<boolean> {
  try {
    await store.take(key, file);
    return true;
  } catch (error) {
    // It may as well be the store that is not there.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isThere(file))) throw error;
    if ((await store.measure(key)) !== undefined) return true;
    // A disk that is not mounted for a moment has lost nothing. It may come or go between two looks: the file is looked for between two at the folder.
    const isGone = (await isInPlace(incoming)) && !(await isThere(file)) && (await isInPlace(incoming));
    if (!isGone) throw new Error('the folder they wait in is not there', { cause: error });
    return false;
  }
}

async function note({ transact, ready }: Means, one: Waiting, stored: boolean, measured: Measured | undefined) {
  const { account_id: accountId, id, call_id: callId } = one;
  await transact(async (work) => {
    // A call that ends in the same moment sees that its recording is ready, or we see that it has ended.
    await query(work.db, LOCK_CALL, [accountId, callId]);
    const { seconds = null, peaks = null, gaps = [] } = measured ?? {};
    if (stored) await query(work.db, READY, [accountId, id, seconds, peaks, JSON.stringify(gaps)]);
    else await query(work.db, LOST, [accountId, id, 'its file is gone']);
    await ready(work, accountId, callId);
  });
}

const REASONS: Record<string, string> = {
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left to this user',
  EROFS: 'the disk can only be read',
  EACCES: 'writing is not allowed',
  EPERM: 'writing is not allowed',
  EEXIST: 'a file is where a folder should be',
  ENOTDIR: 'a file is where a folder should be',
  ENOENT: 'the store is not there',
};

/** Why something could not be written, as a part of a sentence that people read; the same for all that fail alike. */
export function reasonOf(error: unknown): string {
  const { message, ...named } = error as NodeJS.ErrnoException;
  // Of what comes from another thread, the message alone is left.
  const code = named.code ?? /^E[A-Z]+(?=: )/.exec(message)?.[0] ?? '';
  return REASONS[code] ?? (code || message.replace(/ to [A-Z]+ \d+\/\d+\.wav\.$/, ''));
}
