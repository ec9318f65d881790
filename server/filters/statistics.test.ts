import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { serviceActor } from '../platform/actor.ts';

const house = await openHouse();
const actor = serviceActor(house.account, 'test');
const newList = async (name: string) =>
  (await house.withKey(house.key)('POST', '/lists', { list: { name } })).body.id as number;
const load = async (id: number, names: string[]) => {
  const rows = names.map((name) => ({ first_name: name.split(' ')[0]!, last_name: name.split(' ')[1]! }));
  await house.transact(async (work) =>
    loadLeads(work, actor, await findLeadList(work, actor, id, 'leads.write'), rows),
  );
};
const [large, small] = [await newList('Large'), await newList('Small')];
await load(large, ['Anna Jensen', 'Anna Jensens', 'Anna Jensen-Holm', 'Anna Jensen2', 'Anna Jens', 'Bo Jensenius']);
await load(
  large,
  Array.from({ length: 400 }, () => 'Cleo Jensen'),
);
await load(small, ['Anna Jensen', 'Dan Olsen']);
await house.pool.query('analyze lead_data');

test('words that the database knows to be common find the same: themselves, and longer ones', async () => {
  const { rows } = await house.pool.query(
    `select 'jensen' = any (most_common_elems::text::text[]) as known from pg_stats where tablename = 'lead_data_search'`,
  );
  assert.deepEqual(rows, [{ known: true }]);
  const ask = await house.signIn(OWNER.email, OWNER.password);
  const found = async (words: string, lists: number[]) => {
    const query = `q=${encodeURIComponent(words)}&lists=${lists.join()}&fields=last_name&order=created`;
    const { status, body } = await ask('GET', `/leads?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.leads.map(({ fields }: { fields: Record<string, string> }) => fields.last_name);
  };
  const four = ['Jensen', 'Jensens', 'Jensen-Holm', 'Jensen2'];
  assert.deepEqual(await found('anna jensen', [large]), four);
  assert.deepEqual(await found('anna jens', [large]), [...four, 'Jens']);
  assert.deepEqual(await found('anna jensen', [large, small]), [...four, 'Jensen']);
  assert.deepEqual(await found('jensen anna', [small]), ['Jensen'], 'of a list that holds few of all');
  assert.deepEqual(await found('bo jensen', [large]), ['Jensenius']);
});
