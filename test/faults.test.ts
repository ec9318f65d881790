import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUp } from '../server/people/accounts/accounts.ts';
import { readBulkAct, startBulkAct } from '../server/bulk/bulk.ts';
import { receiveChunk } from '../server/imports/chunks.ts';
import { announceImport, readImport } from '../server/imports/imports.ts';
import { startImport } from '../server/imports/start.ts';
import { readKey } from '../server/people/keys/keys.ts';
import { findLeadList } from '../server/leads/access.ts';
import { loadLeads } from '../server/leads/load.ts';
import { startListJob } from '../server/lists/jobs.ts';
import { createList } from '../server/lists/lists.ts';
import { serviceActor } from '../server/platform/actor.ts';
import { hashPassword } from '../server/platform/passwords.ts';
import { Secrets } from '../server/platform/secrets.ts';
import { createTransact } from '../server/platform/work.ts';
import { findActor } from '../server/people/users/users.ts';
import { consequences } from '../server/consequences.ts';
import { subscribe } from '../server/webhooks/webhooks.ts';
import { asIs, createTestDatabase } from './database.ts';
import { send } from './house.ts';
import { eventually, makeFolder, spawnLeadline, startLeadline } from './leadline.ts';
import { openSubscriber } from './subscriber.ts';

// Real processes on one database, ended the hard way. `npm run faults` measures how soon the others go on: 15 seconds are promised.
const SECRET_KEY = 'the same on every node, 32 characters';
const { url, pool, db } = await createTestDatabase();
const secrets = new Secrets(SECRET_KEY);
const transact = createTransact({ db, secrets, consequences });
const env = () => ({
  DATABASE_URL: url,
  SECRET_KEY,
  DATA_DIR: makeFolder(),
  RECORDINGS: 's3://a:b@127.0.0.1:1/x',
  RATE_LIMITS: 'off',
});

const owner = { email: 'owner@example.com', passwordHash: await hashPassword('correct horse battery') };
const { account, user } = await transact((work) =>
  setUp(work, undefined, { name: 'Acme', baseUrl: 'http://localhost' }, owner),
);
const actor = serviceActor(account, 'test');
const newList = async (count: number) =>
  transact(async (work) => {
    const { id } = await createList(work, actor, { name: 'Faults' });
    const rows = Array.from({ length: count }, () => ({ first_name: 'Ann' }));
    return { id, leads: await loadLeads(work, actor, await findLeadList(work, actor, id, 'leads.write'), rows) };
  });

/** Another worker, and when it was there: how long a process takes to start is the machine's affair. */
const sendAnother = async () => {
  const { child, ended } = spawnLeadline(['work'], { env: env() });
  await eventually('it is among the nodes', async () => {
    const { rows } = await pool.query('select from nodes where pid = $1', [child.pid]);
    return rows.length > 0;
  });
  return { child, ended, since: Date.now() };
};

/** No batch with this lead comes through until it is let go, so whoever is killed meanwhile is in the middle. */
const holdRow = async (text: string, lead: number | undefined) => {
  const holding = await pool.connect();
  await holding.query('begin');
  await holding.query(text, [lead]);
  return async () => {
    await holding.query('commit');
    holding.release();
  };
};

test('kill -9 in the middle of 5,000 deliveries: all arrive, repeats only with the same id, going on within a minute', async () => {
  const subscriber = await openSubscriber();
  const list = await newList(1);
  const webhook = await transact((work) =>
    subscribe(work, actor, list.id, { event: 'winner', target_url: `${subscriber.url}/x` }),
  );
  await pool.query(
    `insert into deliveries (account_id, webhook_id, resource) select $1, $2, '/api/v2/leads/' || n from generate_series(1, 5000) n`,
    [account.id, webhook.id],
  );
  const first = spawnLeadline(['work'], { env: env() });
  await eventually('a thousand arrived', () => subscriber.received.length > 1_000);
  first.child.kill('SIGKILL');
  await first.ended;
  // What it leaves when the database's clock is set back an hour in the same moment.
  await pool.query(`update nodes set seen_at = seen_at + interval '1 hour'`);
  const before = subscriber.received.length;
  assert.ok(before < 5_000, `killed in the middle: ${before}`);
  const second = await sendAnother();
  await eventually('it goes on', () => subscriber.received.length > before);
  assert.ok(Date.now() - second.since < 60_000);
  const resources = new Map<string, Set<string>>();
  await eventually('all arrived', () => {
    for (const { body, headers } of subscriber.received) {
      const ids = resources.get(body) ?? new Set();
      resources.set(body, ids.add(String(headers['webhook-id'])));
    }
    return resources.size === 5_000;
  });
  assert.ok([...resources.values()].every(({ size }) => size === 1));
  await eventually('all are noted', async () => {
    const { rows } = await pool.query(`select count(*) as left from deliveries where state <> 'delivered'`);
    return rows[0].left === 0;
  });
  second.child.kill('SIGTERM');
  assert.equal((await second.ended).code, 0);
});

