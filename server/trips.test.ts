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
  // The key, the promise to do it once, whether it was done, the lead, the outcome, the answer.
  assert.equal(await tripsOf(give, 204), 6);
});
