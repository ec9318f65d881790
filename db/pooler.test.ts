import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { createBareDatabase } from '../test/database.ts';
import { hasBouncer, openBouncer } from '../test/bouncer.ts';
import { makeFolder, makeInstallation, runLeadline, startLeadline } from '../test/leadline.ts';
import { skipWithout } from '../test/peers.ts';
import { DIRECT, probeWay } from './pooler.ts';

const skip = skipWithout(hasBouncer, 'PgBouncer is not installed.');
const SECRET_KEY = 'the same on every node, 32 characters';
/** What is found is looked at here, not how soon. */
const probe = (url: string) => probeWay(url, 120_000);

test('straight to the database statements are named', async () => {
  assert.deepEqual(await probe(await createBareDatabase()), DIRECT);
});

test('what an earlier probe left behind at the pooler does not mislead the next one', { skip }, async () => {
  const pooled = await openBouncer(await createBareDatabase());
  const way = await probe(pooled);
  const clients = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const client = new Client({ connectionString: pooled });
      await client.connect();
      // Each has a connection of the pooler to itself until the transaction ends.
      await client.query('begin');
      return client;
    }),
  );
  for (const client of clients) await client.query({ name: 'leadline_probe', text: 'select pg_backend_pid() as pid' });
  for (const client of clients) await client.query('commit');
  assert.deepEqual(await probe(pooled), way);
  await Promise.all(clients.map((client) => client.end()));
});

test('a probe is not misled by others who use the pooler at the same moment', { skip }, async () => {
  const pooled = await openBouncer(await createBareDatabase());
  const way = await probe(pooled);
  let over = false;
  const others = Array.from({ length: 12 }, async () => {
    const client = new Client({ connectionString: pooled });
    await client.connect();
    while (!over) await client.query('select pg_sleep(0.0005)');
    await client.end();
  });
  const found: string[] = [];
  for (let time = 0; time < 40; time += 1) found.push(JSON.stringify(await probe(pooled)));
  over = true;
  await Promise.all(others);
  // The careful way is always right; the other only where the pooler keeps names.
  if (!way.named) assert.deepEqual([...new Set(found)], [JSON.stringify(way)]);
});

test(
  'behind a PgBouncer in transaction mode the whole service works, by its own way for migrations',
  { skip },
  async () => {
    const direct = await createBareDatabase();
    const pooled = await openBouncer(direct);
    const way = await probe(pooled);
    assert.equal(way.shared, true);
    const env = { SECRET_KEY, DATA_DIR: makeFolder(), RATE_LIMITS: 'off' };
    const refused = await runLeadline(['serve'], { env: { ...env, DATABASE_URL: pooled } });
    assert.equal(refused.code, 1);
    assert.match(refused.output, /Set DATABASE_DIRECT_URL to the database itself/);

    const node = await startLeadline({ env: { ...env, DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct } });
    const key = (
      await runLeadline(['key'], { env: { ...env, DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct } })
    ).output.trim();
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${node.address}/api/v2${path}`, {
        method,
        headers: { authorization: `Token "${key}"`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
    };
    const { body: list } = await ask('POST', '/lists', { list: { name: 'Pooled' } });
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        ask('POST', `/lists/${list.id}/leads`, { lead: { first_name: `Ann ${index}` } }),
      ),
    );
    assert.deepEqual([...new Set(made.map(({ status }) => status))], [201]);
    const outcomes = await Promise.all(made.map(({ body }) => ask('POST', `/leads/${body.id}/winner`)));
    assert.deepEqual([...new Set(outcomes.map(({ status }) => status))], [204]);
    assert.equal((await ask('GET', `/lists/${list.id}/stats`)).body.leads_counts.won.total, 40);
    const { output } = await node.stop();
    const faults = output.split('\n').filter((line) => /"level":(50|60)/.test(line));
    assert.deepEqual(
      faults.filter((line) => !line.includes('Stopping took more than')),
      [],
    );
  },
);

test(
  'no command takes the lock of migrations behind a PgBouncer in transaction mode, where it would stay',
  { skip },
  async () => {
    const direct = await createBareDatabase();
    const pooled = await openBouncer(direct);
    const run = (args: string[], env: Record<string, string>) =>
      runLeadline(args, { env: { DATA_DIR: makeFolder(), ...env } });
    for (const args of [['key'], ['migrate'], ['secret', '--accept']]) {
      const { code, output } = await run(args, { DATABASE_URL: pooled, SECRET_KEY });
      assert.equal(code, 1, output);
      assert.match(output, /Set DATABASE_DIRECT_URL to the database itself/);
    }
    const moved = await run(['move', '--to', pooled], { DATA_DIR: makeInstallation() });
    assert.equal(moved.code, 1, moved.output);
    assert.match(moved.output, /^--to leads through a pooler that shares its connections\. Name the database itself/);
    const client = new Client({ connectionString: direct });
    await client.connect();
    const { rows } = await client.query<{ locks: number; tables: number }>(
      `select (select count(*)::int from pg_locks join pg_database on pg_database.oid = database
                where locktype = 'advisory' and objid = 4951001 and datname = current_database()) as locks,
              (select count(*)::int from pg_tables where schemaname = 'public') as tables`,
    );
    await client.end();
    assert.deepEqual(rows, [{ locks: 0, tables: 0 }]);
    const { code, output } = await run(['key'], {
      DATABASE_URL: pooled,
      DATABASE_DIRECT_URL: direct,
      SECRET_KEY,
    });
    assert.equal(code, 0, output);
  },
);
