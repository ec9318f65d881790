import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse } from '../../test/house.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { serviceActor } from '../platform/actor.ts';
import { findAll, type Bit } from './all.ts';
import { BOUNDS } from './walk.ts';

const house = await openHouse();
const key = house.withKey(house.key);
const actor = serviceActor(house.account, 'test');
const bit: Bit = (act) => act({ db: house.db, secrets: house.secrets }, actor);

/** Small enough that sixty leads are many. */
const stride = {
  bounds: { ...BOUNDS, counted: 20, firstRound: 8, lookedAt: 16, lookedInto: 16 },
  walked: 7,
  lookedAt: 9,
};

const list = (await key('POST', '/lists', { list: { name: 'Depots' } })).body.id as number;
const load = (rows: Record<string, string>[]): Promise<number[]> =>
  house.transact(async (work) => loadLeads(work, actor, await findLeadList(work, actor, list, 'leads.write'), rows));
const ids: number[] = [];
for (let round = 0; round < 3; round += 1)
  ids.push(...(await load(Array.from({ length: 20 }, (_, at) => ({ first_name: `Ann ${round * 20 + at}` })))));
const matching = { list_ids: [list] };

async function all(order: string, filter: { name: string; operator: 'contains'; values: string[] }[] = []) {
  const found: number[] = [];
  for await (const some of findAll(bit, { ...matching, filter }, order, stride)) found.push(...some);
  return found;
}

test('all that match are found once, in the order of the table, however many there are', async () => {
  for (const order of ['queue', 'created', 'updated']) assert.deepEqual(await all(order), ids);
  assert.deepEqual(await all('-created'), ids.toReversed());
  assert.deepEqual(await all('due'), [], 'what has no time is not in that order');
});

test('what no index serves is found all the same, and by a field they come by their ids', async () => {
  const contains = [{ name: 'field.first_name', operator: 'contains' as const, values: ['7'] }];
  const expected = ids.filter((_, at) => String(at).includes('7'));
  assert.deepEqual(await all('queue', contains), expected);
  assert.deepEqual(await all('field.first_name'), ids);
});

test('leads that change places meanwhile are neither left out nor told twice', async () => {
  const found: number[] = [];
  for await (const some of findAll(bit, matching, 'queue', stride)) {
    if (found.length === 0) {
      // From the front to the end, and from the end to the front.
      await key('POST', `/leads/${some[0]}/archive`, { lead: {} });
      await key('POST', `/leads/${ids.at(-1)}/call_back`, { lead: { scheduled_for: '2020-01-01 10:00:00 UTC' } });
    }
    found.push(...some);
  }
  assert.equal(found.length, ids.length);
  assert.deepEqual(new Set(found), new Set(ids));
});
