import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../server/platform/actor.ts';
import { KEYS, LIMITS } from './database.ts';

/** Those that are measured, and whom they talk to, each a process of its own on the same database. */

export type Measured = { name: string; port: number; pid: number; stop(): Promise<void> };

const PROGRAM = join(import.meta.dirname, '../bin/leadline.mjs');
const FLOOR = join(import.meta.dirname, 'floor/server.ts');
const SUBSCRIBER = join(import.meta.dirname, 'subscriber.ts');
// As `npm start` has it, for the floors too.
const FLAGS = ['--max-semi-space-size=8'];

/** With `profile`, a folder, where its processor time goes is written there when it stops. `limited`: as it is set up by itself. */
export const startProduct = (url: string, profile?: string, limited = false): Promise<Measured> =>
  start('product', [...(profile ? ['--cpu-prof', `--cpu-prof-dir=${absolute(profile)}`] : []), PROGRAM, 'serve'], {
    DATABASE_URL: url,
    SECRET_KEY: KEYS.secretKey,
    BASE_URL: KEYS.baseUrl,
    ...(!limited && { RATE_LIMITS: LIMITS, APP_LIMITS: LIMITS }),
  });

export const startFloor = (floor: 'bare' | 'fair', url: string, account: Account): Promise<Measured> =>
  start(floor, [FLOOR], { DATABASE_URL: url, FLOOR: floor, ACCOUNT: JSON.stringify(account) });

export const startSubscriber = (): Promise<Measured> => start('subscriber', [SUBSCRIBER], {});

/** A bench that is ended takes them along: left behind, one would do the next bench's work too. */
const started = new Set<ChildProcess>();
process.once('exit', () => started.forEach((child) => child.kill('SIGKILL')));

async function start(name: string, args: string[], env: Record<string, string>): Promise<Measured> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'leadline-bench-'));
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...FLAGS, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: String(port), ...env },
    stdio: ['ignore', log, log],
  });
  started.add(child);
  closeSync(log);
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const deadline = Date.now() + 30_000; !(await answers(port)); await sleep(50)) {
    if (child.exitCode === null && Date.now() < deadline) continue;
    const told = readFileSync(logFile, 'utf8').slice(-2_000);
    await stop();
    throw new Error(`The ${name} did not start:\n${told}`);
  }
  return { name, port, pid: child.pid!, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const killed = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(killed);
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/live`).then(
    () => true,
    () => false,
  );

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Seconds of processor time that a process has used, with its children's, ended ones too; NaN where the system does not tell. */
export function cpuSeconds(pid: number, withChildren = false): number {
  try {
    const pids = withChildren ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [String(pid)];
    let ticks = 0;
    for (const one of pids) {
      const [, parent, ...rest] = statOf(one) ?? [];
      const isParent = Number(one) === pid;
      if (!isParent && Number(parent) !== pid) continue;
      const [user, system, ended, endedSystem] = rest.slice(9, 13).map(Number);
      ticks += user! + system! + (isParent ? ended! + endedSystem! : 0);
    }
    return ticks / 100;
  } catch {
    return NaN;
  }
}

/** What follows the name: state, parent, and so on. */
function statOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}

export function residentMegabytes(pid: number): number {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1_024);
  } catch {
    return NaN;
  }
}
