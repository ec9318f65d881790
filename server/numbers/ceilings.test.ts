import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';
import { stayWithinDay } from '../../test/within-day.ts';
import { serviceActor } from '../platform/actor.ts';
import { receiveCall } from '../calls/inbound.ts';

// Nobody looks after the line: what is dialled stays under way.
const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const { ask } = await house.join({ email: 'ann@example.com' });
const list = (await api('POST', '/lists', { list: { name: 'Ceilings' } })).body.id as number;
await owner('PATCH', '/account', { account: { country: 'DK', time_zone: 'Europe/Copenhagen' } });

const NONE = {
  most_automated_calls: null,
  most_calls_a_number: null,
  most_texts_a_number: null,
  most_calls_a_day: null,
  most_texts_a_day: null,
};
const allow = async (ceilings: Record<string, number | null>) => {
  const { status, body } = await owner('PATCH', '/account', { account: { ...NONE, ...ceilings } });
  assert.equal(status, 200, JSON.stringify(body));
};
beforeEach(() => house.pool.query('delete from calls; delete from texts'));

const call = (number: string) => ask('POST', '/calls', { call: { number, automated: true } });
const statuses = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);
const most = (count: number) => [...Array(count).fill(201), 409];

test('the ceilings an account begins with', async () => {
  const other = await house.addAccount('New', 'http://new.example.com');
  const found = await house.pool.query(
    'select most_automated_calls, most_calls_a_number, most_texts_a_number, most_calls_a_day, most_texts_a_day from accounts where id = $1',
    [other.account.id],
  );
  assert.deepEqual(Object.values(found.rows[0]), [10, 10, 10, null, null]);
});

test('so many calls to one number in 24 hours, however it is written; the eleventh says when it is possible again', async () => {
  await allow({ most_calls_a_number: 10 });
  for (const number of ['+45 33 11 22 01', '0045 33112201', '33112201', '(33) 11-22-01', '4533112201'])
    for (let time = 0; time < 2; time += 1) assert.equal((await call(number)).status, 201, number);
  await house.pool.query(`update calls set started_at = started_at - interval '1 hour'`);
  const { status, body } = await call('33 11 22 01');
  assert.deepEqual([status, body.code], [409, 'most_calls_a_number']);
  assert.match(
    body.error,
    /^Calls to \S*33112201 in the last 24 hours: 10, as many as this account allows\. The next is possible from \d+ \w+(,| at) \d\d:\d\d \(Europe\/Copenhagen\)\. An owner can change this under Manage → Account\.$/,
  );
  for (const longer of ['+45 33 11 22 01 7', '0045331122019999', `+4533112201${'1'.repeat(25)}`])
    assert.equal((await call(longer)).status, 409, `${longer} reaches the same`);
  assert.equal((await call('+4533112202')).status, 201, 'another number');
  await house.pool.query(`update calls set started_at = started_at - interval '23 hours'`);
  assert.equal((await call('33 11 22 01')).status, 201, 'a day later');
  const metrics = await fetch(`${house.address}/metrics`);
  assert.match(await metrics.text(), /^leadline_ceilings_total\{ceiling="most_calls_a_number"\} 4$/m);
});

test('of calls that are asked for at the same moment, no more pass than there is room for', async () => {
  await allow({ most_automated_calls: 4 });
  const atOnce = await Promise.all(Array.from({ length: 5 }, (_, index) => call(`+453311220${index}`)));
  assert.deepEqual(statuses(atOnce), most(4));
  assert.match(
    atOnce.find(({ status }) => status === 409)!.body.error,
    /^Automated calls under way: 4, as many as this account allows/,
  );
  await house.pool.query(`update calls set state = 'completed' where id = (select max(id) from calls)`);
  assert.equal((await call('+4533112209')).status, 201, 'one has ended');

  await allow({ most_calls_a_number: 6 });
  assert.deepEqual(statuses(await Promise.all(Array.from({ length: 7 }, () => call('+4533112277')))), most(6));

  await stayWithinDay();
  await house.pool.query('delete from calls');
  await allow({ most_calls_a_day: 5 });
  const aDay = await Promise.all(Array.from({ length: 6 }, (_, index) => call(`+453311220${index}`)));
  assert.deepEqual(statuses(aDay), most(5));
  assert.equal(aDay.find(({ status }) => status === 409)!.body.code, 'most_calls_a_day');
});

