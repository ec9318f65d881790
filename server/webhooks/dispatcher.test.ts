import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, mock, test } from 'node:test';
import { atEnd, createTestDatabase } from '../../test/database.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { setUp } from '../people/accounts/accounts.ts';
import { serviceActor } from '../platform/actor.ts';
import { createPostOut } from '../platform/http-out.ts';
import { createLog } from '../platform/log.ts';
import { joinNodes } from '../platform/nodes.ts';
import { Secrets } from '../platform/secrets.ts';
import { createTransact } from '../platform/work.ts';
import { endWebhook, giveBack, takeDeliveries, tidyDeliveries } from './deliveries.ts';
import { startDispatcher } from './dispatcher.ts';
import { consequences } from '../consequences.ts';
import { subscribe } from './webhooks.ts';

const { pool, db } = await createTestDatabase();
const secrets = new Secrets('for tests alone');
const log = createLog('silent');
const transact = createTransact({ db, secrets, consequences });
const { account } = await transact((work) =>
  setUp(work, undefined, { name: 'Acme', baseUrl: 'http://localhost' }, { email: 'o@example.com', passwordHash: '' }),
);
const out = createPostOut();
atEnd(() => out.close());
const node = await joinNodes(db, 'work', log);
atEnd(() => node.leave());

const start = (id = node.id, silent: number[] = []) => {
  const dispatcher = startDispatcher({
    db,
    log,
    secrets,
    // Whoever hangs does so for good: on a busy machine the time that they are given is soon over.
    post: (...given) => out.post(...given).catch(() => new Promise<never>(() => {})),
    allowedFor: () => ({ exceptions: ['127.0.0.0/8'], nearby: true }),
    node: { id, silent: () => silent },
  });
  atEnd(() => dispatcher.stop());
  return dispatcher;
};
const newHook = async (target_url: string) =>
  (await transact((work) => subscribe(work, serviceActor(account, 'test'), null, { event: 'new_call', target_url })))
    .id;
const add = async (hook: number, count: number, columns = 'attempts', values = '0', accountId = account.id) => {
  const { rows } = await pool.query<{ id: number }>(
    `insert into deliveries (account_id, webhook_id, resource, ${columns})
     select $1, $2, '/api/v2/calls/' || n, ${values} from generate_series(1, $3::int) n returning id`,
    [accountId, hook, count],
  );
  return rows.map(({ id }) => id);
};
/** How many of a subscription's deliveries are in which condition. */
const standing = async (hook: number) =>
  (
    await pool.query(
      `select state, attempts, taken_by is not null as taken, count(*) as deliveries from deliveries where webhook_id = $1
        group by 1, 2, 3 order by 1, 2, 3`,
      [hook],
    )
  ).rows;
const all = (state: string, attempts: number, deliveries: number) => [{ state, attempts, taken: false, deliveries }];
/** Answers so many, so that more and more are taken at once, and then hangs until it is told to go on. */
const openMoody = async (most: number) => {
  const mood = { most };
  const subscriber = await openSubscriber(() => (subscriber.received.length > mood.most ? undefined : 200));
  return { ...subscriber, mood };
};

test('a stop gives back what was taken, tried to its end or not, and no attempt is lost by it', async () => {
  const { url, received, mood } = await openMoody(20);
  const hook = await newHook(url);
  await add(hook, 300);
  const dispatcher = start();
  await eventually('some hang', () => received.length > 20);
  const asked = performance.now();
  await dispatcher.stop();
  assert.ok(performance.now() - asked < 60_000, 'those who hang hold nothing up');
  // It waits for its last word for a moment only.
  await eventually('it is given back', async () => (await standing(hook)).every(({ taken }) => !taken));
  const [delivered, ...rest] = await standing(hook);
  assert.equal(delivered.state, 'delivered');
  assert.deepEqual(rest, all('waiting', 0, 300 - delivered.deliveries));
  const { rows: tried } = await pool.query(
    `select from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.state = 'waiting'`,
  );
  assert.equal(tried.length, 0);

  const cut = received.slice(20).map(({ headers }) => headers['webhook-id']);
  mood.most = Infinity;
  const next = start();
  await eventually('all arrived', async () => (await standing(hook)).every(({ state }) => state === 'delivered'));
  assert.deepEqual(await standing(hook), all('delivered', 1, 300));
  const times = Map.groupBy(received, ({ headers }) => headers['webhook-id']);
  assert.deepEqual(
    [times.size, received.length],
    [300, 300 + cut.length],
    'only those that were cut off came twice, under the same ids',
  );
  await next.stop();
});

