import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { addNeighbour, blame, idsOf, stepsOf, TIME } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList } = stepsOf(ask);
const list = await addList();

const onList = (webhook: Record<string, unknown>, to: { id: number } = list) =>
  ask('POST', `/lists/${to.id}/webhook`, { webhook });
const onAccount = (webhook: Record<string, unknown>) => ask('POST', '/webhooks', { webhook });
const target = (name: string) => `https://example.com/${name}?a=1&b=%20`;

describe('POST /api/v2/lists/:id/webhook', () => {
  test('answers 201 with the JSON representation of the webhook', async () => {
    const { status, body } = await onList({ target_url: target('list'), event: 'winner' });
    const { id, created_at, secret, ...rest } = body;
    assert.equal(status, 201);
    assert.ok(Number.isInteger(id));
    assert.match(created_at, TIME);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{32,}=*$/);
    assert.deepEqual(rest, { event: 'winner', target_url: target('list'), list: list.location, last_error: null });
  });

  test('takes any value from the Events table', async () => {
    for (const event of [
      'winner',
      'loser',
      'archive',
      'call_back',
      'text',
      'inbound_text',
      'new_event',
      'new_comment',
      'lead_created',
      'lead_updated',
      'new_call',
      'new_recording',
    ]) {
      const { status, body } = await onList({ target_url: target('each'), event });
      assert.deepEqual([status, body.event], [201, event]);
    }
  });

  test('http and https targets are both taken', async () => {
    for (const target_url of ['http://127.0.0.1:9/hook', 'HTTPS://example.com'])
      assert.equal((await onList({ target_url, event: 'loser' })).body.target_url, target_url);
  });

  test('a target of more bytes than can be looked up is 422 naming it', async () => {
    const letters = Array.from({ length: 1_500 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
    const { status, body } = await onList({ target_url: `https://example.com/${letters}`, event: 'loser' });
    assert.deepEqual([status, body.errors], [422, { target_url: ['must have at most 2,000 bytes'] }]);
  });

  test('a name and password in the target are never shown; the same again is the same subscription', async () => {
    const target_url = 'http://user:word@example.com:8080/x#y';
    const shown = 'http://***@example.com:8080/x#y';
    const [first, again, other] = [
      await onList({ target_url, event: 'loser' }),
      await onList({ target_url, event: 'loser' }),
      await onList({ target_url: target_url.replace('word', 'other'), event: 'loser' }),
    ];
    assert.deepEqual(
      [first, again, other].map(({ body }) => body.target_url),
      [shown, shown, shown],
    );
    assert.equal(again.body.id, first.body.id);
    assert.notEqual(other.body.id, first.body.id);
    assert.doesNotMatch(JSON.stringify((await ask('GET', '/webhooks')).body), /word/);
    assert.equal((await ask('DELETE', `/webhook/${other.body.id}`)).body.target_url, shown);
  });
});

describe('POST /api/v2/webhooks', () => {
  test('answers 201 with a webhook of no list; only new_call or new_recording', async () => {
    for (const event of ['new_call', 'new_recording']) {
      const { status, body } = await onAccount({ target_url: target('account'), event });
      const { id: _, created_at: __, secret, ...rest } = body;
      assert.equal(status, 201);
      assert.match(secret, /^whsec_/);
      assert.deepEqual(rest, { event, target_url: target('account'), list: null, last_error: null });
    }
    for (const event of ['winner', 'new_event', 'lead_created', 'call_back'])
      assert.deepEqual(blame(await onAccount({ target_url: target('account'), event })), [422, ['event']], event);
  });
});

test('the same event, scope and target again: 201 with the existing record, whose secret is not told again', async () => {
  for (const subscribe of [onList, onAccount]) {
    const given = { target_url: target('again'), event: 'new_call' };
    const { secret, ...first } = (await subscribe(given)).body;
    assert.match(secret, /^whsec_/);
    const again = await subscribe(given);
    assert.deepEqual([again.status, again.body], [201, first]);
  }
});

test('another event, scope or target is another subscription', async () => {
  const given = { target_url: target('differs'), event: 'new_call' };
  const ids = [
    await onList(given),
    await onAccount(given),
    await onList(given, await addList()),
    await onList({ ...given, event: 'new_recording' }),
    await onList({ ...given, target_url: target('differs/more') }),
  ].map(({ body }) => body.id);
  assert.equal(new Set(ids).size, 5);
});

test('an unknown event, or a target that is not http(s): 422 naming it, and nothing is stored', async () => {
  const before = (await ask('GET', '/webhooks')).body;
  const good = { target_url: target('wrong'), event: 'new_call' };
  for (const subscribe of [onList, onAccount]) {
    for (const event of [undefined, '', 'NEW_CALL', 'nonsense', 5, null, ['new_call']])
      assert.deepEqual(blame(await subscribe({ ...good, event })), [422, ['event']], String(event));
    for (const target_url of [
      undefined,
      '',
      'example.com',
      '/hook',
      'ftp://example.com',
      'javascript:alert(1)',
      'http://',
      5,
    ])
      assert.deepEqual(blame(await subscribe({ ...good, target_url })), [422, ['target_url']], String(target_url));
    assert.deepEqual(blame(await subscribe({})), [422, ['event', 'target_url']]);
  }
  assert.deepEqual((await ask('GET', '/webhooks')).body, before);
});

test('GET /api/v2/webhooks lists them, without their secrets', async () => {
  const { secret: _, ...first } = (await onList({ target_url: target('listed'), event: 'archive' })).body;
  const { secret: __, ...second } = (await onAccount({ target_url: target('listed'), event: 'new_call' })).body;
  const { status, body } = await ask('GET', '/webhooks');
  assert.equal(status, 200);
  assert.deepEqual(body.slice(0, 2), [second, first]);
});

test('DELETE /api/v2/webhook/:id answers 200 with the webhook that was removed; again: 404', async () => {
  const { secret: _, ...webhook } = (await onList({ target_url: target('removed'), event: 'text' })).body;
  const removed = await ask('DELETE', `/webhook/${webhook.id}`);
  assert.deepEqual([removed.status, removed.body], [200, webhook]);
  assert.equal((await ask('DELETE', `/webhook/${webhook.id}`)).status, 404);
  assert.ok(!idsOf((await ask('GET', '/webhooks')).body).includes(webhook.id));
  const anew = await onList({ target_url: target('removed'), event: 'text' });
  assert.notEqual(anew.body.id, webhook.id);
});

test('another account sees and removes none of ours', async () => {
  const { body: ours } = await onAccount({ target_url: target('ours'), event: 'new_call' });
  const { ask: theirs } = await addNeighbour(house);
  assert.deepEqual((await theirs('GET', '/webhooks')).body, []);
  assert.equal((await theirs('DELETE', `/webhook/${ours.id}`)).status, 404);
  const webhook = { target_url: target('ours'), event: 'new_call' };
  assert.equal((await theirs('POST', `/lists/${list.id}/webhook`, { webhook })).status, 404);
  const own = await theirs('POST', '/webhooks', { webhook });
  assert.notEqual(own.body.id, ours.id);
  assert.ok(idsOf((await ask('GET', '/webhooks')).body).includes(ours.id));
});

test('a list has at most 100 subscriptions, and so has the account beside its lists; the same again is taken still', async () => {
  const full = await addList();
  await house.pool.query(
    `insert into webhooks (account_id, list_id, event, target_url, sealed)
     select account_id, case when n <= 100 then id end, 'new_call', 'https://example.com/' || n, '' from lists, generate_series(1, 200) n where id = $1`,
    [full.id],
  );
  for (const [subscribe, whose, first] of [
    [(given: Record<string, unknown>) => onList(given, full), 'a list', 1],
    [onAccount, 'an account beside its lists', 101],
  ] as const) {
    const { status, body } = await subscribe({ target_url: target('one-more'), event: 'new_call' });
    const sentence = `cannot be added: ${whose} has at most 100 subscriptions`;
    assert.deepEqual([status, body.errors], [422, { target_url: [sentence] }]);
    assert.equal((await subscribe({ target_url: `https://example.com/${first}`, event: 'new_call' })).status, 201);
  }
});
