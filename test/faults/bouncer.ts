import { spawn } from 'node:child_process';
import { chmodSync, chownSync, closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../bench/processes.ts';
import { SUPERUSER } from '../../db/embedded/cluster.ts';
import { ids } from '../../db/embedded/home.ts';
import { atEnd } from '../database.ts';
import { eventually, makeFolder } from '../leadline.ts';
import type { Server } from './cluster.ts';
import { keep, letGo, signal } from './scenario.ts';

/** PgBouncer in transaction mode before one PostgreSQL, with the settings of docs/faults.md. */

const PROGRAM = [
  '/usr/sbin/pgbouncer',
  '/usr/bin/pgbouncer',
  '/usr/local/bin/pgbouncer',
  '/opt/homebrew/bin/pgbouncer',
];

export const findBouncer = (): string | undefined => PROGRAM.find((path) => existsSync(path));

/** Its address; undefined where PgBouncer is not installed. */
export async function startBouncer(server: Server): Promise<string | undefined> {
  const program = findBouncer();
  if (!program) return undefined;
  const folder = makeFolder();
  const port = await freePort();
  const { user } = server.home;
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  };
  chmodSync(folder, 0o711);
  const users = write('users.txt', `"${SUPERUSER}" "${server.password}"\n`);
  const settings = write(
    'pgbouncer.ini',
    `[databases]
leadline = host=127.0.0.1 port=${server.port} dbname=leadline
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_client_conn = 300
default_pool_size = 40
server_login_retry = 1
server_connect_timeout = 2
query_wait_timeout = 5
`,
  );
  const log = openSync(write('pgbouncer.log', ''), 'a');
  // It refuses to run as root, as PostgreSQL does.
  const child = spawn(program, [settings], { ...ids(user), cwd: '/', stdio: ['ignore', log, log] });
  closeSync(log);
  const pid = keep(child.pid!);
  atEnd(async () => {
    signal(pid, 'SIGKILL');
    letGo(pid);
  });
  const url = `postgresql://${SUPERUSER}:${server.password}@127.0.0.1:${port}/leadline`;
  await eventually('PgBouncer answers', () => answers(url));
  return url;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return Boolean(await client.query('select 1'));
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Several servers in one address, as libpq writes it. */
export function joinHosts(urls: string[]): string {
  const hosts = urls.map((url) => new URL(url).host);
  return urls[0]!.replace(hosts[0]!, hosts.join(','));
}