test('a database that does not answer holds up no stop; what could not be given back is free when the node is gone', async () => {
  const { url, received, mood } = await openMoody(0);
  const hook = await newHook(url);
  const dispatcher = start();
  await add(hook, 2);
  await eventually('under way', () => received.length === 2);
  const client = await pool.connect();
  await client.query('begin; lock table deliveries in access exclusive mode');
  const asked = performance.now();
  await dispatcher.stop();
  assert.ok(performance.now() - asked < 60_000);
  await client.query('rollback');
  client.release();
  mood.most = Infinity;
  const next = start(node.id + 1_000, [node.id]);
  await eventually('they arrived', async () => (await standing(hook)).every(({ state }) => state === 'delivered'));
  assert.deepEqual(await standing(hook), all('delivered', 1, 2));
  await next.stop();
});

test('a subscriber that takes its time is brought four at once, the next with each answer', async () => {
  let [open, most] = [0, 0];
  const slow = createServer((request, response) => {
    most = Math.max(most, (open += 1));
    request.resume();
    setTimeout(() => {
      open -= 1;
      response.end();
    }, 700);
  });
  await new Promise<void>((listening) => {
    slow.listen(0, '127.0.0.1', listening);
  });
  atEnd(async () => slow.close());
  const hook = await newHook(`http://127.0.0.1:${(slow.address() as AddressInfo).port}/`);
  await add(hook, 20);
  const dispatcher = start();
  await eventually('all arrived', async () => (await standing(hook)).every(({ state }) => state === 'delivered'));
  assert.equal(most, 4);
  await dispatcher.stop();
});

test('what was taken by a statement whose answer was lost is brought after all, and what is in hand is not brought twice', async () => {
  const hanging = await openMoody(0);
  const quick = await openSubscriber();
  const [slow, lost] = [await newHook(hanging.url), await newHook(quick.url)];
  const dispatcher = start();
  await add(slow, 2);
  await eventually('under way', () => hanging.received.length === 2);
  const client = await pool.connect();
  await client.query('begin; lock table deliveries in access exclusive mode');
  await client.query(
    `insert into deliveries (account_id, webhook_id, resource, attempts, taken_by) select $1, $2, '/api/v2/calls/1', 1, $3`,
    [account.id, lost, node.id],
  );
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually('its connection is gone', async () => (await client.query(cut)).rowCount === 1);
  await client.query('commit');
  client.release();
  await eventually('it arrived', () => quick.received.length === 1);
  assert.equal(hanging.received.length, 2);
  assert.deepEqual(await standing(slow), [{ state: 'waiting', attempts: 1, taken: true, deliveries: 2 }]);
  await eventually('it is noted', async () => (await standing(lost)).every(({ state }) => state === 'delivered'));
  assert.deepEqual(await standing(lost), all('delivered', 1, 1));
  await dispatcher.stop();
});

test('the clock was set back an hour, and a node died: nothing waits for the clock to come round', async () => {
  const { url, received } = await openSubscriber();
  const hook = await newHook(url);
  const later = `now() + interval '61 minutes'`;
  await add(hook, 3, 'next_at, created_at', `${later}, ${later}`);
  await add(hook, 3, 'attempts, taken_by', '1, 987654321');
  const [retried] = await add(hook, 1, 'next_at, attempts', `${later}, 1`);
  await tidyDeliveries(db);
  const dispatcher = start();
  await eventually('they arrived', () => received.length === 6);
  const { rows } = await pool.query(
    'select next_at - now() < interval $$73 seconds$$ as soon from deliveries where id = $1',
    [retried],
  );
  assert.deepEqual(rows, [{ soon: true }]);
  await dispatcher.stop();
});

test('a machine whose own clock is an hour ahead signs, notes and waits by the database’s', async () => {
  const { url, received } = await openSubscriber(() => 500);
  const hook = await newHook(url);
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
  const dispatcher = start();
  const [id] = await add(hook, 1);
  await eventually('it was tried', async () => {
    if (received.length === 0) return false;
    const { rows } = await pool.query(
      `select abs(extract(epoch from a.at - now())) < 30 as noted, abs(extract(epoch from d.next_at - now()) - 60) < 30 as waits,
              abs(extract(epoch from now()) - $2) < 30 as signed
         from deliveries d join delivery_attempts a on a.delivery_id = d.id where d.id = $1`,
      [id, Number(received[0]!.headers['webhook-timestamp'])],
    );
    if (rows.length > 0) assert.deepEqual(rows, [{ noted: true, waits: true, signed: true }]);
    return rows.length > 0;
  }).finally(() => mock.timers.reset());
  await dispatcher.stop();
});

