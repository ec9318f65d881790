import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { extract } from 'tar-stream';
import { freePort } from '../../bench/processes.ts';
import { takeBaseBackup } from '../../db/embedded/base-backup.ts';
import { findBinaries } from '../../db/embedded/binaries.ts';
import { ensureCluster, readPassword, serverEnvironment, SUPERUSER } from '../../db/embedded/cluster.ts';
import { NEVER } from '../../db/patience.ts';
import { give, ids, prepareHome, type Home } from '../../db/embedded/home.ts';
import { atEnd } from '../database.ts';
import { eventually, makeFolder } from '../leadline.ts';
import { keep, letGo, signal } from './scenario.ts';

/** PostgreSQL as an operator runs it: on TCP, with passwords, a primary and a synchronous standby. */

const DATABASE = 'leadline';

// What is tried here is losing processes and machines, not the plug of this one.
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  wal_receiver_timeout: '5s',
};

export class Server {
  readonly home: Home;
  readonly port: number;
  readonly #binaries: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;
  /** Killed for good: a fenced primary never comes back. */
  #fenced = false;

  constructor(home: Home, port: number, env: Record<string, string>) {
    this.home = home;
    this.port = port;
    this.#binaries = findBinaries(home);
    this.#env = env;
  }

  get password(): string {
    return readPassword(this.home);
  }

  url(database = DATABASE): string {
    return `postgresql://${SUPERUSER}:${this.password}@127.0.0.1:${this.port}/${database}`;
  }

  async lay(): Promise<void> {
    await ensureCluster(this.home, this.#binaries, NEVER);
  }

  /** Starts it and waits until it answers. */
  async start(): Promise<void> {
    if (this.#fenced) throw new Error('A fenced server is not started again.');
    for (const deadline = Date.now() + 30_000; ; await sleep(200)) {
      const child = this.#launch();
      // After a kill -9 its children need a moment to notice, and a new one is refused until then.
      if (await this.#answers(child, deadline)) return;
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start:\n${this.log().slice(-2_000)}`);
    }
  }

  #launch(): ChildProcess {
    const settings = Object.entries({ ...SETTINGS, port: this.port });
    const log = openSync(join(this.home.folder, 'postgres.log'), 'a');
    const child = spawn(
      join(this.#binaries, 'bin/postgres'),
      ['-D', this.home.cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...ids(this.home.user),
        cwd: this.home.cluster,
        env: { ...serverEnvironment(this.home), ...this.#env },
        stdio: ['ignore', log, log],
        detached: true,
      },
    );
    closeSync(log);
    keep(child.pid!);
    this.#child = child;
    return child;
  }

  async #answers(child: ChildProcess, deadline: number): Promise<boolean> {
    while (child.exitCode === null && Date.now() < deadline) {
      if (await this.query('select 1', [], 'postgres').catch(() => undefined)) return true;
      await sleep(50);
    }
    return false;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    this.thaw();
    child.kill('SIGINT');
    const late = setTimeout(() => this.kill(), 15_000);
    await gone;
    clearTimeout(late);
    letGo(child.pid!);
  }

  /** As when the machine is gone. */
  kill(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGKILL');
  }

  /** Gone, and kept from ever coming back as a second primary. */
  fence(): void {
    this.#fenced = true;
    this.kill();
  }

  /** Nothing answers any more, and no connection breaks. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#processes().toReversed()) signal(pid, 'SIGCONT');
  }

  /** The postmaster, then its children. */
  #processes(): number[] {
    const own = this.#child?.pid;
    if (!own || this.#child!.exitCode !== null || this.#child!.signalCode !== null) return [];
    const isChild = (pid: string) => {
      try {
        return / \((?:.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] === String(own);
      } catch {
        return false;
      }
    };
    return [
      own,
      ...readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && isChild(name))
        .map(Number),
    ];
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(wait => true, wait_seconds => 30)');
  }

  log(): string {
    return readFileSync(join(this.home.folder, 'postgres.log'), 'utf8');
  }

  /** On a connection of its own. */
  async query<Row extends QueryResultRow>(text: string, values: unknown[] = [], database = DATABASE): Promise<Row[]> {
    const client = new Client({ connectionString: this.url(database), connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

const newHome = () => prepareHome({ path: makeFolder(), explicit: true }, () => {});

/** One server with an empty database, stopped when the scenario is over. */
export async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const server = new Server(newHome(), await freePort(), env);
  await server.lay();
  atEnd(() => server.stop());
  await server.start();
  await server.query(`create database ${DATABASE}`, [], 'postgres');
  return server;
}

export type Cluster = { primary: Server; standby: Server; failOver: () => Promise<void>; current: () => Server };

/** A primary whose every commit waits for its standby. */
export async function startCluster(): Promise<Cluster> {
  const primary = await startServer();
  const standby = await follow(primary);
  await primary.query(`alter system set synchronous_standby_names = 'standby'`);
  await primary.query('select pg_reload_conf()');
  await eventually('the standby is synchronous', async () => {
    const [row] = await primary.query<{ sync_state: string }>('select sync_state from pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  let current = primary;
  const failOver = async () => {
    primary.fence();
    current = standby;
    await standby.promote();
  };
  return { primary, standby, failOver, current: () => current };
}

/** A copy of a running server over the replication protocol, which then follows it. */
async function follow(primary: Server): Promise<Server> {
  const home = newHome();
  writeFileSync(join(home.folder, 'password'), `${primary.password}\n`, { mode: 0o600 });
  await mkdir(home.cluster, { mode: 0o700 });
  const { archive, manifest } = await takeBaseBackup(primary.url());
  const files = extract();
  const fed = pipeline(archive, files);
  for await (const entry of files) {
    const target = join(home.cluster, entry.header.name);
    if (entry.header.type === 'directory') {
      entry.resume();
      await mkdir(target, { recursive: true, mode: 0o700 });
    } else {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await pipeline(entry, createWriteStream(target, { mode: 0o600 }));
    }
  }
  await fed;
  await manifest;
  writeFileSync(join(home.cluster, 'standby.signal'), '');
  const from = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER} password=${primary.password} application_name=standby`;
  writeFileSync(join(home.cluster, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`, { mode: 0o600 });
  if (home.user) give(home.user, home.cluster);
  const standby = new Server(home, await freePort(), {});
  atEnd(() => standby.stop());
  await standby.start();
  return standby;
}
