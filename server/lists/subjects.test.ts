import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);

const addList = async (list: Record<string, unknown>): Promise<number> =>
  (await api('POST', '/lists', { list })).body.id;

test('the fields and categories of lists are told once each, those that most have first, of what one sees', async () => {
  const options = { label: 'Depot', kind: 'options', options: ['Leeds', 'Hull'] };
  const one = await addList({
    name: 'One',
    columns_attributes: [{ label: 'Company' }, options],
    winner_categories: 'Order',
  });
  const other = await addList({
    name: 'Other',
    columns_attributes: [
      { label: 'Vehicles', kind: 'integer' },
      { ...options, options: ['York'] },
    ],
    winner_categories: 'Order, Meeting',
    archive_categories: 'Too old',
  });
  const gone = await addList({ name: 'Gone', columns_attributes: [{ label: 'Secret' }] });
  assert.equal((await owner('DELETE', `/lists/${gone}`, { list: { name: 'Gone' } })).status, 204);
  const of = async (ask: typeof owner, query = '') => (await ask('GET', `/leads/subjects${query}`)).body;

  const both = await of(owner, `?lists=${one},${other}`);
  assert.deepEqual(
    both.fields.map(({ key, kind }: { key: string; kind: string }) => [key, kind]),
    [
      ['depot', 'options'],
      ['company', 'none'],
      ['vehicles', 'integer'],
    ],
  );
  assert.deepEqual(both.fields[0].options, ['Hull', 'Leeds', 'York']);
  assert.deepEqual([both.categories, both.archive_categories], [['Too old', 'Meeting', 'Order'], ['Too old']]);
  const keys = async (...asked: Parameters<typeof of>) =>
    (await of(...asked)).fields.map(({ key }: { key: string }) => key);
  assert.deepEqual(await keys(owner, `?lists=${one}`), ['company', 'depot']);
  assert.deepEqual(await keys(owner), ['depot', 'company', 'vehicles']);

  const agent = await house.join({ email: 'agent@example.com', listing_ids: [one] });
  assert.deepEqual(await keys(agent.ask), ['company', 'depot']);
  assert.deepEqual(await keys(agent.ask, `?lists=${other},${gone}`), []);
  const many = await owner('GET', `/leads/subjects?lists=${Array.from({ length: 51 }, (_, id) => id + 1).join(',')}`);
  assert.deepEqual([many.status, many.body.errors], [422, { lists: ['must be at most 50 ids'] }]);
});
