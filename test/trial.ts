import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { prepareHome } from '../db/embedded/home.ts';
import { databaseUrl } from '../db/embedded/server.ts';

const PROGRAM = join(import.meta.dirname, '../bin/leadline.mjs');
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const KEY = 'a-key-for-this-one-trial-of-32-characters';
export const isRoot = process.getuid?.() === 0;

type Process = { address: string; child: ChildProcess };
export type Undo = () => unknown;

/** One installation: `serve` with its PostgreSQL, and a `work` beside it. */
export class Trial {
  readonly folder = mkdtempSync(join(tmpdir(), 'leadline-alerts-'));
  readonly dataDir = join(this.folder, 'data');
  readonly recordings = join(this.folder, 'recordings');
  readonly undo: Undo[] = [];
  serve!: Process;
  work!: Process;
  #database!: Client;
  subscriber = '';
  cookie = '';

  async start(): Promise<void> {
    chmodSync(this.folder, 0o755);
    mkdirSync(this.recordings);
    // So small that it can be filled; without root the fault is passed over.
    if (isRoot) command('mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', this.recordings);
    if (isRoot) this.undo.push(() => spawnSync('umount', [this.recordings]));
    this.serve = await this.run(['serve']);
    this.work = await this.run(['work']);
    this.#database = await this.connect();
    await this.openSubscriber();
    const signedIn = await this.send('/app/session', 'POST', OWNER);
    this.cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
  }

  async run(args: string[]): Promise<Process> {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: this.folder, env: this.#environment() });
    this.undo.push(() => child.kill('SIGKILL'));
    process.once('exit', () => child.kill('SIGKILL'));
    const told: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => told.push(String(data)));
    for (const deadline = Date.now() + 120_000; ; await sleep(50)) {
      const address = /"address":"([^"]+)"/.exec(told.join(''))?.[1];
      if (address) return { address, child };
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`It did not start:\n${told.join('')}`);
    }
  }

  #environment = () => ({
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    PORT: '0',
    WORK_PORT: '0',
    DATA_DIR: this.dataDir,
    RECORDINGS: this.recordings,
    RATE_LIMITS: 'off',
    WEBHOOK_ALLOW: '127.0.0.0/8',
    SMTP_URL: 'smtp://127.0.0.1:1',
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
    ACCOUNT_API_KEY: KEY,
  });

  async openSubscriber(): Promise<void> {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead({ '/fails': 500, '/refuses': 400 }[request.url!] ?? 200).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.undo.push(() => server.close());
    this.subscriber = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async connect(): Promise<Client> {
    const home = prepareHome({ path: this.dataDir, explicit: true }, () => {});
    const client = new Client({ connectionString: databaseUrl(home) });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  /** Returns how many rows it was about. */
  sql = async (text: string): Promise<number> => (await this.#database.query(text)).rowCount ?? 0;

  backUp(): void {
    const file = join(this.folder, `${Date.now()}.tar.gz`);
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'backup', file], {
      cwd: this.folder,
      env: this.#environment(),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
  }

  /** By the API with the key, at /app with the owner's cookie. */
  send(path: string, method: string, body?: unknown): Promise<Response> {
    const { address } = this.serve;
    const who = path.startsWith('/app')
      ? { origin: address, cookie: this.cookie }
      : { authorization: `Token "${KEY}"` };
    return fetch(address + path, {
      method,
      headers: { 'content-type': 'application/json', ...who },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
  }

  async ask(path: string, method: string, body?: unknown): Promise<any> {
    const response = await this.send(path, method, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text && JSON.parse(text);
  }

  /** A subscription to calls, and a delivery on its way to it. Returns what ends both. */
  async tell(path: string): Promise<Undo> {
    const webhook = { event: 'new_call', target_url: this.subscriber + path };
    const { id } = await this.ask('/api/v2/webhooks', 'POST', { webhook });
    await this.ask(`/app/webhooks/${id}/test`, 'POST');
    return () => this.ask(`/api/v2/webhook/${id}`, 'DELETE');
  }

  /** A call that is answered, recorded, and over in a second or two. */
  async call(): Promise<number> {
    const { id } = await this.ask('/app/calls', 'POST', { call: { number: '+4533112211' } });
    await until('the call is over', async () => (await this.ask(`/app/calls/${id}`, 'GET')).state === 'completed');
    return id;
  }

  async stop(): Promise<void> {
    await this.#database?.end().catch(() => {});
    for (const step of this.undo.toReversed()) await step();
    // PostgreSQL ends a moment after the process that keeps it.
    await until('PostgreSQL has stopped', () => postmasterOf(this.dataDir) === undefined, 60);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function command(name: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(name, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
}

export async function until(what: string, look: () => unknown, seconds = 180): Promise<number> {
  const since = Date.now();
  while (!(await look())) {
    if (Date.now() - since > seconds * 1_000) throw new Error(`It did not happen in ${seconds} s: ${what}`);
    await sleep(250);
  }
  return (Date.now() - since) / 1_000;
}

function postmasterOf(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'pgdata/postmaster.pid'), 'utf8').split('\n', 1)[0]);
  } catch {
    return undefined;
  }
}

/** PostgreSQL's processes, the first of all first. */
export function postgresOf(dataDir: string): number[] {
  const first = postmasterOf(dataDir)!;
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(first)], { encoding: 'utf8' });
  return [first, ...stdout.trim().split(/\s+/).map(Number)];
}