test('texts are counted by themselves, by number and by day, at the same moment too', async () => {
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: '33112201' } })).body.id;
  const same = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: '+45 33 11 22 01' } })).body.id;
  const writer = await house.join({ email: 'wim@example.com', listing_ids: [list] });
  const write = (id: number) => writer.ask('POST', `/leads/${id}/texts`, { text: { body: 'Hello' } });
  await allow({ most_texts_a_number: 4, most_calls_a_number: 1 });
  assert.equal((await call('33112201')).status, 201);
  const answers = await Promise.all([write(lead), write(same), write(lead), write(same), write(lead)]);
  assert.deepEqual(statuses(answers), most(4));
  const { body } = answers.find(({ status }) => status === 409)!;
  assert.equal(body.code, 'most_texts_a_number');
  assert.match(body.error, /^Texts to \+4533112201 in the last 24 hours: 4, as many/);
  await allow({ most_texts_a_day: 4 });
  assert.equal((await write(lead)).body.code, 'most_texts_a_day');
  await allow({});
  assert.equal((await write(lead)).status, 201);
});

test('neither calls that come in nor those of colleagues count or are refused; a transfer is a call like any other', async () => {
  await stayWithinDay();
  await allow({ most_calls_a_number: 1, most_calls_a_day: 1 });
  const actor = serviceActor(house.account, 'test');
  for (const subject of ['one', 'two'])
    await house.transact((work) =>
      receiveCall(work, actor, 'test', {
        kind: 'came_in',
        key: 'came_in',
        subject,
        accountId: house.account.id,
        from: '+4533112201',
        to: null,
        at: new Date(),
      }),
    );
  const bob = await house.join({ email: 'bob@example.com' });
  const colleague = await ask('POST', '/calls', { call: { user_id: bob.id } });
  assert.equal(colleague.status, 201);
  await house.pool.query(`update calls set state = 'completed'`);
  const { body, status } = await ask('POST', '/calls', { call: { number: '+4533112201' } });
  assert.equal(status, 201);
  await house.pool.query(`update calls set state = 'active' where id = $1`, [body.id]);
  const passedOn = await ask('POST', `/calls/${body.id}/transfer`, { number: '+4533112233' });
  assert.equal(passedOn.body.code, 'most_calls_a_day');
});

test('an owner sets them within bounds, and nobody else', async () => {
  const wrong = await owner('PATCH', '/account', { account: { most_calls_a_number: 0, most_calls_a_day: 2_000_000 } });
  assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [422, ['most_calls_a_number', 'most_calls_a_day']]);
  assert.equal((await ask('PATCH', '/account', { account: { most_calls_a_number: 20 } })).status, 403);
  await allow({ most_calls_a_number: 20 });
  assert.equal((await owner('GET', '/account')).body.most_calls_a_number, 20);
});

test('a country is a real one; where the one that is set has no numbers, a national one is refused by name', async () => {
  for (const country of ['ZZ', 'EU', 'SU', 'UK', 'QQ']) {
    const { status, body } = await owner('PATCH', '/account', { account: { country } });
    assert.deepEqual([status, Object.keys(body.errors)], [422, ['country']], country);
  }
  const { id } = (await api('POST', `/lists/${list}/leads`, { lead: { mobile_phone: '33112299' } })).body;
  const write = (text: object) => owner('POST', `/leads/${id}/texts`, { text: { body: 'Hello', ...text } });
  // From before it was looked at, and a place without telephones of its own.
  for (const country of ['ZZ', 'AQ']) {
    await house.pool.query('update accounts set country = $1', [country]);
    const { status, body } = await write({});
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['number']], JSON.stringify(body));
    assert.equal((await write({ number: '+4533112299' })).status, 201);
    assert.equal((await api('GET', `/leads/${id}`)).status, 200);
  }
  assert.equal((await owner('PATCH', '/account', { account: { country: 'DK' } })).status, 200);
  assert.equal((await write({})).status, 201);
});
