import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER, send } from '../house.ts';
import { addNeighbour, blame, stepsOf, TIME } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList } = stepsOf(ask);

const signIn = (email: string) =>
  send(`${house.address}/app/session`, 'POST', { email, password: OWNER.password }, { origin: house.address });

test('POST /api/v2/users creates a user and answers 201 with the User object', async () => {
  const { status, body } = await house.invite({ email: 'ann@example.com', first_name: 'Ann', last_name: 'Lee' });
  const { id, created_at, updated_at, ...rest } = body;
  assert.equal(status, 201);
  assert.ok(Number.isInteger(id));
  assert.match(created_at, TIME);
  assert.match(updated_at, TIME);
  assert.deepEqual(rest, { first_name: 'Ann', last_name: 'Lee', email: 'ann@example.com' });
});

test('names are "" when there are none', async () => {
  const { body } = await house.invite({ email: 'nameless@example.com' });
  assert.deepEqual([body.first_name, body.last_name], ['', '']);
});

test('accept_charge_upon_invitation_acceptance other than "1" is 422 and invites nobody', async () => {
  const user = { email: 'charge@example.com' };
  for (const accept of [undefined, '0', 'true', true])
    assert.deepEqual(blame(await ask('POST', '/users', { accept_charge_upon_invitation_acceptance: accept, user })), [
      422,
      ['accept_charge_upon_invitation_acceptance'],
    ]);
  assert.equal((await house.invite(user)).status, 201);
});

test('email is required, valid, and unique in the account regardless of case', async () => {
  await house.invite({ email: 'taken@example.com' });
  for (const email of [undefined, '', 'ann', 'ann@', 'TAKEN@Example.com'])
    assert.deepEqual(blame(await house.invite({ email })), [422, ['email']], email);
});

test('the same email in another account is free', async () => {
  const { ask: theirs } = await addNeighbour(house);
  const user = { email: 'ann@example.com' };
  const { status } = await theirs('POST', '/users', { accept_charge_upon_invitation_acceptance: '1', user });
  assert.equal(status, 201);
});

test('the invitation is mailed; until it is accepted the user cannot sign in', async () => {
  await house.invite({ email: 'pending@example.com' });
  assert.match(await house.tokenFor('pending@example.com'), /^[\w-]{20,}$/);
  assert.equal((await signIn('pending@example.com')).status, 401);
});

test('acceptance sets a password and gives the personal key', async () => {
  const { key } = await house.join({ email: 'joined@example.com' });
  assert.equal((await signIn('joined@example.com')).status, 201);
  assert.equal((await house.withKey(key)('GET', '/lists')).status, 200);
});

test('agent is true by default, the other roles false', async () => {
  const plain = house.withKey((await house.join({ email: 'plain@example.com' })).key);
  const list = await addList({ name: 'Nobody works it' });
  assert.deepEqual(
    [
      (await plain('GET', '/leads/search?query=x')).status,
      (await plain('POST', '/users', {})).status,
      (await plain('POST', '/lists', {})).status,
      (await plain('GET', `/lists/${list.id}`)).status,
    ],
    [200, 403, 403, 404],
  );
});

test('listing_ids limit what an Agent works; the other roles see the whole account', async () => {
  const mine = await addList({ name: 'Mine' });
  const other = await addList({ name: 'Other' });
  const seen = async (user: Record<string, unknown>) => {
    const { key } = await house.join({
      email: `${Object.keys(user).join('-')}@example.com`,
      listing_ids: [mine.id],
      ...user,
    });
    const { body } = await house.withKey(key)('GET', '/lists');
    return [mine.id, other.id].map((id) => body.some((list: { id: number }) => list.id === id));
  };
  assert.deepEqual(await seen({ agent: true }), [true, false]);
  assert.deepEqual(await seen({ agent: true, supervisor: true }), [true, true]);
  assert.deepEqual(await seen({ analyst: true }), [true, true]);
  assert.deepEqual(await seen({ lists_admin: '1' }), [true, true]);
});

test('lists that do not exist are refused by name, and nobody is invited', async () => {
  const refused = await house.invite({ email: 'lists@example.com', listing_ids: [999_999] });
  assert.deepEqual(blame(refused), [422, ['listing_ids']]);
  assert.equal((await house.invite({ email: 'lists@example.com', listing_ids: [] })).status, 201);
});
