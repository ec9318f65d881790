import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTrips } from '../test/trips.ts';

const trips = await countTrips(process.env.LEADLINE_TEST_SERVER!);
process.env.LEADLINE_TEST_SERVER = trips.url;
const { openHouse, OWNER } = await import('../test/house.ts');
const house = await openHouse();

const api = house.withKey(house.key);
const list = (await api('POST', '/lists', { list: { name: 'Counted' } })).body.id as number;
const create = async () =>
  (await api('POST', `/lists/${list}/leads`, { lead: { mobile_phone: '+45 20 30 40 50' } })).body.id as number;
const leads = [await create(), await create(), await create()];
const agent = await house.signIn(OWNER.email, OWNER.password);

const tripsOf = (act: () => Promise<{ status: number; body: unknown }>, status: number): Promise<number> =>
  trips.count(async () => {
    const answer = await act();
    assert.equal(answer.status, status, JSON.stringify(answer.body));
  });

test('an outcome takes three trips to the database: the key, the lead, and what was said of it with the commit', async () => {
  const give = () => api('POST', `/leads/${leads[0]}/winner`, { lead: { comment: 'Yes' } });
  assert.equal(await tripsOf(give, 204), 3);
});

test('so does a call back at the desk that is tried again later, and one after which the lead is archived', async () => {
  const { body } = await api('POST', '/lists', { list: { name: 'Tried', call_back_categories: 'No answer' } });
  const lead = (await api('POST', `/lists/${body.id}/leads`, { lead: {} })).body.id as number;
  const give = async () => {
    // Open with the agent, who has just called.
    await house.pool.query(
      `with held as (
         update leads set held_by = u.id, held_until = now() + interval '2 minutes' from users u where leads.id = $1
         returning leads.account_id, leads.id, held_by)
       insert into calls (account_id, lead_id, user_id, direction, state, disposition)
       select account_id, id, held_by, 'outbound', 'completed', 'no_answer' from held`,
      [lead],
    );
    return agent('POST', `/leads/${lead}/call_back`, { lead: { category: 'No answer' } });
  };
  assert.equal(await tripsOf(give, 204), 3);
  assert.equal((await api('GET', `/leads/${lead}`)).body.state, 'call_back');
  await agent('PATCH', `/lists/${body.id}`, { list: { retries: { 'No answer': { archived_after: 1 } } } });
  assert.equal(await tripsOf(give, 204), 3);
  assert.equal((await api('GET', `/leads/${lead}`)).body.state, 'archived');
});

test('so does a new lead', async () => {
  assert.equal(
    await tripsOf(() => api('POST', `/lists/${list}/leads`, { lead: { mobile_phone: '20304050' } }), 201),
    3,
  );
});

test('the next lead takes two: the session, and all the rest', async () => {
  assert.equal(await tripsOf(() => agent('POST', `/lists/${list}/next`), 200), 2);
});

test('what is one statement needs no transaction around it', async () => {
  assert.equal(await tripsOf(() => agent('DELETE', `/leads/${leads[1]}/hold`), 204), 2);
});

test('with an Idempotency-Key the answer is kept in the trip of the commit', async () => {
  let number = 0;
  const give = () =>
    house.withKey(house.key)('POST', `/leads/${leads[2]}/loser`, {}, { 'idempotency-key': `k${(number += 1)}` });
  // The key, the promise to do it once with whether it was done, the lead, the outcome, the answer.
  assert.equal(await tripsOf(give, 204), 5);
});