test('kill -9 during outcomes: no state without its event, no event without its state, and the counters hold', async () => {
  const list = await newList(200);
  const key = (await readKey({ db, secrets }, { accountId: account.id, userId: null }))!;
  const node = await startLeadline({ env: env() });
  let given = 0;
  const hammer = async (offset: number) => {
    for (let turn = 0; ; turn += 1) {
      const lead = list.leads[(turn * 20 + offset) % list.leads.length];
      const outcome = ['winner', 'loser', 'archive', 'call_back'][turn % 4];
      const answer = await send(`${node.address}/api/v2/leads/${lead}/${outcome}`, 'POST', undefined, {
        authorization: `Token "${key}"`,
      }).catch(() => undefined);
      if (!answer) return;
      assert.equal(answer.status, 204);
      given += 1;
    }
  };
  const clients = Array.from({ length: 20 }, (_, offset) => hammer(offset));
  await eventually('some were given', () => given > 300);
  node.child.kill('SIGKILL');
  await Promise.all(clients);
  // What the killed process had asked for is done or undone by the database in its own time.
  await eventually('nothing is under way', async () => {
    const { rows } = await pool.query(
      `select count(*) as left from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    return rows[0].left === 0;
  });
  const { rows: torn } = await pool.query(
    `select l.id, l.state, e.state as told
       from leads l left join lateral (select changes -> 'state' ->> 1 as state from events
              where lead_id = l.id and changes ? 'state' order by id desc limit 1) e on true
      where l.list_id = $1 and l.state <> coalesce(e.state, 'new')`,
    [list.id],
  );
  assert.deepEqual(torn, []);
  const { rows: events } = await pool.query<{ events: number }>(
    'select count(*) as events from events where list_id = $1',
    [list.id],
  );
  assert.ok(events[0]!.events >= given, 'every acknowledged outcome is there');
  const { rows: drift } = await pool.query(
    `select state, count(*) as leads from leads where list_id = $1 group by 1
     except select state, sum(leads)::int8 from lead_counts where list_id = $1 group by 1`,
    [list.id],
  );
  assert.deepEqual(drift, []);
});

test('kill -9 in mid-call: another node ends the call when it was last heard of, and takes over the line', async () => {
  const first = await startLeadline({ env: env() });
  const ask = async (address: string, cookie: string, method: string, path: string, body?: unknown) =>
    (await send(`${address}/app${path}`, method, body, { cookie, origin: address })).body;
  const signIn = async (address: string) => {
    const credentials = { email: owner.email, password: 'correct horse battery' };
    const { headers } = await send(`${address}/app/session`, 'POST', credentials, { origin: address });
    return headers.get('set-cookie')!.split(';', 1)[0]!;
  };
  const cookie = await signIn(first.address);
  const { id } = await ask(first.address, cookie, 'POST', '/calls', { call: { number: '+4533112201' } });
  const look = (address: string) => ask(address, cookie, 'GET', `/calls/${id}`);
  await eventually('it is active', async () => (await look(first.address)).state === 'active');
  // Neither does another node take it over, nor does one that starts end what is going on.
  const second = await startLeadline({ env: env() });
  await eventually('it has looked at the others again and again', async () => {
    const { rows } = await pool.query(
      `select from nodes where pid = $1 and seen_at > started_at + interval '5 seconds'`,
      [second.pid],
    );
    return rows.length > 0;
  });
  assert.equal((await look(second.address)).state, 'active');
  first.child.kill('SIGKILL');
  await first.ended;
  const killed = Date.now();
  const call = await eventually('it is over', async () => {
    const now = await look(second.address);
    return now.state === 'completed' ? now : undefined;
  });
  assert.ok(Date.now() - killed < 60_000);
  assert.equal(call.disposition, 'normal');
  const { rows } = await pool.query(
    `select extract(epoch from c.ended_at - n.seen_at)::float8 as off from calls c, nodes n where c.id = $1 and n.pid = $2`,
    [id, first.pid],
  );
  // To the millisecond, as the times of calls are kept.
  assert.ok(Math.abs(rows[0].off) < 0.002, `${rows[0].off} s after it was last heard of`);
  const next = await ask(second.address, cookie, 'POST', '/calls', { call: { number: '+4533112230' } });
  await eventually('the line works again', async () => {
    const { state, disposition } = await ask(second.address, cookie, 'GET', `/calls/${next.id}`);
    return state === 'completed' && disposition === 'busy';
  });
  second.child.kill('SIGTERM');
  assert.equal((await second.ended).code, 0);
});

test('kill -9 in the middle of a bulk act: another node goes on within a minute, and each lead has it once', async () => {
  const list = await newList(1_000);
  const acting = await findActor({ db, secrets }, account.id, user.id, 'app');
  const { id } = await transact((work) =>
    startBulkAct(work, acting, { kind: 'archive', matching: { list_ids: [list.id] } }),
  );
  const look = () => readBulkAct({ db, secrets }, acting, id);
  const letGo = await holdRow('select from leads where id = $1 for update', list.leads[700]);
  const first = spawnLeadline(['work'], { env: env() });
  await eventually('some are done', async () => (await look()).done > 0);
  first.child.kill('SIGKILL');
  await first.ended;
  const before = await look();
  assert.ok(before.done < before.total, 'killed in the middle');
  await letGo();
  const second = await sendAnother();
  await eventually('it goes on', async () => (await look()).done > before.done);
  assert.ok(Date.now() - second.since < 60_000);
  const act = await eventually('it is finished', async () => {
    const now = await look();
    return now.finished_at ? now : undefined;
  });
  assert.deepEqual([act.done, act.refusals], [1_000, 0]);
  const { rows } = await pool.query(
    `select count(*) as events, count(distinct lead_id) as leads from events where list_id = $1 and kind = 'archive'`,
    [list.id],
  );
  assert.deepEqual(rows, [{ events: 1_000, leads: 1_000 }]);
  second.child.kill('SIGTERM');
  assert.equal((await second.ended).code, 0);
});

test('kill -9 in the middle of an import: another node goes on, and each row is there once, in its order', async () => {
  const ROWS = 20_000;
  const list = await newList(0);
  const lines = Array.from({ length: ROWS }, (_, index) => `Row ${index + 1},+45${20_000_000 + index}`);
  const file = Buffer.from(['First name,Mobile phone', ...lines].join('\n'));
  const acting = await findActor({ db, secrets }, account.id, user.id, 'app');
  const announced = { file_name: 'leads.csv', bytes: file.length, list_id: list.id };
  const { id } = await transact((work) => announceImport(work, acting, announced, file.length));
  await transact((work) => receiveChunk(work, acting, id, '0', file));
  const look = () => readImport({ db, secrets }, acting, id);
  const first = spawnLeadline(['work'], { env: env() });
  const { version } = await eventually('all is checked', async () => {
    const now = await look();
    return now.state === 'checked' && now;
  });
  await transact((work) => startImport(work, acting, id, version));
  await eventually('some are in', async () => (await look()).made > 0);
  const letGo = await holdRow('select from lists where id = $1 for update', list.id);
  first.child.kill('SIGKILL');
  await first.ended;
  const before = await look();
  assert.ok(before.made < ROWS, 'killed in the middle');
  await letGo();
  const second = await sendAnother();
  const done = await eventually('it is finished', async () => {
    const now = await look();
    return now.state === 'finished' && now;
  });
  assert.deepEqual([done.made, done.done, done.left_out], [ROWS, ROWS, 0]);
  const { rows } = await pool.query(
    `select count(*)::int as leads, count(distinct row)::int as rows, bool_and(row = place + 1) as ordered
       from (select row, row_number() over (order by lead_id) as place from import_leads where import_id = $1) i`,
    [id],
  );
  assert.deepEqual(rows, [{ leads: ROWS, rows: ROWS, ordered: true }]);
  const { rows: counted } = await pool.query(
    `select (select count(*)::int from leads where list_id = $1) as leads,
            (select count(*)::int from lead_marks where list_id = $1) as marks,
            (select sum(leads)::int from lead_counts where list_id = $1) as counted`,
    [list.id],
  );
  assert.deepEqual(counted, [{ leads: ROWS, marks: ROWS, counted: ROWS }]);
  second.child.kill('SIGTERM');
  assert.equal((await second.ended).code, 0);
});

test('kill -9 in the middle of a change of fields: another node takes it to the exact end', async () => {
  const list = await newList(1_000);
  await transact(async (work) => {
    await work.db.send(
      asIs(
        `update lead_data set hidden = jsonb_build_object('last_name', 'Berg ' || lead_id), words = '' where list_id = $1`,
      ),
      [list.id],
    );
    await work.db.send(asIs('update lists set unsettled = true where id = $1'), [list.id]);
    return startListJob(work, actor, list.id, { kind: 'settle', what: 'Last name is back.', keys: ['last_name'] });
  });
  const left = async (): Promise<number> => {
    const { rows } = await pool.query(
      `select count(*)::int as left from lead_data where list_id = $1 and hidden <> '{}'`,
      [list.id],
    );
    return rows[0].left;
  };
  const letGo = await holdRow('select from lead_data where lead_id = $1 for update', list.leads[700]);
  const first = spawnLeadline(['work'], { env: env() });
  await eventually('it has begun', async () => (await left()) < 1_000);
  first.child.kill('SIGKILL');
  await first.ended;
  assert.ok((await left()) >= 300);
  await letGo();
  const second = spawnLeadline(['work'], { env: env() });
  const done = await eventually('it is finished', async () => {
    const { rows } = await pool.query('select done from list_jobs where list_id = $1 and finished_at is not null', [
      list.id,
    ]);
    return rows[0]?.done as number | undefined;
  });
  const { rows } = await pool.query(
    `select count(*) filter (where data = jsonb_build_object('first_name', 'Ann', 'last_name', 'Berg ' || lead_id) and hidden = '{}'
              and words @@ to_tsquery('simple', 'berg & ' || lead_id))::int as exact,
            (select unsettled from lists where id = $1) as unsettled from lead_data where list_id = $1`,
    [list.id],
  );
  assert.deepEqual([done, rows[0]], [1_000, { exact: 1_000, unsettled: false }]);
  second.child.kill('SIGTERM');
  await second.ended;
});
