import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, Pool } from 'pg';
import { atEnd, createBareDatabase } from '../test/database.ts';
import { send } from '../test/house.ts';
import { eventually, makeFolder, spawnLeadline, startLeadline, statusOf } from '../test/leadline.ts';
import { createLog } from './platform/log.ts';
import { addMeasures } from './platform/measures.ts';
import { createMetrics, watchPool } from './platform/metrics.ts';
import { VERSION } from './version.ts';

const SECRET_KEY = 'the same on every node, 32 characters';
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

/** A way to a database that can be frozen: what is sent arrives, and no answer comes. */
async function openWay(url: string) {
  const sockets = new URL(url).searchParams.get('host')!;
  let frozen = false;
  const server = createServer((client) => {
    const database = connect(`${sockets}/.s.PGSQL.5432`);
    client.pipe(database);
    database.on('data', (data) => frozen || client.write(data));
    client.on('error', () => {}).on('close', () => database.destroy());
    database.on('error', () => {}).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => server.close());
  const way = new URL(url);
  way.search = '';
  way.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: way.href, freeze: () => (frozen = true), thaw: () => (frozen = false) };
}

const direct = await createBareDatabase();
const way = await openWay(direct);
const env = () => ({ DATABASE_URL: way.url, DATABASE_DIRECT_URL: direct, SECRET_KEY, DATA_DIR: makeFolder() });
const node = await startLeadline({ env: { ...env(), OWNER_EMAIL: OWNER.email, OWNER_PASSWORD: OWNER.password } });
const client = new Client({ connectionString: direct });
await client.connect();
atEnd(() => client.end());

type Samples = Record<string, number>;

const readSamples = (text: string): Samples =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^(leadline_\S+) (\S+)$/.exec(line) ?? [];
      return name ? [[name, Number(value)]] : [];
    }),
  );

const scrape = async (address: string): Promise<Samples> =>
  readSamples(await (await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(60_000) })).text());

const shows = (what: string, look: (now: Samples) => boolean, address = node.address) =>
  eventually(what, async () => {
    const now = await scrape(address);
    return look(now) && now;
  });

test('a quiet service shows noughts, not gaps', async () => {
  const now = await shows(
    'the line is held, and the database answered',
    ({ leadline_line_holder, leadline_database_up }) => leadline_line_holder === 1 && leadline_database_up === 1,
  );
  for (const name of [
    'leadline_deliveries_waiting',
    'leadline_deliveries_oldest_seconds',
    'leadline_deliveries_overdue_seconds',
    'leadline_delivery_attempts_total{result="failed"}',
    'leadline_jobs_failed{name="sweep"}',
    'leadline_mails_failed',
    'leadline_bulk_acts_waiting',
    'leadline_bulk_acts_oldest_seconds',
    'leadline_imports_waiting',
    'leadline_imports_oldest_seconds',
    'leadline_calls{state="active"}',
    'leadline_texts_queued',
    'leadline_texts_oldest_seconds',
    'leadline_recordings_waiting',
    'leadline_recordings_oldest_seconds',
    'leadline_holds',
    'leadline_streams',
    'leadline_database_connections{kind="usual",state="waited_for"}',
  ])
    assert.equal(now[name], 0, name);
  assert.equal(now[`leadline_nodes{role="serve",version="${VERSION}"}`], 1);
  assert.ok(now.leadline_heartbeat_age_seconds! < 30);
  for (const folder of ['incoming', 'recordings']) {
    const free = now[`leadline_disk_free_bytes{folder="${folder}"}`]!;
    assert.ok(free > 0 && free < now[`leadline_disk_size_bytes{folder="${folder}"}`]!, folder);
  }
  assert.ok(now['leadline_database_wait_seconds_count{kind="usual"}']! > 0);
  // Whoever runs the database saves it.
  assert.equal(now.leadline_last_backup_timestamp_seconds, undefined);
});

