import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER, send, type Answer, type Ask } from '../../../test/house.ts';
import { holdWindows } from '../../../test/held-windows.ts';
import { eventually } from '../../../test/leadline.ts';
import { stayWithinDay } from '../../../test/within-day.ts';
import { judge } from '../../platform/limits.ts';
import { createAuthenticator } from './authenticate.ts';

const DAY = 86_400;

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

test('75 parallel requests in a minute, at two nodes: 60 pass, 15 are 429 with true headers', async () => {
  const house = await openHouse({});
  const second = await house.open();
  const clients = [house.withKey(house.key), house.withKey(house.key, second.address)];
  const { second: asked } = await holdWindows(house.pool);
  const minute = Math.floor(asked / 60);
  const answers = await Promise.all(Array.from({ length: 75 }, (_, index) => clients[index % 2]!('GET', '/nowhere')));
  assert.deepEqual([count(answers, 404), count(answers, 429)], [60, 15]);

  const left = answers
    .filter(({ status }) => status === 404)
    .map(({ headers }) => Number(headers.get('ratelimit-remaining')));
  assert.deepEqual(
    left.toSorted((a, b) => a - b),
    Array.from({ length: 60 }, (_, index) => index),
  );
  for (const { status, headers, body } of answers) {
    assert.equal(headers.get('ratelimit-limit'), '60');
    assert.equal(
      Number(headers.get('ratelimit-reset')),
      (minute + 1) * 60,
      'Unix time, in whole seconds, of the end of the minute',
    );
    if (status !== 429) continue;
    assert.equal(headers.get('ratelimit-remaining'), '0');
    assert.ok(Number(headers.get('retry-after')) <= 60);
    assert.equal(body.code, 'too_many_requests');
  }
});

test('whoever goes on asking is kept out until the longer window ends too', async () => {
  const house = await openHouse({ RATE_LIMITS: '6/60,30/300' });
  const ask = house.withKey(house.key);
  const start = Math.ceil(Date.now() / 300_000) * 300;
  await holdWindows(house.pool, start);
  const burst = await Promise.all(Array.from({ length: 40 }, () => ask('GET', '/nowhere')));
  assert.deepEqual([count(burst, 404), count(burst, 429)], [6, 34]);
  assert.equal(Math.max(...burst.map(({ headers }) => Number(headers.get('ratelimit-reset')))), start + 300);
  for (const second of [1, 59, 60, 119, 120, 180, 240, 299]) {
    await holdWindows(house.pool, start + second);
    const { status, headers } = await ask('GET', '/nowhere');
    // Once the long window is exceeded, its end is what counts.
    assert.deepEqual([status, Number(headers.get('ratelimit-reset'))], [429, start + 300]);
  }
  await holdWindows(house.pool, start + 300);
  assert.equal((await ask('GET', '/nowhere')).status, 404);
});

test('each key has its own count; requests without a valid key are counted by address', async () => {
  const house = await openHouse({ RATE_LIMITS: '3/60' });
  const member = await house.join({ email: 'member@example.com' });
  await holdWindows(house.pool);
  const times = async (ask: () => Promise<Answer>) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await ask()).status);
    return statuses;
  };
  assert.deepEqual(await times(() => house.withKey(member.key)('GET', '/nowhere')), [404, 404, 404, 429]);
  const strangers = ['Token "wrong"', 'Token "other"', '', 'Basic abc'];
  assert.deepEqual(
    await times(() => send(`${house.address}/api/v2/nowhere`, 'GET', undefined, { authorization: strangers.pop()! })),
    [401, 401, 401, 429],
  );
  // The pages, and what is public, are exempt.
  assert.deepEqual(await times(() => member.ask('GET', '/me')), [200, 200, 200, 200]);
  assert.deepEqual(await times(() => send(`${house.address}/api/v2/openapi.json`, 'GET')), [200, 200, 200, 200]);
});

