import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readToken } from '../../contract/filters.ts';
import { openHouse } from '../../test/house.ts';
import { listenTo, openPlans } from '../../test/plans.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { serviceActor } from '../platform/actor.ts';
import { readFilter } from './read.ts';
import { readTable } from './table.ts';
import { BOUNDS } from './walk.ts';

const house = await openHouse();
const actor = serviceActor(house.account, 'test');
// Nobody looks at what is in them.
for (const table of ['leads', 'lead_data', 'lead_marks', 'lead_counts', 'lists', 'list_columns'])
  await house.pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
const newList = async (name: string) =>
  (await house.withKey(house.key)('POST', '/lists', { list: { name } })).body.id as number;
const lists = [await newList('One'), await newList('Other')];
for (const [index, id] of lists.entries()) {
  const rows = Array.from({ length: 2_000 }, (_, number) => ({ first_name: `First ${number}`, title: `T${index}` }));
  await house.transact(async (work) =>
    loadLeads(work, actor, await findLeadList(work, actor, id, 'leads.write'), rows),
  );
}

test('before anything is known of the tables, a page reads what it shows, and not whole lists', async () => {
  const { mostRows } = await openPlans(house.url, 'auto');
  // As if there were many: what is few may well be looked at as a whole.
  const bounds = { ...BOUNDS, counted: 100, firstRound: 100 };
  for (const [order, tokens] of [
    ['queue', []],
    ['-created', []],
    ['updated', []],
    ['queue', ['state:is:new']],
    ['queue', ['field.title:contains:t']],
    ['queue', ['field.first_name:is:First 7']],
  ] as const) {
    const db = listenTo(house.db);
    const reading = { db, secrets: house.secrets };
    const filter = await readFilter(reading, actor, { filter: tokens.map((token) => readToken(token)!) });
    const page = await readTable(reading, actor, filter, { order, size: 20, fields: [] }, bounds);
    assert.ok(page.leads.length > 0);
    for (const [text, values] of db.sent.filter(([sent]) => !sent.includes('random()'))) {
      const walked = await mostRows(text, values);
      assert.ok(walked <= 500, `${walked} rows for ${page.leads.length} leads: ${order} ${tokens.join()} ${text}`);
    }
  }
});
