import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { inspectProcess } from '../db/embedded/processes.ts';
import { createBareDatabase, createTestDatabase } from '../test/database.ts';
import { send } from '../test/house.ts';
import {
  eventually,
  makeFolder,
  makeInstallation,
  openPatience,
  postmasterPid,
  runLeadline,
  spawnLeadline,
  startLeadline,
  statusOf,
} from '../test/leadline.ts';
import { startJobs } from './platform/jobs.ts';
import { createLog } from './platform/log.ts';

const SECRET_KEY = 'the same on every node, 32 characters';

/**
 * A service that takes more than ten seconds by its own clock ends with 1. By ours it is given what a busy machine needs besides, and less
 * than any of those would take who are not waited for.
 */
const SOON_MS = 50_000;

async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** One request on a kept connection: its status, or what became of it. */
function ask(agent: Agent, address: string): Promise<number | 'refused' | 'broken'> {
  return new Promise((resolve) => {
    const asked = request(`${address}/health/live`, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
      response.on('error', () => resolve('broken'));
    });
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'broken'));
    asked.end();
  });
}

describe('leadline serve', () => {
  test('SIGTERM under load: every request that got through is answered whole, and it ends with 0', async () => {
    const { url: DATABASE_URL } = await createTestDatabase();
    const { env, hold, letGo } = openPatience();
    const leadline = await startLeadline({ env: { DATABASE_URL, SECRET_KEY, ...env } });
    const outcomes = new Map<number | string, number>();
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const clients = Array.from({ length: 20 }, async () => {
      for (;;) {
        const outcome = await ask(agent, leadline.address);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome === 'refused') return;
      }
    });
    await eventually('they are at it', () => (outcomes.get(200) ?? 0) > 100);
    // It has patience with whoever has not asked again yet, and they may be slow.
    hold('patience');
    const stopped = leadline.stop();
    await Promise.all(clients);
    letGo();
    agent.destroy();
    assert.equal((await stopped).code, 0);
    assert.deepEqual(new Set(outcomes.keys()), new Set([200, 'refused']));
  });

  test('a stop is announced to load balancers first', async () => {
    const { url: DATABASE_URL } = await createTestDatabase();
    const { env, hold, letGo } = openPatience();
    const leadline = await startLeadline({ env: { DATABASE_URL, SECRET_KEY, ...env } });
    hold('rest', 'patience');
    const stopped = leadline.stop();
    await eventually('not ready', async () => (await statusOf(`${leadline.address}/health/ready`)) === 503);
    letGo();
    assert.equal((await stopped).code, 0);
  });

  test('an unused connection, half a request, an answer nobody reads, a live stream: it ends within ten seconds, with 0, and stops its database', async () => {
    const DATA_DIR = makeInstallation();
    const owner = { OWNER_EMAIL: 'ann@example.com', OWNER_PASSWORD: 'a whole sentence of mine' };
    const leadline = await startLeadline({ env: { DATA_DIR, ...owner } });
    const postmaster = postmasterPid(DATA_DIR);
    const dial = async (text: string) => {
      const socket = connect(Number(new URL(leadline.address).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => {});
      socket.write(text);
      return socket;
    };
    const head =
      'POST /app/session HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n';
    const stalled = [await dial(''), await dial(head), await dial(`${head}\r\n{"email":`)];
    const cutOff = Promise.all(stalled.map((socket) => once(socket.resume(), 'close')));
    // More than the system keeps for a reader who does not come.
    const unread = await dial('GET /api/v2/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(200));
    const signedIn = await send(
      `${leadline.address}/app/session`,
      'POST',
      { email: owner.OWNER_EMAIL, password: owner.OWNER_PASSWORD },
      { origin: leadline.address },
    );
    const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
    const live = await fetch(`${leadline.address}/app/live`, { headers: { cookie } });
    let heard = '';
    const listening = (async () => {
      for await (const piece of live.body!.pipeThrough(new TextDecoderStream())) heard += piece;
    })();
    await eventually('who is there is told', () => heard.includes('event: presence'));

    const asked = Date.now();
    const { code, output } = await leadline.stop();
    assert.deepEqual({ code, inTime: Date.now() - asked < SOON_MS }, { code: 0, inTime: true });
    assert.match(output, /"msg":"Stopped"/);
    await listening;
    assert.equal(inspectProcess(postmaster), undefined);
    await cutOff;
    unread.destroy();
  });

  test('a second signal ends it at once, and its database with it', async () => {
    const DATA_DIR = makeInstallation();
    const { env, hold } = openPatience();
    const leadline = await startLeadline({ env: { DATA_DIR, ...env } });
    const postmaster = postmasterPid(DATA_DIR);
    hold('patience');
    const half = connect(Number(new URL(leadline.address).port), '127.0.0.1').on('error', () => {});
    half.write('GET /health/live HTTP/1.1\r\n');
    leadline.child.kill('SIGTERM');
    await eventually('the stop is under way', async () => (await statusOf(`${leadline.address}/health/live`)) === 0);
    leadline.child.kill('SIGTERM');
    assert.equal((await leadline.ended).code, 1);
    await eventually('PostgreSQL is gone', () => !inspectProcess(postmaster));
  });

  test('a taken port is told in a sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, output } = await runLeadline(['serve'], {
      env: { DATA_DIR: makeInstallation(), PORT: String(port), LOG_LEVEL: 'silent' },
    });
    other.close();
    assert.deepEqual(
      { code, output },
      { code: 1, output: `Port ${port} is taken by another program. Set PORT to a free one.\n` },
    );
  });

  test('without its pages it does not start, and says how to build them', async () => {
    const copy = makeFolder();
    const root = join(import.meta.dirname, '..');
    for (const name of ['bin', 'contract', 'db', 'server', 'package.json']) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const { status, stderr } = spawnSync(process.execPath, [join(copy, 'bin/leadline.mjs'), 'serve'], {
      cwd: copy,
      env: { PATH: process.env.PATH, DATA_DIR: join(copy, 'data') },
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /^The pages are not built: .*`npm run build`.*\n$/);
    assert.equal(existsSync(join(copy, 'data')), false);
  });

  test('a wrong configuration is told in sentences, and nothing is started', async () => {
    const { code, output } = await runLeadline(['serve'], {
      env: { DATA_DIR: makeFolder(), PORT: 'x', LOG_LEVEL: 'y' },
    });
    assert.equal(code, 1);
    assert.match(output, /^The configuration needs a change:\n {2}PORT is "x".*\n {2}LOG_LEVEL is "y"/);
  });
});

