import { spawn } from 'node:child_process';
import { closeSync, existsSync, fchownSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { NEVER, within } from '../patience.ts';
import { Refusal } from '../refusal.ts';
import { findBinaries } from './binaries.ts';
import { ensureCluster, readPassword, serverEnvironment, SUPERUSER } from './cluster.ts';
import { ids, PORT, prepareHome, type DataDir, type Home } from './home.ts';
import { isListening } from './listening.ts';
import { occupy, readPostmaster, runningPostmaster, waitForServer } from './occupancy.ts';
import { measureMachine, sizeSettings } from './settings.ts';

export type EmbeddedServer = {
  home: Home;
  url: string;
  /** In order; after `patience` milliseconds at once, which loses nothing and leaves the next start something to recover. */
  stop(patience?: number): Promise<void>;
};

export type EmbeddedOptions = {
  dataDir: DataDir;
  /** Use a server that runs already instead of insisting on one of our own. */
  attach?: boolean;
  settings?: Record<string, string>;
  /** How long, in milliseconds, another Leadline may take to leave the folder. */
  patience?: number;
  say?: (sentence: string) => void;
  /** Gives the start up; what it has begun is undone. */
  signal?: AbortSignal;
};

const DATABASE = 'leadline';
/** How long a server that is still starting may take to stop in order: it has nothing of anybody's yet. */
const STARTING_MS = 3_000;

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, attach = false, settings = {}, patience = 5_000, say = () => {}, signal = NEVER } = options;
  const home = prepareHome(dataDir, say);
  if (attach && (await becameReady(home, signal))) {
    return { home, url: databaseUrl(home), stop: () => Promise.resolve() };
  }
  const ownership = await occupy(home, patience, say, signal);
  try {
    const binaries = findBinaries(home);
    await ensureCluster(home, binaries, signal);
    const keeper = await keepServer({ home, binaries, settings }, say, signal);
    const stop = async (most?: number) => {
      await keeper.stop(most);
      ownership.giveUp();
    };
    try {
      await ensureDatabase(home);
      return { home, url: databaseUrl(home), stop };
    } catch (error) {
      await keeper.stop();
      throw error;
    }
  } catch (error) {
    ownership.giveUp();
    throw error;
  }
}

type Plan = { home: Home; binaries: string; settings: Record<string, string> };

/** Keeps one server running: when it dies, it is started again until `stop`. */
async function keepServer(plan: Plan, say: (sentence: string) => void, signal: AbortSignal) {
  const stopping = new AbortController();
  let server = await launchPatiently(plan, signal);

  const keep = async () => {
    for (;;) {
      await server.exited;
      if (stopping.signal.aborted) return;
      say('PostgreSQL has gone; starting it again.');
      for (let pause = 100; !stopping.signal.aborted; pause = Math.min(pause * 2, 5_000)) {
        try {
          await waitForServer(plan.home, 0, say, stopping.signal);
          server = await launchPatiently(plan, stopping.signal);
          // A stop that came in this moment knew the former one only.
          if (stopping.signal.aborted) await server.stop();
          break;
        } catch (error) {
          if (stopping.signal.aborted) return;
          say(`PostgreSQL does not start: ${(error as Error).message}`);
          await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
        }
      }
    }
  };
  const kept = keep();

  const stop = async (patience?: number) => {
    stopping.abort();
    await server.stop(patience);
    await kept;
  };
  return { stop };
}

/** After a kill -9 of PostgreSQL its children need a moment to notice; until then a new one is refused the memory. */
async function launchPatiently(plan: Plan, signal: AbortSignal): Promise<Launched> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      return await launch(plan, signal);
    } catch (error) {
      if (!/shared memory block|lock file/.test((error as Error).message) || Date.now() > deadline) throw error;
      await sleep(100, undefined, { signal });
    }
  }
}

type Launched = { exited: Promise<void>; stop(patience?: number): Promise<void> };

