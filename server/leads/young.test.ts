import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse } from '../../test/house.ts';
import { listenTo, openPlans } from '../../test/plans.ts';
import { NO_ROLES, serviceActor, type Actor } from '../platform/actor.ts';
import { findLeadList } from './access.ts';
import { readLeads } from './lead.ts';
import { loadLeads } from './load.ts';

const house = await openHouse();
const actor = serviceActor(house.account, 'test');
const agent: Actor = { ...actor, user: { id: 1, email: 'agent@example.com' }, roles: { ...NO_ROLES, agent: true } };
const { body } = await house.withKey(house.key)('POST', '/lists', { list: { name: 'Young' } });
// Nobody looks at what is in them.
for (const table of ['leads', 'lead_data', 'lead_marks', 'lists'])
  await house.pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
const rows = Array.from({ length: 3_000 }, (_, number) => ({ first_name: `First ${number}` }));
const ids = await house.transact(async (work) =>
  loadLeads(work, actor, await findLeadList(work, actor, body.id, 'leads.write'), rows),
);

test('before anything is known of the tables, a few leads are looked up, and not all of a list walked over', async () => {
  const { mostRows } = await openPlans(house.url);
  const pages = [ids.slice(100, 108), ids.slice(100, 160)];
  for (const [whom, asked] of [actor, agent].flatMap((one) => pages.map((page) => [one, page] as const))) {
    const db = listenTo(house.db);
    assert.equal((await readLeads({ db, secrets: house.secrets }, whom, asked)).length, asked.length);
    for (const [text, values] of db.sent) {
      const walked = await mostRows(text, values);
      assert.ok(walked <= asked.length * 2, `${walked} rows for ${asked.length} leads: ${text}`);
    }
  }
});
