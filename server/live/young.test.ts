import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse } from '../../test/house.ts';
import { listenTo, openPlans } from '../../test/plans.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { serviceActor } from '../platform/actor.ts';
import { look } from './look.ts';

const LEADS = 3_000;
const MOVED = ['deleted_leads', 'leads_brought_back'];

const house = await openHouse();
const actor = { ...serviceActor(house.account, 'test'), user: { id: 1, email: 'owner@example.com' } };
const { body } = await house.withKey(house.key)('POST', '/lists', { list: { name: 'Young' } });
// Nobody looks at what is in them.
for (const table of ['leads', 'lead_data', 'lead_marks', 'lists', 'lead_counts', 'events', ...MOVED])
  await house.pool.query(`alter table ${table} set (autovacuum_enabled = off)`);

test('a look that was planned while nothing was there looks at a few rows when there is much', async () => {
  const db = listenTo(house.db);
  await look({ db, secrets: house.secrets }, actor, { since: 0 }, [body.id]);
  const [[text, values]] = db.sent as [[string, unknown[]]];
  const { plan } = await openPlans(house.url);
  const walk = await plan(text, values);
  await house.transact(async (work) => {
    const rows = Array.from({ length: LEADS }, (_, number) => ({ first_name: `First ${number}` }));
    await loadLeads(work, actor, await findLeadList(work, actor, body.id, 'leads.write'), rows);
  });
  await house.pool.query(`
    insert into deleted_leads (account_id, lead_id, list_id, deleted_by, deleted_at)
    select account_id, id, list_id, 'someone', now() - interval '1 hour' from leads`);
  await house.pool.query(`
    insert into leads_brought_back (account_id, lead_id, list_id, brought_back_at)
    select account_id, id, list_id, now() - interval '1 hour' from leads`);
  const steps = await walk();
  assert.ok(steps.length > 20);
  assert.deepEqual(
    steps.filter(({ rows }) => rows >= LEADS),
    [],
  );
});
