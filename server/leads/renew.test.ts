import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';

const house = await openHouse();
const api = house.withKey(house.key);

test('a lead is made new again by whoever gives outcomes; its history and its claim stay', async () => {
  const { id: list } = (await api('POST', '/lists', { list: { name: 'Autumn', winner_categories: 'Order' } })).body;
  const agent = await house.join({ email: 'agent@example.com', listing_ids: [list] });
  const { id } = (await api('POST', `/lists/${list}/leads`, { lead: { company_name: 'Marlowe' } })).body;
  const renew = (ask: typeof api) => ask('POST', `/leads/${id}/renew`);
  assert.equal((await agent.ask('POST', `/leads/${id}/winner`, { lead: { category: 'Order' } })).status, 204);
  assert.equal((await renew(agent.ask)).status, 204);
  const { body: lead } = await api('GET', `/leads/${id}`);
  assert.deepEqual([lead.state, lead.category], ['new', null]);
  assert.ok(lead.events.some(({ kind }: { kind: string }) => kind === 'winner'));
  // At the pages alone, and of leads that one sees.
  assert.equal((await renew(api)).status, 404);
  const stranger = await house.join({ email: 'stranger@example.com', listing_ids: [] });
  assert.equal((await renew(stranger.ask)).status, 404);
  assert.equal((await agent.ask('POST', `/leads/${id}/call_back`, { lead: { call_back_in: 60 } })).status, 204);
  await api('PATCH', `/leads/${id}/delegate`, { lead: { delegate_to: OWNER.email } });
  const { status } = await renew(agent.ask);
  assert.equal(status, 409);
});