test('what waits is counted, and how long, and what failed', async () => {
  const { rows } = await client.query<{ id: number }>('select id from accounts');
  const account = rows[0]!.id;
  await client.query(
    `with webhook as (insert into webhooks (account_id, event, target_url, sealed)
       values ($1, 'new_call', 'http://127.0.0.1:1/', 'sealed by nobody') returning id)
     insert into deliveries (account_id, webhook_id, resource, created_at, next_at, attempts)
     select $1, id, '/api/v2/calls/' || n, now() - (3 - n) * interval '1 hour', now() + interval '1 hour', 6
       from webhook, generate_series(1, 2) n`,
    [account],
  );
  await client.query(
    `with call as (insert into calls (account_id, direction, state) values ($1, 'local', 'active') returning id)
     insert into recordings (account_id, call_id, part, started_at, noted_at, file, folder)
     select $1, id, 'a', now() - interval '11 minutes', now() - interval '10 minutes', 'nowhere', 'another-folder' from call`,
    [account],
  );
  await client.query(
    `insert into pgboss.job (name, state, completed_on)
     values ('sweep', 'failed', now()), ('sweep', 'failed', now() - interval '2 hours')`,
  );
  // One that failed an hour ago is of no use any more, and one that nobody has tried yet has not failed.
  await client.query(
    `insert into mails (account_id, recipient, subject, sealed, attempts, created_at)
     select $1, 'a@example.com', '', '', attempts, now() - age * interval '1 minute'
       from (values (2, 5), (2, 65), (0, 5)) m (attempts, age)`,
    [account],
  );
  await client.query(
    `insert into bulk_acts (account_id, user_id, kind, asked, via, created_at, finished_at)
     select $1, id, 'delete', '{}', 'app', now() - n * interval '10 minutes', now() from users, generate_series(1, 2) n`,
    [account],
  );
  // Locked, so that no node can finish it.
  const locking = new Client({ connectionString: direct });
  await locking.connect();
  atEnd(() => locking.end());
  await locking.query('begin; select from bulk_acts for key share');
  await client.query('update bulk_acts set finished_at = null where id = (select max(id) from bulk_acts)');
  await client.query(
    `with list as (insert into lists (account_id, name) values ($1, 'A list') returning id)
     insert into leads (account_id, list_id, held_by, held_until)
     select $1, list.id, u.id, now() + until * interval '1 minute' from list, users u, unnest(array[-1, 60]) until`,
    [account],
  );
  const now = await shows('two deliveries', ({ leadline_deliveries_waiting }) => leadline_deliveries_waiting === 2);
  const isAbout = (name: string, seconds: number) => assert.ok(Math.abs(now[name]! - seconds) < 60, name);
  isAbout('leadline_deliveries_oldest_seconds', 7_200);
  assert.equal(now.leadline_deliveries_overdue_seconds, 0);
  assert.equal(now.leadline_recordings_waiting, 1);
  isAbout('leadline_recordings_oldest_seconds', 600);
  assert.equal(now['leadline_jobs_failed{name="sweep"}'], 1);
  assert.equal(now.leadline_mails_failed, 1);
  assert.equal(now.leadline_bulk_acts_waiting, 1);
  isAbout('leadline_bulk_acts_oldest_seconds', 1_200);
  assert.equal(now['leadline_calls{state="active"}'], 1);
  assert.equal(now.leadline_holds, 1);
  // A secret that cannot be read is no reason to try again.
  await client.query('update deliveries set next_at = now()');
  await shows('both are given up', (then) => then['leadline_delivery_attempts_total{result="failed"}'] === 2);
});

test('every alert looks at what is really shown, and the papers name every alert and every metric', async () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
  const [rules, papers] = [read('deploy/alerts.yml'), read('docs/operate.md')];
  const text = await (await fetch(`${node.address}/metrics`)).text();
  const shown = new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name!));
  // Of the embedded database alone.
  shown.add('leadline_last_backup_timestamp_seconds');
  for (const [name] of rules.matchAll(/\b(leadline|nodejs)_[a-z\d_]+/g))
    assert.ok(shown.has(name.replace(/_(count|sum|bucket)$/, '')), name);
  for (const name of shown) if (name.startsWith('leadline_')) assert.ok(papers.includes(`\`${name}`), name);
  for (const [, name] of rules.matchAll(/- alert: (\S+)/g)) assert.ok(papers.includes(`\`${name}\``), name);
});

