import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NEVER } from '../patience.ts';
import { Refusal } from '../refusal.ts';
import { PORT, type Home } from './home.ts';
import { isListening } from './listening.ts';
import { liveOwner, takeOwnership, type Ownership } from './ownership.ts';
import { inspectProcess } from './processes.ts';

/** The first lines of PostgreSQL's own lock file. */
export type Postmaster = { pid: number; socketFolder: string; status: string };

const WHAT_TO_DO = 'Stop it first, or give this one a DATA_DIR and a PORT of its own.';
/** From its lock file to its socket a server needs some milliseconds. */
const BEGINNING_MS = 5_000;

export function readPostmaster(home: Home): Postmaster | undefined {
  try {
    const lines = readFileSync(join(home.cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Math.abs(Number(lines[0])), socketFolder: lines[4] ?? '', status: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

/** The server of this folder if it lives. A stale lock file may name a pid that now belongs to another program. */
export function runningPostmaster(home: Home): Postmaster | undefined {
  const postmaster = readPostmaster(home);
  return postmaster && inspectProcess(postmaster.pid)?.command.includes(home.cluster) ? postmaster : undefined;
}

/** Another container's may not listen yet: its lock file is filled in when it does. */
const isBeginning = (home: Home) => readPostmaster(home)?.socketFolder === '';

/**
 * Whether a server answers at its socket, this process's or another container's: pids mean something else there. Where our path of the
 * folder is too long for a socket, theirs may not be.
 */
async function serverAnswers(home: Home): Promise<boolean> {
  const name = `.s.PGSQL.${PORT}`;
  const inside = join(home.folder, 'run');
  return (await isListening(home.sockets, name)) || (inside !== home.sockets && (await isListening(inside, name)));
}

/** Waits until the folder is free and makes it this process's own. Whoever does so gives it up when through with it. */
export async function occupy(
  home: Home,
  patience: number,
  say: (sentence: string) => void,
  signal: AbortSignal = NEVER,
): Promise<Ownership> {
  const start = Date.now();
  const left = () => Math.max(0, patience - (Date.now() - start));
  let ownership: Ownership | undefined;
  do {
    await waitForOwner(home, left(), say, signal);
    ownership = await takeOwnership(home);
  } while (!ownership);
  try {
    await waitForServer(home, left(), say, signal);
    return ownership;
  } catch (error) {
    ownership.giveUp();
    throw error;
  }
}

/** An owner that is on its way out is given time; one that stays is another Leadline and is left alone. */
async function waitForOwner(
  home: Home,
  patience: number,
  say: (sentence: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const start = Date.now();
  for (let told = false; ; await sleep(25, undefined, { signal })) {
    const owner = await liveOwner(home);
    if (!owner) return;
    const waited = Date.now() - start;
    if (waited > patience) {
      throw new Refusal(`Leadline already runs on the data folder ${home.folder} (process ${owner}). ${WHAT_TO_DO}`);
    }
    if (!told && waited > 500) {
      say(`Process ${owner} uses the data folder; waiting ${Math.round(patience / 1000)} s for it to stop.`);
      told = true;
    }
  }
}

/**
 * For the owner of the folder: returns when no server runs on it. One that is left was some former owner's, who is dead: it is given time,
 * and stopped when its watchdog did not. One that only its socket tells of is another container's, and not ours to stop.
 */
export async function waitForServer(
  home: Home,
  patience: number,
  say: (sentence: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const start = Date.now();
  let stopped = false;
  for (;;) {
    const server = runningPostmaster(home);
    const elsewhere = !server && (await serverAnswers(home));
    const waited = Date.now() - start;
    if (!server && !elsewhere && (waited > BEGINNING_MS || !isBeginning(home))) break;
    if (elsewhere && waited > patience) {
      throw new Refusal(
        `A PostgreSQL that cannot be seen from here, such as another container's, runs on the data folder ${home.folder}. ${WHAT_TO_DO}`,
      );
    }
    if (server && !stopped && waited > Math.min(patience, 2_000)) {
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
