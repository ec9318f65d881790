import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER, send } from '../house.ts';
import { addNeighbour, stepsOf } from './steps.ts';

const house = await openHouse();
const { addList, addLead } = stepsOf(house.withKey(house.key));
const list = await addList();
const lead = await addLead(list);

const knock = (authorization: string | undefined) =>
  send(
    `${house.address}/api/v2/lists/${list.id}`,
    'GET',
    undefined,
    authorization === undefined ? {} : { authorization },
  );

test('every request carries an API key: the word Token, a space, the key in double quotes', async () => {
  assert.equal((await knock(`Token "${house.key}"`)).status, 200);
});

test('also accepted: Token <key>, Token token="<key>", Bearer <key>; the scheme in any case', async () => {
  const { key } = house;
  for (const header of [`Token ${key}`, `Token token="${key}"`, `Bearer ${key}`, `TOKEN "${key}"`, `bearer ${key}`])
    assert.equal((await knock(header)).status, 200, header.replace(key, '<key>'));
});

test('Token token=<key> without quotes, and further parameters behind a comma', async () => {
  const { key } = house;
  for (const header of [
    `Token token=${key}`,
    `Token token="${key}", nonce="x"`,
    `Token ${key}, v=1`,
    `Token "${key}",x`,
  ])
    assert.equal((await knock(header)).status, 200, header.replace(key, '<key>'));
});

test('a header of more than 512 characters is 401, whatever it holds', async () => {
  for (const header of [`Token "${house.key}", ${'x'.repeat(500)}`, `Token ${'='.repeat(15_000)}a`])
    assert.equal((await knock(header)).status, 401);
});

test('anything else, or an unknown key: 401 with WWW-Authenticate', async () => {
  const { key } = house;
  const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  for (const header of [undefined, '', key, 'Token', 'Token ""', 'Token "unknown"', `Token "${key}x"`, basic]) {
    const { status, headers, body } = await knock(header);
    const { request_id, ...said } = body;
    assert.deepEqual(
      [status, headers.get('www-authenticate'), said.code, typeof said.error, typeof request_id],
      [401, 'Token realm="api"', 'unauthorized', 'string', 'string'],
      header,
    );
  }
});

test('a key in the query or in a cookie is no key', async () => {
  const url = `${house.address}/api/v2/lists?token=${house.key}&api_key=${house.key}`;
  assert.equal((await send(url, 'GET', undefined, { cookie: `token=${house.key}` })).status, 401);
});

test('a revoked key is 401', async () => {
  const { id, key } = await house.join({ email: 'leaving@example.com', lists_admin: true });
  assert.equal((await knock(`Token "${key}"`)).status, 200);
  const owner = await house.signIn(OWNER.email, OWNER.password);
  assert.equal((await owner('POST', `/users/${id}/disable`)).status, 200);
  assert.equal((await knock(`Token "${key}"`)).status, 401);
});

test('the Host header picks the account; a key of another account is 401 there', async () => {
  const byName = house.address.replace('127.0.0.1', 'localhost');
  const at = async (address: string, key: string) =>
    (await send(`${address}/api/v2/lists`, 'GET', undefined, { authorization: `Token "${key}"` })).status;
  // Alone, an account answers on every host.
  assert.deepEqual([await at(house.address, house.key), await at(byName, house.key)], [200, 200]);
  const neighbour = await addNeighbour(house);
  assert.deepEqual([await at(byName, neighbour.key), await at(byName, house.key)], [200, 401]);
  // The first account is the default for hosts that belong to nobody.
  assert.deepEqual([await at(house.address, house.key), await at(house.address, neighbour.key)], [200, 401]);

  // Each account has its own base URL, from which `url` and Link are built.
  assert.equal(lead.url, `http://acme.example.com/leads/${lead.id}`);
  const theirs = stepsOf(neighbour.ask);
  const theirList = await theirs.addList();
  const theirLead = await theirs.addLead(theirList);
  assert.equal(theirLead.url, `${neighbour.address}/leads/${theirLead.id}`);
  const { headers } = await neighbour.ask('GET', `/lists/${theirList.id}/leads`);
  assert.ok(headers.get('link')!.startsWith(`<${neighbour.address}/api/v2/lists/${theirList.id}/leads?`));
});

test('a personal key has the same access rights as its user', async () => {
  const agent = house.withKey((await house.join({ email: 'agent@example.com', listing_ids: [list.id] })).key);
  const analyst = house.withKey((await house.join({ email: 'analyst@example.com', agent: false, analyst: true })).key);
  assert.deepEqual(
    [
      (await agent('GET', `/leads/${lead.id}`)).status,
      (await agent('POST', '/lists', { list: { name: 'x' } })).status,
      (await analyst('GET', `/lists/${list.id}/stats`)).status,
      (await analyst('GET', `/leads/${lead.id}`)).status,
    ],
    [200, 403, 200, 403],
  );
});

test('a key grants read and change access to the account', async () => {
  const byKey = house.withKey(house.key);
  assert.equal((await byKey('PATCH', `/leads/${lead.id}`, { lead: { title: 'CEO' } })).status, 204);
  assert.equal((await byKey('GET', `/leads/${lead.id}`)).body.lead_data.title, 'CEO');
});