describe('told to stop while it starts', () => {
  /** How it ends once `moment` has come; it may take ten seconds. */
  async function stopAt(env: Record<string, string>, moment: (output: string) => unknown) {
    const starting = spawnLeadline(['serve'], { env: { PORT: '0', ...env } });
    await eventually('the moment', () => moment(starting.output()));
    const asked = Date.now();
    starting.child.kill('SIGTERM');
    const { code, output } = await starting.ended;
    return { code, inTime: Date.now() - asked < SOON_MS, said: /"msg":"Stopped"/.test(output) };
  }
  const inOrder = { code: 0, inTime: true, said: true };

  test('a database that never answers is not waited for', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    let reached = false;
    silent.on('connection', () => (reached = true));
    const DATABASE_URL = `postgresql://ann:secret@127.0.0.1:${port}/leadline`;
    assert.deepEqual(await stopAt({ DATABASE_URL, SECRET_KEY }, () => reached), inOrder);
    silent.close();
  });

  test('a migration under way is broken off, and nothing of it is left', async () => {
    const DATABASE_URL = await createBareDatabase();
    const session = new Client({ connectionString: DATABASE_URL });
    await session.connect();
    // What the first migration makes, made here and not yet to be seen: it waits for us.
    await session.query('begin; create table nodes (id int)');
    const waiting = "application_name = 'leadline migrate' and datname = current_database()";
    const migrating = async () =>
      (await query(DATABASE_URL, `select from pg_stat_activity where ${waiting} and wait_event_type = 'Lock'`)).length >
      0;
    assert.deepEqual(await stopAt({ DATABASE_URL, SECRET_KEY }, migrating), inOrder);
    await eventually(
      'its session has ended',
      async () => (await query(DATABASE_URL, `select from pg_stat_activity where ${waiting}`)).length === 0,
    );
    await session.query('rollback');
    await session.end();
    assert.deepEqual(await query(DATABASE_URL, 'select from migrations'), []);
  });

  test('a PostgreSQL of our own that is being made, or is recovering, ends with it', async () => {
    const DATA_DIR = makeFolder();
    const made = () => readdirSync(DATA_DIR).some((name) => name.startsWith('pgdata'));
    assert.deepEqual(await stopAt({ DATA_DIR }, made), inOrder);
    assert.equal((await runLeadline(['migrate'], { env: { DATA_DIR } })).code, 0);
    // Recovery that waits for a log that never comes: PostgreSQL runs, and is not ready.
    writeFileSync(join(DATA_DIR, 'pgdata/recovery.signal'), '');
    writeFileSync(join(DATA_DIR, 'pgdata/postgresql.auto.conf'), "restore_command = 'sleep 60; false'\n");
    let postmaster = 0;
    const recovering = () => {
      if (existsSync(join(DATA_DIR, 'pgdata/postmaster.pid'))) postmaster = postmasterPid(DATA_DIR);
      return postmaster;
    };
    assert.deepEqual(await stopAt({ DATA_DIR }, recovering), inOrder);
    assert.equal(inspectProcess(postmaster), undefined);
    assert.equal(existsSync(join(DATA_DIR, 'owner')), false);
  });
});

