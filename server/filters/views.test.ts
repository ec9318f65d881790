import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';

const house = await openHouse({ RATE_LIMITS: 'off' });
const owner = await house.signIn(OWNER.email, OWNER.password);
const manager = await house.join({ email: 'manager@example.com', agent: false, lists_admin: true });
const agent = await house.join({ email: 'agent@example.com' });

const SHOWS = {
  filter: [{ name: 'field.city', operator: 'in', values: ['Ghent', 'Bruges, old'] }],
  order: '-updated',
  columns: [{ name: 'lead', width: 320 }, { name: 'field.city' }],
};
const add = async (who: typeof manager, view: Record<string, unknown>) => who.ask('POST', '/views', { view });
const names = async (who: typeof manager) =>
  (await who.ask('GET', '/views')).body.map(({ name, own }: { name: string; own: boolean }) => [name, own]);

test('a view is kept as it was saved, renamed, shared, changed and deleted by whose it is', async () => {
  const { status, body: view } = await add(manager, { name: ' Belgium ', shows: SHOWS });
  assert.deepEqual(
    [status, view.name, view.shared, view.own, view.by, view.shows],
    [201, 'Belgium', false, true, 'manager@example.com', SHOWS],
  );
  assert.deepEqual(await names(agent), []);
  const change = { name: 'Flanders', shared: true, shows: { ...SHOWS, order: 'queue' } };
  const changed = await manager.ask('PATCH', `/views/${view.id}`, { view: change });
  assert.deepEqual([changed.status, changed.body.name, changed.body.shows.order], [200, 'Flanders', 'queue']);
  assert.deepEqual([await names(agent), await names(manager)], [[['Flanders', false]], [['Flanders', true]]]);
  assert.equal((await manager.ask('DELETE', `/views/${view.id}`)).status, 204);
  assert.deepEqual(await names(agent), []);
});

test('what someone else shares can be looked at only; agents keep theirs to themselves', async () => {
  const { body: view } = await add(manager, { name: 'Ours', shared: true, shows: {} });
  assert.equal((await agent.ask('PATCH', `/views/${view.id}`, { view: { name: 'Mine' } })).status, 404);
  assert.equal((await agent.ask('DELETE', `/views/${view.id}`)).status, 404);
  const refused = await add(agent, { name: 'Mine', shared: true, shows: {} });
  assert.deepEqual([refused.status, refused.body.error], [403, 'Only data managers and supervisors share views.']);
  assert.equal((await add(agent, { name: 'Mine', shows: {} })).status, 201);
  assert.deepEqual(await names(agent), [
    ['Mine', true],
    ['Ours', false],
  ]);
});

test('what someone who has left shares is changed, kept from others and deleted by those who may share', async () => {
  const leaver = await house.join({ email: 'leaver@example.com', agent: false, supervisor: true });
  const ids: number[] = [];
  for (const name of ['North', 'South', 'Theirs'])
    ids.push((await add(leaver, { name, shared: name !== 'Theirs', shows: {} })).body.id);
  const [north, south, theirs] = ids;
  assert.equal((await manager.ask('DELETE', `/views/${north}`)).status, 404);
  assert.equal((await owner('POST', `/users/${leaver.id}/disable`)).status, 200);
  assert.equal((await agent.ask('DELETE', `/views/${north}`)).status, 404);
  assert.equal((await agent.ask('PATCH', `/views/${north}`, { view: { shared: false } })).status, 404);
  assert.equal((await manager.ask('DELETE', `/views/${theirs}`)).status, 404);
  const { status, body } = await manager.ask('PATCH', `/views/${north}`, { view: { shared: false } });
  assert.deepEqual([status, body.shared, body.own, body.left], [200, false, false, true]);
  assert.equal((await manager.ask('PATCH', `/views/${north}`, { view: { shared: true } })).status, 404);
  assert.equal((await manager.ask('DELETE', `/views/${south}`)).status, 204);
  const left = new Set((await names(agent)).map(([name]: [string]) => name));
  assert.ok(!left.has('North') && !left.has('South'));
});

test('a view without a name, one that is too long, and the hundred and first are refused with a sentence', async () => {
  const collector = await house.join({ email: 'collector@example.com', agent: false, supervisor: true });
  assert.deepEqual(Object.keys((await add(collector, { name: '  ', shows: {} })).body.errors), ['name']);
  const values = Array.from({ length: 100 }, () => 'x'.repeat(500));
  const filter = [{ name: 'field.city', operator: 'in', values }];
  assert.deepEqual(Object.keys((await add(collector, { name: 'Long', shows: { filter } })).body.errors), ['shows']);
  await house.pool.query(
    `insert into lead_views (account_id, user_id, name, shows) select $1, $2, 'View ' || n, '{}' from generate_series(1, 100) n`,
    [house.account.id, collector.id],
  );
  const { status, body } = await add(collector, { name: 'One more', shows: {} });
  assert.deepEqual([status, body.code], [409, 'too_many_views']);
});