test('pages that listen are counted while they do', async () => {
  const origin = node.address;
  const signedIn = await send(`${origin}/app/session`, 'POST', OWNER, { origin });
  const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
  const page = new AbortController();
  await fetch(`${origin}/app/live`, { headers: { cookie }, signal: page.signal });
  await shows('one page', ({ leadline_streams }) => leadline_streams === 1);
  page.abort();
  await shows('none', ({ leadline_streams }) => leadline_streams === 0);
});

test('a frozen database does not hold up the metrics: they say so, and show nothing that they do not know', async () => {
  way.freeze();
  try {
    const now = await shows('it is away', ({ leadline_database_up }) => leadline_database_up === 0);
    assert.deepEqual(
      Object.keys(now).filter((name) =>
        /^leadline_(deliveries|jobs|mails|bulk|calls|texts|recordings|holds|nodes)/.test(name),
      ),
      [],
    );
    assert.ok('leadline_heartbeat_age_seconds' in now);
  } finally {
    way.thaw();
  }
  await shows('it is back', (now) => now.leadline_database_up === 1 && now.leadline_recordings_waiting === 1);
});

test('leadline work has health and metrics of its own, at WORK_PORT', async () => {
  const worker = spawnLeadline(['work'], { env: { ...env(), WORK_PORT: '0' } });
  const address = await eventually('its address', () => /"address":"([^"]+)"/.exec(worker.output())?.[1]);
  assert.equal(await statusOf(`${address}/health/live`), 200);
  await eventually('it is ready', async () => (await statusOf(`${address}/health/ready`)) === 200);
  assert.equal(await statusOf(`${address}/api/v2/lists`), 404);
  const now = await shows('the database answered', (then) => then.leadline_database_up === 1, address);
  assert.ok('leadline_line_holder' in now);
  assert.equal(now[`leadline_nodes{role="work",version="${VERSION}"}`], 1);
  const { status } = await send(`${address}/metrics`, 'GET', undefined, { 'x-forwarded-for': '10.0.0.7' });
  assert.equal(status, 403);
  worker.child.kill('SIGTERM');
  assert.equal((await worker.ended).code, 0);
});

test('all who look at the same moment share one question to the database', async () => {
  const pool = new Pool({ connectionString: direct });
  await pool.query('select 1');
  let asked = 0;
  pool.on('acquire', () => (asked += 1));
  const metrics = createMetrics();
  addMeasures(metrics, pool, createLog('silent'), [
    { name: 'leadline_things', help: 'Things', labels: ['kind'], text: `select 'odd' as kind, 3 as value` },
  ]);
  const looks = await Promise.all(Array.from({ length: 20 }, () => metrics.register.metrics()));
  for (const text of looks) assert.equal(readSamples(text)['leadline_things{kind="odd"}'], 3);
  assert.equal(asked, 1);
  await pool.end();
});

test('who waits for a connection is seen while they wait, and how long it took afterwards', async () => {
  const pool = new Pool({ connectionString: direct, max: 1 });
  const metrics = createMetrics();
  watchPool(metrics, 'vital', pool);
  const held = await pool.connect();
  const second = pool.query('select 1');
  const during = readSamples(await metrics.register.metrics());
  assert.equal(during['leadline_database_connections{kind="vital",state="busy"}'], 1);
  assert.equal(during['leadline_database_connections{kind="vital",state="waited_for"}'], 1);
  assert.equal(during['leadline_database_wait_seconds_count{kind="vital"}'], 1);
  held.release();
  await second;
  const after = readSamples(await metrics.register.metrics());
  assert.equal(after['leadline_database_connections{kind="vital",state="waited_for"}'], 0);
  assert.equal(after['leadline_database_wait_seconds_count{kind="vital"}'], 2);
  await pool.end();
});
