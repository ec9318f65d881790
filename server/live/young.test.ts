import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { atEnd } from '../../test/database.ts';
import { openHouse } from '../../test/house.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { serviceActor } from '../platform/actor.ts';
import type { Db } from '../platform/db.ts';
import { look } from './look.ts';

const LEADS = 3_000;

const house = await openHouse();
const actor = { ...serviceActor(house.account, 'test'), user: { id: 1, email: 'owner@example.com' } };
const { body } = await house.withKey(house.key)('POST', '/lists', { list: { name: 'Young' } });
// Nobody looks at what is in them.
for (const table of ['leads', 'lead_data', 'lead_marks', 'lists', 'lead_counts', 'events', 'deleted_leads'])
  await house.pool.query(`alter table ${table} set (autovacuum_enabled = off)`);

type Node = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: Node[];
};
const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
const walkedOver = (node: Node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

test('a look that was planned while nothing was there looks at a few rows when there is much', async () => {
  const sent: string[] = [];
  const db: Db = {
    send(text, values) {
      sent.push(text);
      return house.db.send(text, values);
    },
  };
  await look({ db, secrets: house.secrets }, actor, 0, [body.id]);
  const client = new Client({ connectionString: house.url });
  await client.connect();
  atEnd(() => client.end());
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(`prepare look as ${sent[0]}`);
  const execute = `execute look (${house.account.id}, null, 1, 0, '{${body.id}}')`;
  await client.query(execute);
  await house.transact(async (work) => {
    const rows = Array.from({ length: LEADS }, (_, number) => ({ first_name: `First ${number}` }));
    await loadLeads(work, actor, await findLeadList(work, actor, body.id, 'leads.write'), rows);
  });
  await house.pool.query(`
    insert into deleted_leads (account_id, lead_id, list_id, deleted_by, deleted_at)
    select account_id, id, list_id, 'someone', now() - interval '1 hour' from leads`);
  const { rows } = await client.query(`explain (analyze, format json) ${execute}`);
  const nodes = all(rows[0]['QUERY PLAN'][0].Plan);
  assert.ok(nodes.length > 20);
  assert.deepEqual(
    nodes.filter((node) => walkedOver(node) >= LEADS).map((node) => node['Relation Name']),
    [],
  );
});