/**
 * The watchdog: its standard input is a pipe from us, and when we are gone, however we went, reading it ends and the server
 * is told to stop. It tells the server's pid on standard output. A session of its own keeps Ctrl-C from reaching the server first.
 */
const WATCHDOG = `
exec 3<&0
"$0" "$@" 3<&- </dev/null >/dev/null &
server=$!
echo $server
exec >/dev/null
trap "" INT TERM HUP
(read line <&3; kill -INT $server) 2>/dev/null &
watcher=$!
wait $server
code=$?
kill -9 $watcher 2>/dev/null
exit $code
`;

async function launch({ home, binaries, settings }: Plan, signal: AbortSignal): Promise<Launched> {
  const logFile = join(home.folder, 'postgres.log');
  if (existsSync(logFile) && statSync(logFile).size > 10_000_000) truncateSync(logFile);
  const log = openSync(logFile, 'a', 0o600);
  // Begun by root, continued by the database's owner.
  if (home.user) fchownSync(log, home.user.uid, home.user.gid);
  const logStart = statSync(logFile).size;
  const all = {
    ...sizeSettings(measureMachine(home.folder)),
    listen_addresses: '',
    unix_socket_directories: home.sockets,
    unix_socket_permissions: '0700',
    port: String(PORT),
    ...settings,
  };
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      WATCHDOG,
      join(binaries, 'bin/postgres'),
      '-D',
      home.cluster,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      ...ids(home.user),
      env: serverEnvironment(home),
      cwd: home.cluster,
      stdio: ['pipe', 'pipe', log],
      detached: true,
    },
  );
  closeSync(log);
  const lifeline = child.stdin!;
  // The pipe breaks when the watchdog is killed; `exited` tells that already.
  lifeline.on('error', () => {});
  let over = false;
  let pid = 0;
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).then(() => {
    over = true;
  });
  createInterface({ input: child.stdout! }).once('line', (line) => {
    pid = Number(line);
  });

  const stop = async (patience = 25_000) => {
    if (over) return;
    tell(pid, 'SIGINT');
    // Tells it too, should it have been asked to stop before its pid was known.
    lifeline.end();
    if (await within(patience, exited)) return;
    tell(pid, 'SIGQUIT');
    await exited;
  };

  const deadline = Date.now() + 10 * 60_000;
  for (;;) {
    if (signal.aborted) {
      await stop(STARTING_MS);
      signal.throwIfAborted();
    }
    const postmaster = readPostmaster(home);
    // The lock file of a server that is not the one just spawned says nothing about ours.
    if (postmaster && postmaster.pid === pid && postmaster.status === 'ready') return { exited, stop };
    if (over || Date.now() > deadline) {
      const told = readFileSync(logFile, 'utf8').slice(logStart).trim().split('\n').slice(-6).join('\n');
      throw new Refusal(`PostgreSQL did not start:\n${told}\nIts log is ${logFile}.`);
    }
    await sleep(10);
  }
}

function tell(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  // 0 would be everyone in our own group.
  if (pid === 0) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has gone by itself.
  }
}

/** Whether a live server accepts connections, waiting for one that is just starting. */
async function becameReady(home: Home, signal: AbortSignal): Promise<boolean> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(25, undefined, { signal })) {
    const server = readPostmaster(home);
    if (!server || server.status === 'stopping') return false;
    // By its socket where it cannot be seen: another container's.
    if (!runningPostmaster(home) && !(await isListening(home.sockets, `.s.PGSQL.${PORT}`))) return false;
    if (server.status === 'ready') return true;
  }
  return false;
}

export function databaseUrl(home: Home, database = DATABASE): string {
  const host = encodeURIComponent(home.sockets);
  return `postgresql://${SUPERUSER}:${readPassword(home)}@localhost:${PORT}/${database}?host=${host}`;
}

async function ensureDatabase(home: Home): Promise<void> {
  const client = new Client({ connectionString: databaseUrl(home, 'postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}