test('the pages tell how much of its limits a key has used, as the limiter counts it', async () => {
  const house = await openHouse({ RATE_LIMITS: `3/${DAY},300/${7 * DAY}` });
  const owner = await house.signIn(OWNER.email, OWNER.password);
  const member = await house.join({ email: 'used@example.com' });
  const use = async (ask: typeof owner, path: string) => {
    const { body } = await ask('GET', path);
    const { windows, refusing_until } = body as {
      windows: { seconds: number; limit: number; requests: number; ends_at: string }[];
      refusing_until: string | null;
    };
    return { counts: windows.map(({ requests, limit }) => `${requests} of ${limit}`), windows, refusing_until };
  };
  // Whatever asked before is in a day that has ended.
  await house.pool.query('update request_counts set number = number - 1');
  await stayWithinDay();
  assert.deepEqual((await use(owner, '/keys/account/use')).counts, ['0 of 3', '0 of 300']);
  const ask = house.withKey(house.key);
  await ask('GET', '/nowhere');
  await ask('GET', '/nowhere');
  const some = await use(owner, '/keys/account/use');
  assert.deepEqual([some.counts, some.refusing_until], [['2 of 3', '2 of 300'], null]);
  for (const { seconds, ends_at } of some.windows) assert.equal(Date.parse(ends_at) % (seconds * 1000), 0);
  await ask('GET', '/nowhere');
  const { headers, status } = await ask('GET', '/nowhere');
  const full = await use(owner, '/keys/account/use');
  assert.deepEqual([status, full.counts], [429, ['4 of 3', '4 of 300']]);
  assert.equal(Date.parse(full.refusing_until!) / 1000, Number(headers.get('ratelimit-reset')));

  // Everyone sees their own; the account's is the owner's.
  await house.withKey(member.key)('GET', '/nowhere');
  assert.deepEqual((await use(member.ask, '/keys/personal/use')).counts, ['1 of 3', '1 of 300']);
  assert.equal((await member.ask('GET', '/keys/account/use')).status, 403);
  assert.equal((await member.ask('POST', '/keys/personal/revoke', { password: OWNER.password })).status, 204);
  assert.equal((await member.ask('GET', '/keys/personal/use')).status, 404);

  const free = await openHouse({ RATE_LIMITS: 'off' });
  const unlimited = await free.signIn(OWNER.email, OWNER.password);
  assert.deepEqual((await unlimited('GET', '/keys/account/use')).body, { windows: [], refusing_until: null });
});

test('the tightest window is told; of those exceeded the longest has to end', () => {
  const limits = [
    { requests: 60, seconds: 60 },
    { requests: 300, seconds: 300 },
  ];
  const at = (minute: number, five: number) =>
    judge(
      [
        { seconds: 60, number: 100, requests: minute, now: 6030 },
        { seconds: 300, number: 20, requests: five, now: 6030 },
      ],
      limits,
    );
  assert.deepEqual(at(1, 1), { limit: 60, remaining: 59, reset: 6060, exceeded: false, wait: 30 });
  assert.deepEqual(at(10, 290), { limit: 300, remaining: 10, reset: 6060, exceeded: false, wait: 30 });
  assert.deepEqual(at(61, 61), { limit: 60, remaining: 0, reset: 6060, exceeded: true, wait: 30 });
  assert.deepEqual(at(5, 301), { limit: 300, remaining: 0, reset: 6300, exceeded: true, wait: 270 });
});

test('one batch of many keys, addresses and hosts: each is told its own standing, and what is valid for one is not for another', async () => {
  const house = await openHouse({ RATE_LIMITS: '50/60' });
  const member = await house.join({ email: 'batch@example.com' });
  await holdWindows(house.pool);
  await house.pool.query('truncate request_counts');
  const authenticate = createAuthenticator(house.pool, [{ requests: 50, seconds: 60 }]);
  const host = 'acme.example.com';
  const other = await house.addAccount('Other', 'http://other.example.com');
  // The first goes alone; the rest wait for it and so go together.
  const first = authenticate({ key: house.key, host, address: '10.0.0.1' });
  const together = [
    ...Array.from({ length: 20 }, () => ({ key: house.key, host, address: '10.0.0.1' })),
    ...Array.from({ length: 20 }, () => ({ key: house.key, host, address: '10.0.0.2' })),
    { key: member.key, host, address: '10.0.0.1' },
    { key: other.key, host, address: '10.0.0.3' },
    { key: other.key, host: 'other.example.com', address: '10.0.0.3' },
    { key: 'wrong', host, address: '10.0.0.3' },
    { key: undefined, host, address: '10.0.0.3' },
  ].map((question) => authenticate(question));
  assert.equal((await first).standing!.remaining, 49);
  const holders = await Promise.all(together);
  const remaining = holders.slice(0, 40).map(({ standing }) => standing!.remaining);
  assert.deepEqual(
    remaining.toSorted((a, b) => b - a),
    Array.from({ length: 40 }, (_, index) => 48 - index),
  );
  const [personal, elsewhere, own, wrong, none] = holders.slice(40);
  assert.deepEqual([personal!.actor!.user!.id, personal!.standing!.remaining], [member.id, 49]);
  assert.deepEqual([own!.actor!.account.id, own!.standing!.remaining], [other.account.id, 49]);
  assert.deepEqual(
    [elsewhere, wrong, none].map((bearer) => bearer!.actor),
    [undefined, undefined, undefined],
  );
  // Three without a valid key, one address.
  assert.deepEqual(
    [elsewhere, wrong, none].map((bearer) => bearer!.standing!.remaining).toSorted((a, b) => a - b),
    [47, 48, 49],
  );
});