describe('npm start', () => {
  /** What became of npm and of the service after a signal to npm, or, as Ctrl-C does it, to everyone on the terminal. */
  async function stopNpm(signal: 'SIGTERM' | 'SIGINT', everyone: boolean) {
    const DATA_DIR = makeInstallation();
    const npm = spawn('npm', ['start'], {
      cwd: join(import.meta.dirname, '..'),
      env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let output = '';
    npm.stdout.on('data', (data) => (output += String(data)));
    const closed = once(npm, 'close');
    await eventually('ready', () => output.includes('is ready.'));
    const service = Number(readFileSync(join(DATA_DIR, 'owner'), 'utf8').split(' ')[0]);
    process.kill(everyone ? -npm.pid! : npm.pid!, signal);
    const [code] = await closed;
    return { code, said: /"msg":"Stopped"/.test(output), left: inspectProcess(service) };
  }

  test('SIGTERM to npm, and Ctrl-C, which comes twice, stop the service in order', async () => {
    const ended = await Promise.all([stopNpm('SIGTERM', false), stopNpm('SIGINT', true)]);
    const inOrder = { code: 0, said: true, left: undefined };
    assert.deepEqual(ended, [inOrder, inOrder]);
  });
});

describe('many processes on one external PostgreSQL', () => {
  test('three that start together migrate once, all become ready, and are known by name', async () => {
    const DATABASE_URL = await createBareDatabase();
    const env = { DATABASE_URL, SECRET_KEY };
    const nodes = await Promise.all([1, 2].map(() => startLeadline({ env, cwd: makeFolder() })));
    const worker = spawnLeadline(['work'], { env, cwd: makeFolder() });
    await eventually('a worker', () => worker.output().includes('"Ready"'));
    for (const { address } of nodes)
      await eventually('it is ready', async () => (await statusOf(`${address}/health/ready`)) === 200);
    assert.equal(nodes.filter(({ output }) => output().includes('was migrated')).length, 1);
    const rows = await query<{ role: string }>(DATABASE_URL, 'select role from nodes order by role');
    assert.deepEqual(
      rows.map(({ role }) => role),
      ['serve', 'serve', 'work'],
    );
    worker.child.kill('SIGTERM');
    assert.equal((await worker.ended).code, 0);
    await Promise.all(nodes.map((node) => node.stop()));
    assert.deepEqual(await query(DATABASE_URL, 'select from nodes'), []);
  });

  test('the telephone line is looked after by one that answers requests, also where a worker was there before', async () => {
    const DATABASE_URL = await createBareDatabase();
    const env = { DATABASE_URL, SECRET_KEY };
    const worker = spawnLeadline(['work'], { env, cwd: makeFolder() });
    await eventually('a worker', () => worker.output().includes('"Ready"'));
    const node = await startLeadline({ env, cwd: makeFolder() });
    const holders = 'select role from leases join nodes on nodes.id = node_id';
    const [holder] = await eventually('somebody has it', async () => {
      const rows = await query<{ role: string }>(DATABASE_URL, holders);
      return rows.length > 0 && rows;
    });
    assert.equal(holder!.role, 'serve');
    worker.child.kill('SIGTERM');
    await Promise.all([worker.ended, node.stop()]);
  });

  test('recordings in a folder are refused where another machine works on the same database', async () => {
    const { url: DATABASE_URL } = await createTestDatabase();
    const env = { DATABASE_URL, SECRET_KEY };
    await query(
      DATABASE_URL,
      "insert into nodes (role, host, pid, version) values ('serve', 'other-machine', 1, '0.1.0')",
    );
    const isThere = () => query(DATABASE_URL, "update nodes set seen_at = now() where host = 'other-machine'");
    const signs = setInterval(() => void isThere().catch(() => {}), 2_000);
    const refused = await runLeadline(['serve'], { env: { ...env, PORT: '0' } }).finally(() => clearInterval(signs));
    assert.equal(refused.code, 1);
    assert.match(refused.output, /other-machine works on the same database.*Set RECORDINGS/);
    const bucket = await startLeadline({ env: { ...env, RECORDINGS: 's3://key:secret@127.0.0.1/calls' } });
    await bucket.stop();
  });

  test('a job that a stop breaks off is begun by another node at once, and no attempt is lost', async () => {
    const { pool } = await createTestDatabase();
    const log = createLog('silent');
    const begun: string[] = [];
    const node = async (name: string) => {
      const jobs = await startJobs(pool, log);
      const run = async () => {
        begun.push(name);
        if (name === 'first') await new Promise(() => {});
      };
      await jobs.work([{ name: 'long', run }]);
      return jobs;
    };
    const first = await node('first');
    const id = await first.boss.send('long', {});
    await eventually('it is begun', () => begun.length === 1);
    await first.stop(1_000);
    const { rows } = await pool.query(
      'select retry_count, start_after <= now() as due, started_on from pgboss.job where id = $1',
      [id],
    );
    assert.deepEqual(rows, [{ retry_count: 0, due: true, started_on: null }]);
    const second = await node('second');
    await eventually('it is begun again', () => begun.length === 2);
    await second.stop();
    assert.deepEqual(begun, ['first', 'second']);
  });

  test('nodes that fell silent a day ago are forgotten by the hourly job', async () => {
    const { url: DATABASE_URL } = await createTestDatabase();
    const leadline = await startLeadline({ env: { DATABASE_URL, SECRET_KEY } });
    await query(
      DATABASE_URL,
      "insert into nodes (role, host, pid, version, seen_at) values ('serve', 'gone', 1, '0.1.0', now() - interval '2 days')",
    );
    await query(DATABASE_URL, "insert into pgboss.job (name) values ('forget-silent-nodes')");
    await eventually(
      'the row is gone',
      async () => (await query(DATABASE_URL, "select from nodes where host = 'gone'")).length === 0,
    );
    await leadline.stop();
  });
});
