import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { atEnd } from '../../test/database.ts';
import { openHouse } from '../../test/house.ts';
import { NO_ROLES, serviceActor, type Actor } from '../platform/actor.ts';
import type { Db } from '../platform/db.ts';
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

type Node = { 'Actual Rows': number; 'Actual Loops': number; Plans?: Node[] };
const most = (node: Node): number =>
  Math.max(node['Actual Rows'] * node['Actual Loops'], ...(node.Plans ?? []).map(most));

test('before anything is known of the tables, a few leads are looked up, and not all of a list walked over', async () => {
  const client = new Client({ connectionString: house.url });
  await client.connect();
  atEnd(() => client.end());
  await client.query('set plan_cache_mode = force_generic_plan');
  const pages = [ids.slice(100, 108), ids.slice(100, 160)];
  for (const [whom, asked] of [actor, agent].flatMap((one) => pages.map((page) => [one, page] as const))) {
    const sent: string[] = [];
    const db: Db = {
      send(text, values) {
        sent.push(text);
        return house.db.send(text, values);
      },
    };
    assert.equal((await readLeads({ db, secrets: house.secrets }, whom, asked)).length, asked.length);
    for (const text of sent) {
      await client.query(`prepare shown as ${text}`);
      const { rows: plans } = await client.query(
        `explain (analyze, format json) execute shown (${house.account.id}, '{${asked.join(',')}}'${whom === agent ? ', 1' : ''})`,
      );
      await client.query('deallocate shown');
      const walked = most(plans[0]['QUERY PLAN'][0].Plan);
      assert.ok(walked <= asked.length * 2, `${walked} rows for ${asked.length} leads: ${text}`);
    }
  }
});
