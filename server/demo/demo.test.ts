import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../db/refusal.ts';
import { openHouse, OWNER, send } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { readConfig } from '../config.ts';
import { fillDemo } from './demo.ts';

const house = await openHouse();

test('the demo is a believable call centre: people, lists, leads, a month of calls and outcomes', async () => {
  const config = readConfig({});
  const ask = house.withKey(house.key);
  // Cut off on the way it leaves nothing that would be in the way of the next.
  const cutOff = (sentence: string) => assert.doesNotMatch(sentence, /calls/);
  await assert.rejects(fillDemo(house, config, cutOff), assert.AssertionError);
  const demo = await fillDemo(house, config, () => {});

  const lists = (await ask('GET', '/lists')).body as { id: number; leads_count: number }[];
  assert.deepEqual([lists.length, lists.reduce((sum, { leads_count }) => sum + leads_count, 0)], [4, 5_000]);
  const { body: stats } = await ask('GET', `/lists/${demo.list}/stats`);
  // The account keeps the name its owner gave it, and is named to those who are called.
  const { body: script } = await (await house.signIn(OWNER.email, OWNER.password))('GET', `/lists/${demo.list}/desk`);
  assert.equal(demo.account, 'Acme');
  assert.match(script.script, /this is Acme\./);
  const pages = await Promise.all(lists.map(({ id }) => ask('GET', `/lists/${id}/leads?per_page=1000`)));
  const alike = pages.flatMap(({ body }) => body as { detected_duplicates: number[] }[]);
  const twice = alike.filter(({ detected_duplicates }) => detected_duplicates.length > 0);
  assert.ok(twice.length > 10 && twice.length < 60, `${twice.length} leads look like another`);
  for (const state of ['new', 'call_back', 'won', 'lost', 'archived'])
    assert.ok(stats.leads_counts[state].total > 0, state);

  const { body: answered } = await ask('GET', `/calls/${demo.answered}`);
  assert.ok(answered.duration > 0 && answered.event_id && answered.lead_id);
  await house.openLine();
  await eventually(
    'some calls can be heard',
    async () => (await ask('GET', `/calls/${demo.answered}`)).body.recordings.length,
  );
  const { body: unanswered } = await ask('GET', `/calls/${demo.unanswered}`);
  assert.deepEqual([unanswered.duration, unanswered.state], [0, 'completed']);
  const { body: lead } = await ask('GET', `/leads/${demo.lead}`);
  assert.equal(lead.state, 'won');
  assert.match(lead.events[0].call, /^\/api\/v2\/calls\/\d+$/);
  assert.ok(lead.last_updated < new Date(Date.now() - 60_000).toISOString(), 'it happened then, not now');

  const { rows } = await house.pool.query<{ days: number; users: number }>(
    `select count(distinct started_at::date) as days, count(distinct user_id) as users from calls`,
  );
  assert.ok(rows[0]!.days >= 15 && rows[0]!.users === 2);
  const { status } = await send(
    `${house.address}/app/session`,
    'POST',
    { email: 'sofia@demo.example', password: demo.password },
    { origin: house.address },
  );
  assert.equal(status, 201);
  await assert.rejects(
    fillDemo(house, config, () => {}),
    Refusal,
  );
});
