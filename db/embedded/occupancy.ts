import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeDiskFault } from '../disk.ts';
import { NEVER } from '../patience.ts';
import { Refusal } from '../refusal.ts';
import { PORT, type Home } from './home.ts';
import { inspectProcess } from './processes.ts';

/** The first lines of PostgreSQL's own lock file. */
export type Postmaster = { pid: number; status: string };

export function readPostmaster(home: Home): Postmaster | undefined {
  try {
    const lines = readFileSync(join(home.cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Math.abs(Number(lines[0])), status: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

/** The server of this folder if it lives. A stale lock file may name a pid that now belongs to another program. */
export function runningPostmaster(home: Home): Postmaster | undefined {
  const postmaster = readPostmaster(home);
  return postmaster && inspectProcess(postmaster.pid)?.command.includes(home.cluster) ? postmaster : undefined;
}

const ownerFile = (home: Home) => join(home.folder, 'owner');

/** Writes down that this process keeps the folder, so that others leave it and its server alone. False when another was quicker. */
function takeOwnership(home: Home): boolean {
  const { startedAt } = inspectProcess(process.pid)!;
  const mine = join(home.folder, `owner.${process.pid}`);
  try {
    writeFileSync(mine, `${process.pid} ${startedAt}\n`);
    // Unlike a write or a rename, a link fails when the name is taken.
    linkSync(mine, ownerFile(home));
    return true;
  } catch (error) {
    const disk = describeDiskFault(error);
    if (disk) throw new Refusal(`The data folder ${home.folder} cannot be written: ${disk}.`, { cause: error });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    removeStaleOwner(home);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Moved aside first and looked at again: between the look and the removal someone may have taken the folder. */
function removeStaleOwner(home: Home): void {
  if (liveOwner(home)) return;
  const aside = join(home.folder, `owner.stale-${process.pid}`);
  try {
    renameSync(ownerFile(home), aside);
    if (readOwner(aside)) linkSync(aside, ownerFile(home));
  } catch {
    // Another start was quicker in this, too.
  } finally {
    rmSync(aside, { force: true });
  }
}

export function giveUpOwnership(home: Home): void {
  if (liveOwner(home) === process.pid) rmSync(ownerFile(home), { force: true });
}

export const liveOwner = (home: Home) => readOwner(ownerFile(home));

function readOwner(file: string): number | undefined {
  try {
    const [pid = '', startedAt] = readFileSync(file, 'utf8').trim().split(/ (.*)/);
    return inspectProcess(Number(pid))?.startedAt === startedAt ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until the folder is free and makes it this process's own. Whoever does so gives it up when through with it. */
export async function occupy(
  home: Home,
  patience: number,
  say: (sentence: string) => void,
  signal: AbortSignal = NEVER,
): Promise<void> {
  const start = Date.now();
  do {
    await waitForVacancy(home, Math.max(0, patience - (Date.now() - start)), say, signal);
  } while (!takeOwnership(home));
}

/**
 * Returns when the folder is free. A server or owner that is on its way out is given time; one that stays is another
 * Leadline's and is left alone. A server whose owner is dead, and that its watchdog did not stop, is nobody's: we stop it.
 */
export async function waitForVacancy(
  home: Home,
  patience: number,
  say: (sentence: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const start = Date.now();
  let told = false;
  let stopped = false;
  for (;;) {
    const owner = liveOwner(home);
    const other = owner === process.pid ? undefined : owner;
    const server = runningPostmaster(home);
    if (!other && !server) break;
    const waited = Date.now() - start;
    if (other && waited > patience) {
      throw new Refusal(
        `Leadline already runs on the data folder ${home.folder} (process ${other}). ` +
          'Stop it first, or give this one a DATA_DIR and a PORT of its own.',
      );
    }
    if (other && !told && waited > 500) {
      say(`Process ${other} uses the data folder; waiting ${Math.round(patience / 1000)} s for it to stop.`);
      told = true;
    }
    if (!other && server && !stopped && waited > Math.min(patience, 2_000)) {
      say(`A PostgreSQL that an earlier run left behind (process ${server.pid}) is stopped first.`);
      process.kill(server.pid, 'SIGINT');
      stopped = true;
    }
    if (waited > patience + 60_000) {
      throw new Refusal(`The PostgreSQL in ${home.cluster} (process ${server?.pid}) does not stop. End it by hand.`);
    }
    await sleep(25, undefined, { signal });
  }
  clearStaleLocks(home);
}

/** PostgreSQL clears the lock of a dead process itself, but refuses when the pid is a zombie's or another program's. */
function clearStaleLocks(home: Home): void {
  if (!readPostmaster(home)) return;
  rmSync(join(home.cluster, 'postmaster.pid'), { force: true });
  rmSync(join(home.sockets, `.s.PGSQL.${PORT}.lock`), { force: true });
  rmSync(join(home.sockets, `.s.PGSQL.${PORT}`), { force: true });
}