test('a clock that was set back an hour leaves nobody out for an hour', async () => {
  const house = await openHouse({});
  const ask = house.withKey(house.key);
  await ask('GET', '/nowhere');
  await house.pool.query('update request_counts set number = number + 3600 / seconds, requests = 1000');
  const { status, headers } = await ask('GET', '/nowhere');
  assert.deepEqual([status, headers.get('ratelimit-remaining')], [404, '59']);
});

describe('at /app, by cookie', () => {
  test('a person has so many a minute, at all nodes together; what keeps a page alive and hanging up are not counted', async () => {
    const house = await openHouse({ APP_LIMITS: '5/60' });
    const [ann, bob] = [await house.join({ email: 'ann@example.com' }), await house.join({ email: 'bob@example.com' })];
    await holdWindows(house.pool);
    const times = async (ask: () => Promise<Answer>) => {
      const statuses: number[] = [];
      for (let turn = 0; turn < 6; turn += 1) statuses.push((await ask()).status);
      return statuses;
    };
    assert.deepEqual(await times(() => ann.ask('GET', '/me')), [200, 200, 200, 200, 200, 429]);
    const refused = await ann.ask('GET', '/me');
    assert.equal(refused.body.code, 'too_many_requests');
    assert.ok(Number(refused.headers.get('retry-after')) <= 60);
    assert.deepEqual(
      [(await ann.ask('POST', '/leads/1/hold')).status, (await ann.ask('POST', '/calls/1/hang_up')).status],
      [404, 404],
    );
    assert.equal((await bob.ask('GET', '/me')).status, 200);
  });

  test('whoever fills a lock with requests has sixteen at once, and holds up neither others nor anybody’s next lead', async () => {
    const house = await openHouse({ RATE_LIMITS: '100000/60' });
    const people = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => house.join({ email: `${name}@example.com`, supervisor: true })),
    );
    const [ann, bob] = people as [(typeof people)[0], (typeof people)[0]];
    const api = house.withKey(house.key);
    const list = (await api('POST', '/lists', { list: { name: 'A', user_ids: people.map(({ id }) => id) } })).body.id;
    const leads: number[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      leads.push((await api('POST', `/lists/${list}/leads`, { lead: {} })).body.id);
    const client = await house.pool.connect();
    await client.query('begin');
    await client.query('select from leads where id = $1 for update', [leads[0]]);
    const change = (ask: Ask) => ask('PATCH', `/leads/${leads[0]}`, { lead: { first_name: 'Ann' } });
    const filled = Array.from({ length: 20 }, () => change(ann.ask));
    const refused = await Promise.race(filled);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_at_once']);
    assert.equal((await bob.ask('GET', `/leads/${leads[1]}`)).status, 200);
    assert.equal((await bob.ask('PATCH', `/leads/${leads[1]}`, { lead: { first_name: 'Bob' } })).status, 204);
    // All usual connections wait for the lock; the queue has its own.
    const more = people.slice(1).flatMap(({ ask }) => Array.from({ length: 5 }, () => change(ask)));
    await house.areWaiting(10);
    assert.equal((await bob.ask('POST', `/lists/${list}/next`)).status, 200);
    assert.equal((await bob.ask('GET', '/line')).status, 200);
    await client.query('rollback');
    client.release();
    const answers = await Promise.all([...filled, ...more]);
    assert.equal(count(answers, 429), 4);
    // On a slow machine some may have waited longer for the lock than one may.
    assert.equal(count(answers, 204) + count(answers, 503), 31);
  });

  test('requests that are given up before they are answered count no longer than they are worked on', async () => {
    const house = await openHouse({ APP_LIMITS: '1000/60' });
    const ann = await house.join({ email: 'ann@example.com' });
    for (let turn = 0; turn < 40; turn += 1) {
      const given = AbortSignal.timeout(turn % 8);
      await fetch(`${house.address}/app/me`, { headers: { cookie: ann.cookie }, signal: given }).catch(() => {});
    }
    await eventually('they count no more', async () => (await ann.ask('GET', '/me')).status === 200);
  });
});
