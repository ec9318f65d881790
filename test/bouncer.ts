import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { freePort } from '../bench/processes.ts';
import { atEnd } from './database.ts';
import { openProxy } from './proxy.ts';
import { eventually, isRoot, makeFolder, NOBODY } from './leadline.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
);
export const hasBouncer = PROGRAM !== undefined;

/** A real PgBouncer before the tests' PostgreSQL, in transaction mode: its connections are handed on after each transaction. */
export async function openBouncer(url: string): Promise<string> {
  // By way of TCP: the tests' PostgreSQL listens on a socket of its own user.
  return (await startBouncer((await openProxy(url)).url)).url;
}

/** The same before any PostgreSQL that listens on loopback, with more settings where they matter. */
export async function startBouncer(url: string, more: Record<string, string | number> = {}) {
  for (;;) {
    const started = await tryPort(await freePort(), new URL(url), more);
    if (started) return started;
  }
}

/** Undefined where somebody else was quicker with the port. */
async function tryPort(port: number, { port: serverPort, username, password, pathname }: URL, more: object) {
  const folder = makeFolder(isRoot ? NOBODY : undefined);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: 15,
    logfile: join(folder, 'log'),
    ...more,
  };
  const server = `host=127.0.0.1 port=${serverPort}`;
  writeFileSync(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o644 });
  writeFileSync(
    join(folder, 'ini'),
    `[databases]\n* = ${server}\n[pgbouncer]\n${Object.entries(settings)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n')}\n`,
  );
  const child = spawn(PROGRAM!, ['-q', join(folder, 'ini')], { stdio: 'ignore', ...(isRoot && NOBODY) });
  atEnd(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  // By its own word: at the port somebody else may listen.
  const listens = () => existsSync(settings.logfile) && readFileSync(settings.logfile, 'utf8').includes('listening on');
  await eventually('it listens, or has gone', () => child.exitCode !== null || listens());
  if (!listens()) return undefined;
  await eventually('it answers', () => canConnect(port));
  return { url: `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}`, pid: child.pid! };
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
