import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, send, type Answer } from '../house.ts';
import { keysOf, stepsOf } from './steps.ts';

// With the documented limits.
const house = await openHouse({});
const ask = house.withKey(house.key);
const stranger = () => send(`${house.address}/api/v2/lists`, 'GET');

/** A key that nobody has used yet, so that it is within its limits. */
let people = 0;
const freshKey = async (roles: Record<string, unknown> = {}): Promise<string> =>
  (await house.join({ email: `fresh${(people += 1)}@example.com`, ...roles })).key;

test('every error has one shape', async () => {
  const data = house.withKey(await freshKey({ lists_admin: true }));
  const agent = house.withKey(await freshKey());
  const { addList, addLead } = stepsOf(data);
  const lead = await addLead(await addList());
  const cases: [Answer, number, string][] = [
    [await data('POST', `/leads/${lead.id}/winner`, '{'), 400, 'malformed_json'],
    [await stranger(), 401, 'unauthorized'],
    [await agent('POST', '/lists', { list: { name: 'x' } }), 403, 'forbidden'],
    [await data('GET', '/leads/999999'), 404, 'not_found'],
    [await data('POST', '/lists', 'x', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
  ];
  for (const [{ status, headers, body }, expected, code] of cases) {
    assert.deepEqual([status, body.code], [expected, code]);
    assert.deepEqual(keysOf(body), ['code', 'error', 'request_id']);
    assert.match(body.error, /^[A-Z].*\.$/);
    assert.match(headers.get('content-type')!, /^application\/json/);
    assert.equal(headers.get('x-request-id'), body.request_id);
  }
});

test('`errors` names the parameters at fault; `error` is one human sentence', async () => {
  const { status, body } = await house.withKey(await freshKey({ lists_admin: true }))('POST', '/lists', { list: {} });
  const { request_id, ...rest } = body;
  assert.equal(typeof request_id, 'string');
  assert.deepEqual(
    [status, rest],
    [422, { error: 'Name is missing.', code: 'validation_failed', errors: { name: ['is missing'] } }],
  );
});

test('every answer carries Ratelimit-Limit, Ratelimit-Remaining and Ratelimit-Reset in Unix seconds', async () => {
  const key = await freshKey();
  const before = Math.floor(Date.now() / 1000);
  const { status, headers } = await house.withKey(key)('GET', '/lists');
  const reset = Number(headers.get('ratelimit-reset'));
  assert.deepEqual(
    [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining'), reset % 60],
    [200, '60', '59', 0],
  );
  assert.ok(reset > before && reset <= Math.ceil(Date.now() / 1000) + 60);
  assert.ok((await stranger()).headers.get('ratelimit-reset'), 'also without a key');
});

test('an id of any length is looked for behind the door: 401 without a key, else 404 that counts', async () => {
  const key = await freshKey();
  const path = `/leads/${'1'.repeat(2_000)}`;
  assert.equal((await house.withKey('no key')('GET', path)).status, 401);
  const { status, headers } = await house.withKey(key)('GET', path);
  assert.deepEqual([status, headers.get('ratelimit-remaining')], [404, '59']);
});

test('60 requests per minute: what exceeds them is 429 until Ratelimit-Reset, for that key alone', async () => {
  const key = await freshKey();
  const ours = house.withKey(key);
  // More than two minutes allow: the end of one may fall in between.
  const answers = await Promise.all(Array.from({ length: 130 }, () => ours('GET', '/lists')));
  const minutes = Map.groupBy(answers, ({ headers }) => headers.get('ratelimit-reset'));
  const exceeded = [...minutes.values()].filter((minute) => minute.some(({ status }) => status === 429));
  assert.ok(exceeded.length > 0);
  for (const minute of exceeded) assert.equal(minute.filter(({ status }) => status === 200).length, 60);
  for (const { status, headers, body } of answers.filter((answer) => answer.status !== 200)) {
    assert.deepEqual([status, body.code, keysOf(body)], [429, 'too_many_requests', ['code', 'error', 'request_id']]);
    assert.equal(headers.get('ratelimit-remaining'), '0');
    assert.match(headers.get('ratelimit-reset')!, /^\d{10}$/);
    assert.match(headers.get('retry-after')!, /^[1-9]\d?$/);
  }
  assert.equal((await house.withKey(await freshKey())('GET', '/lists')).status, 200);
});

test('300 requests per 5 minutes, refused ones too: then Ratelimit-Reset is the end of the 5 minutes', async () => {
  const ours = house.withKey(await freshKey());
  // More than two spans of 5 minutes allow.
  const answers = await Promise.all(Array.from({ length: 610 }, () => ours('GET', '/lists')));
  const refused = answers.filter(({ status }) => status === 429);
  const beyond = refused.filter(({ headers }) => Number(headers.get('ratelimit-reset')) % 300 === 0);
  assert.ok(beyond.length >= 10, `${beyond.length} of ${refused.length}`);
  for (const { headers } of beyond) assert.match(headers.get('retry-after')!, /^([1-9]\d?|[12]\d\d|300)$/);
});

test('a refused request changes nothing', async () => {
  const ours = house.withKey(await freshKey({ lists_admin: true }));
  const answers = await Promise.all(Array.from({ length: 130 }, () => ours('POST', '/lists', { list: { name: 'x' } })));
  const made = answers.filter(({ status }) => status === 201).length;
  assert.ok(made < 130);
  assert.equal((await ask('GET', '/lists')).body.filter(({ name }: { name: string }) => name === 'x').length, made);
});

// The last, because it uses up what this address may ask.
test('requests without a valid key are limited by client address; a valid one is not held up by them', async () => {
  const key = await freshKey();
  const answers = await Promise.all(Array.from({ length: 130 }, stranger));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401, 429]));
  assert.equal((await house.withKey(key)('GET', '/lists')).status, 200);
  assert.equal((await send(`${house.address}/health`, 'GET')).headers.get('ratelimit-limit'), null);
});