describe('of an account with hundreds of subscribers', async () => {
  const { account: other } = await transact((work) =>
    setUp(work, undefined, { name: 'Other', baseUrl: 'http://other' }, { email: 'p@example.com', passwordHash: '' }),
  );
  const newList = async () =>
    (await pool.query(`insert into lists (account_id, name) values ($1, 'Many') returning id`, [account.id])).rows[0]
      .id;
  /** So many at once, which no other could be asked for; each has two that wait since an hour. */
  const addMany = async (count: number, url: string) => {
    await pool.query(
      `with hook as (
         insert into webhooks (account_id, list_id, event, target_url, sealed)
         select $1, $2, 'winner', $3 || '/' || n, (select sealed from webhooks limit 1) from generate_series(1, $4::int) n
         returning id)
       insert into deliveries (account_id, webhook_id, resource, next_at)
       select $1, hook.id, '/api/v2/leads/1', now() - interval '1 hour' from hook, generate_series(1, 2)`,
      [account.id, await newList(), url, count],
    );
  };
  const newHookOf = async (of: typeof account, target_url: string) =>
    (await transact((work) => subscribe(work, serviceActor(of, 'test'), null, { event: 'new_call', target_url }))).id;
  const inHand = async () =>
    (await pool.query('select count(*) as taken from deliveries where taken_by = $1', [node.id])).rows[0]
      .taken as number;
  const clear = () => pool.query(`update webhooks set ended_at = now() where list_id is not null`);

  test('some are taken at once, and the newest of another account is among them', async () => {
    const hook = await newHookOf(other, 'http://127.0.0.1:9/newest');
    await addMany(600, 'http://127.0.0.1:9');
    const [id] = await add(hook, 1, undefined, undefined, other.id);
    const taken = await takeDeliveries(db, node.id, { known: new Map(), unknown: 2, full: [], quick: 100 });
    assert.ok(taken.length >= 500 && taken.length < 600, `${taken.length} of 1,201`);
    assert.ok(taken.some((one) => one.id === id));
    await giveBack(db, node.id, taken);
    await clear();
    await endWebhook(db, other.id, hook);
  });

  test('that all hang, some wait; those that answer quickly do not, nor does another account', async () => {
    const quick = await openSubscriber();
    const [own, theirs] = [await newHook(`${quick.url}/own`), await newHookOf(other, `${quick.url}/theirs`)];
    const { url, received } = await openSubscriber(() => undefined);
    const dispatcher = start();
    await eventually('one is known to answer quickly', async () => {
      const [id] = await add(own, 1);
      const tried = await eventually('it is noted', async () => {
        const { rows } = await pool.query('select ms from delivery_attempts where delivery_id = $1', [id]);
        return rows[0] as { ms: number } | undefined;
      });
      return tried.ms < 500;
    });
    const before = quick.received.length;
    await addMany(700, url);
    await eventually('many hang', () => received.length >= 400);
    await add(own, 1);
    await add(theirs, 1, undefined, undefined, other.id);
    await eventually('both arrived', () => quick.received.length === before + 2);
    const taken = await inHand();
    assert.ok(taken >= 400 && taken < 1_000, `${taken} of 1,400`);
    await dispatcher.stop();
    await clear();
  });
});

test('what was written beside the end of its subscription is given up, too', async () => {
  const hook = await newHook('http://127.0.0.1:9/');
  await endWebhook(db, account.id, hook);
  await add(hook, 3);
  await tidyDeliveries(db);
  assert.deepEqual(await standing(hook), all('failed', 0, 3));
});

test('the end of a subscription with a large backlog waits for nobody, and gives all of it up', async () => {
  const hook = await newHook('http://127.0.0.1:9/many');
  const [first] = await add(hook, 1_100);
  await add(hook, 5, 'attempts, taken_by', '1, 987654321');
  const other = await pool.connect();
  await other.query('begin');
  await other.query('select from deliveries where id = $1 for update', [first]);
  assert.ok(await endWebhook(db, account.id, hook));
  const waiting = (await standing(hook)).filter(({ state }) => state === 'waiting');
  assert.deepEqual(waiting, all('waiting', 0, 100), 'so many at once, and those under way');
  await other.query('commit');
  other.release();
  await tidyDeliveries(db);
  assert.ok((await standing(hook)).every(({ state }) => state === 'failed'));
});
