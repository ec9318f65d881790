import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { canEnter } from '../db/embedded/home.ts';

const ROOT = join(import.meta.dirname, '..');

export type User = { uid: number; gid: number };

/** A user without rights, for when the tests themselves run as root. */
export const NOBODY: User = { uid: 65_534, gid: 65_534 };
export const isRoot = process.getuid?.() === 0;

/** A folder of this test file's own. Others may enter it, as they may any ordinary folder. */
export function makeFolder(owner?: User): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-'));
  chmodSync(folder, 0o755);
  if (owner) chownSync(folder, owner.uid, owner.gid);
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The data folder of an installation whose database is laid down and migrated, and in which nothing has happened yet. What need not
 * survive a kill is not written through to the disk.
 */
export function makeInstallation({ durable = false, owner }: { durable?: boolean; owner?: User } = {}): string {
  const folder = makeFolder();
  const prepared = process.env.LEADLINE_TEST_INSTALLATION;
  if (!prepared) throw new Error('Tests need the installation they copy: run `npm test`.');
  execFileSync('cp', ['-a', `${prepared}/.`, folder]);
  const careless = Object.entries(CARELESS).map(([name, value]) => `${name} = ${value}\n`);
  if (!durable) appendFileSync(join(folder, 'pgdata/postgresql.conf'), careless.join(''));
  if (owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, folder]);
  return folder;
}

/** How many times longer than usual it may take: many tests share the machine, and what they ask for is answered in the end. */
export const DATABASE_PATIENCE = 6;

/** For a PostgreSQL that is thrown away afterwards. */
export const CARELESS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

export type Finished = { code: number | null; output: string };

export type Leadline = {
  pid: number;
  address: string;
  child: ChildProcess;
  output: () => string;
  ended: Promise<Finished>;
  stop(): Promise<Finished>;
};

/** `apart`: as in another container, with processes of its own, all of which end with the one that is spawned. */
type Options = { env: Record<string, string>; cwd?: string; user?: User; patience?: number; apart?: boolean };

const APART = ['unshare', '--pid', '--ipc', '--fork', '--mount-proc', '--kill-child'];
export const canBeApart = spawnSync(APART[0]!, [...APART.slice(1), 'true']).status === 0;

/** Runs the command line as an operator does, in a process of its own. */
export function spawnLeadline(args: string[], { env, cwd, user, apart = false }: Options) {
  const { PATH = '', HOME = '' } = process.env;
  const program = join(user ? projectFor(user) : ROOT, 'bin/leadline.mjs');
  const [command, ...rest] = [...(apart ? APART : []), process.execPath, program, ...args];
  const child = spawn(command!, rest, {
    cwd: cwd ?? env.DATA_DIR ?? tmpdir(),
    env: { PATH, HOME, DATABASE_PATIENCE: String(DATABASE_PATIENCE), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  const ended = new Promise<Finished>((resolve) => {
    child.on('close', (code) => resolve({ code, output }));
  });
  if (running.size === 0) process.once('SIGTERM', endAll);
  running.add(child);
  after(() => child.kill('SIGKILL'));
  return { child, output: () => output, ended };
}

/** A run that is ended gives no test file the time to end what it has started. */
const running = new Set<ChildProcess>();
function endAll() {
  for (const child of running) child.kill('SIGKILL');
  process.exit(1);
}

export const runLeadline = (args: string[], options: Options): Promise<Finished> => spawnLeadline(args, options).ended;

/** Opens the database of a data folder and closes it again: as a service does, without all that it has besides. */
export async function openOnce(options: Options): Promise<void> {
  const { code, output } = await runLeadline(['migrate'], options);
  if (code !== 0) throw new Error(output);
}

/** Starts `leadline serve` on a free port and waits until it is ready. */
export async function startLeadline(options: Options): Promise<Leadline> {
  const { child, output, ended } = spawnLeadline(['serve'], { ...options, env: { PORT: '0', ...options.env } });
  const address = await eventually(
    'an address',
    async () => {
      // What it said last may still have to be read.
      if (child.exitCode !== null) throw new Error(`It did not start:\n${(await ended).output}`);
      return /"address":"([^"]+)"/.exec(output())?.[1];
    },
    options.patience,
  ).catch((error: Error) => {
    throw new Error(`${error.message}\n${output().slice(-2_000)}`, { cause: error });
  });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { pid: child.pid!, address, child, output, ended, stop };
}

/** Where the checkout lies in a folder that user cannot enter, a copy lies where everyone can. */
let copy: string | undefined;
function projectFor(user: User): string {
  if (canEnter({ name: '', ...user }, ROOT)) return ROOT;
  if (!copy) {
    copy = makeFolder();
    for (const name of ['bin', 'contract', 'db', 'server', 'node_modules', 'package.json', 'web/dist']) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
    }
  }
  return copy;
}

/** Waits until something holds, for as long as a slow machine may take. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  patience = Number(process.env.PATIENCE ?? 300_000),
): Promise<T> {
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(25)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`It did not happen in ${patience / 1_000} s: ${what}`);
}

export const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

export const ready = ({ address }: Leadline) =>
  eventually('ready', async () => (await statusOf(`${address}/health/ready`)) === 200);

/** The pid in the lock file of the PostgreSQL of a data folder. */
export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'pgdata/postmaster.pid'), 'utf8').split('\n')[0]);

/** Lets a test hold the rests of a service, and its patience with others, for as long as it takes: by `env` it listens to that. */
export function openPatience() {
  const folder = makeFolder();
  const file = (what: 'rest' | 'patience') => join(folder, what);
  return {
    env: {
      HELD_PATIENCE: folder,
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'held-patience.ts')).href}`,
    },
    hold: (...what: ('rest' | 'patience')[]) => what.forEach((one) => writeFileSync(file(one), '')),
    letGo: () => (['rest', 'patience'] as const).forEach((one) => rmSync(file(one), { force: true })),
  };
}
