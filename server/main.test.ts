import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createBareDatabase } from '../test/database.ts';
import { eventually, makeFolder, runLeadline, spawnLeadline, startLeadline, statusOf } from '../test/leadline.ts';

const SECRET_KEY = 'the same on every node, 32 characters';

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
    const leadline = await startLeadline({ env: { DATA_DIR: makeFolder() } });
    const outcomes = new Map<number | string, number>();
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const clients = Array.from({ length: 20 }, async () => {
      for (;;) {
        const outcome = await ask(agent, leadline.address);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome === 'refused') return;
      }
    });
    await sleep(500);
    const stopped = leadline.stop();
    await Promise.all(clients);
    agent.destroy();
    assert.equal((await stopped).code, 0);
    assert.ok(outcomes.get(200)! > 100);
    assert.deepEqual(new Set(outcomes.keys()), new Set([200, 'refused']));
  });

  test('a stop is announced to load balancers first', async () => {
    const leadline = await startLeadline({ env: { DATA_DIR: makeFolder() } });
    const stopped = leadline.stop();
    await eventually('not ready', async () => (await statusOf(`${leadline.address}/health/ready`)) === 503);
    assert.equal((await stopped).code, 0);
  });

  test('a connection that was opened and never used does not hold up a stop', async () => {
    const leadline = await startLeadline({ env: { DATA_DIR: makeFolder() } });
    const unused = connect(Number(new URL(leadline.address).port), '127.0.0.1');
    await once(unused, 'connect');
    const cutOff = Promise.race([
      once(unused.resume(), 'close').then(() => true),
      sleep(30_000, false, { ref: false }),
    ]);
    assert.equal((await leadline.stop()).code, 0);
    assert.equal(await cutOff, true);
  });

  test('a taken port is told in a sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, output } = await runLeadline(['serve'], {
      env: { DATA_DIR: makeFolder(), PORT: String(port), LOG_LEVEL: 'silent' },
    });
    other.close();
    assert.deepEqual(
      { code, output },
      { code: 1, output: `Port ${port} is taken by another program. Set PORT to a free one.\n` },
    );
  });

  test('a wrong configuration is told in sentences, and nothing is started', async () => {
    const { code, output } = await runLeadline(['serve'], {
      env: { DATA_DIR: makeFolder(), PORT: 'x', LOG_LEVEL: 'y' },
    });
    assert.equal(code, 1);
    assert.match(output, /^The configuration needs a change:\n {2}PORT is "x".*\n {2}LOG_LEVEL is "y"/);
  });
});

describe('many processes on one external PostgreSQL', () => {
  test('three that start together migrate once, all become ready, and are known by name', async () => {
    const DATABASE_URL = await createBareDatabase();
    const env = { DATABASE_URL, SECRET_KEY };
    const nodes = await Promise.all([1, 2].map(() => startLeadline({ env, cwd: makeFolder() })));
    const worker = spawnLeadline(['work'], { env, cwd: makeFolder() });
    await eventually('a worker', () => worker.output().includes('"Ready"'));
    for (const { address } of nodes) assert.equal(await statusOf(`${address}/health/ready`), 200);
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

  test('recordings in a folder are refused where another machine works on the same database', async () => {
    const DATABASE_URL = await createBareDatabase();
    const env = { DATABASE_URL, SECRET_KEY };
    assert.equal((await runLeadline(['migrate'], { env })).code, 0);
    await query(
      DATABASE_URL,
      "insert into nodes (role, host, pid, version) values ('serve', 'other-machine', 1, '0.1.0')",
    );
    const refused = await runLeadline(['serve'], { env: { ...env, PORT: '0' } });
    assert.equal(refused.code, 1);
    assert.match(refused.output, /other-machine works on the same database.*Set RECORDINGS/);
    const bucket = await startLeadline({ env: { ...env, RECORDINGS: 's3://key:secret@127.0.0.1/calls' } });
    await bucket.stop();
  });

  test('nodes that fell silent a day ago are forgotten by the hourly job', async () => {
    const DATABASE_URL = await createBareDatabase();
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
