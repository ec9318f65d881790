import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** The Leadline process that keeps the server, written down so that others leave its server alone. */
export function takeOwnership(home: Home): void {
  const { startedAt } = inspectProcess(process.pid)!;
  writeFileSync(ownerFile(home), `${process.pid} ${startedAt}\n`);
}

export function giveUpOwnership(home: Home): void {
  if (liveOwner(home) === process.pid) rmSync(ownerFile(home), { force: true });
}

export function liveOwner(home: Home): number | undefined {
  try {
    const [pid = '', startedAt] = readFileSync(ownerFile(home), 'utf8').trim().split(/ (.*)/);
    return inspectProcess(Number(pid))?.startedAt === startedAt ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns when the folder is free. A server or owner that is on its way out is given time; one that stays is another
 * Leadline's and is left alone. A server whose owner is dead, and that its watchdog did not stop, is nobody's: we stop it.
 */
export async function waitForVacancy(home: Home, patience: number, say: (sentence: string) => void): Promise<void> {
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
    await sleep(25);
  }
  clearStaleLocks(home);
}

/** PostgreSQL clears the lock of a dead process itself, but refuses when the pid is a zombie's or another program's. */
function clearStaleLocks(home: Home): void {
  const stale = readPostmaster(home);
  if (!stale) return;
  rmSync(join(home.cluster, 'postmaster.pid'), { force: true });
  rmSync(join(home.sockets, `.s.PGSQL.${PORT}.lock`), { force: true });
  rmSync(join(home.sockets, `.s.PGSQL.${PORT}`), { force: true });
}
