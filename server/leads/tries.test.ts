import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Coming } from '../../contract/retries.ts';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';
import { openPlans } from '../../test/plans.ts';
import { STATEMENTS } from '../platform/sql.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
await owner('PATCH', '/account', { account: { country: 'DK', time_zone: 'Europe/Copenhagen' } });

const CATEGORIES = 'Bad time, No answer, Busy, Voicemail';
const HOUR = 3_600_000;

let people = 0;
async function furnish({ most, phone = '+4533112233' }: { most?: number; phone?: string } = {}) {
  const list = (await api('POST', '/lists', { list: { name: 'Tried', call_back_categories: CATEGORIES } })).body
    .id as number;
  if (most) await owner('PATCH', `/lists/${list}`, { list: { retries: { 'No answer': { archived_after: most } } } });
  const agent = await house.join({ email: `agent${(people += 1)}@example.com`, listing_ids: [list] });
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { mobile_phone: phone } })).body.id as number;
  return { list, lead, agent };
}
type Person = { id: number; ask: Ask };

/** A call as it is after it. */
async function called(
  { id }: Person,
  lead: number,
  ending: { disposition?: string; direction?: string; state?: string; number?: string } = {},
): Promise<number> {
  const { disposition = 'no_answer', direction = 'outbound', state = 'completed', number = '' } = ending;
  const { rows } = await house.pool.query<{ id: number }>(
    `insert into calls (account_id, lead_id, user_id, direction, state, disposition, destination_number)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [house.account.id, lead, id, direction, state, state === 'completed' ? disposition : null, number],
  );
  return rows[0]!.id;
}

const hold = async ({ ask }: Person, lead: number) =>
  assert.equal((await ask('POST', `/leads/${lead}/hold`)).status, 200);
const comingBack = async ({ ask }: Person, lead: number) => {
  const { status, body } = await ask('GET', `/leads/${lead}/coming_back`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as { appointment: string | null; categories: Coming[] };
};
const coming = async (person: Person, lead: number, category: string | null) =>
  (await comingBack(person, lead)).categories.find((one) => one.category === category)!;
const callBack = async ({ ask }: Person, lead: number, outcome: object = {}) =>
  assert.equal((await ask('POST', `/leads/${lead}/call_back`, { lead: outcome })).status, 204);
/** Opened, called, nobody there. */
async function tryOnce(person: Person, lead: number, category = 'No answer') {
  await hold(person, lead);
  const call = await called(person, lead);
  await callBack(person, lead, { category });
  return call;
}
const read = async (lead: number) => (await api('GET', `/leads/${lead}`)).body;
const rowOf = async (lead: number) =>
  (await house.pool.query('select rank, exactly, turn_at, scheduled_for, claimed_by from leads where id = $1', [lead]))
    .rows[0];
/** In hours from now. */
const hoursUntil = (at: string) => (Date.parse(at) - Date.now()) / HOUR;
const isNear = (hours: number, wanted: number) => assert.ok(Math.abs(hours - wanted) < 0.1, `${hours}, not ${wanted}`);

describe('a call back without a time', () => {
  test('comes back when the list says for its category, any time after, and is nobody’s', async () => {
    await owner('PATCH', '/account', { account: { claim_on_schedule: true, claim_on_put_off: true } });
    for (const [category, hours] of [
      ['Busy', 0.25],
      ['No answer', 2],
      ['Bad time', 1],
      [null, 1],
    ] as const) {
      const { list, lead, agent } = await furnish();
      assert.equal((await agent.ask('POST', `/lists/${list}/next`)).body.lead.id, lead);
      const told = await coming(agent, lead, category);
      await callBack(agent, lead, { category });
      const { state, scheduled_for } = await read(lead);
      assert.equal(state, 'call_back');
      isNear(hoursUntil(scheduled_for), hours);
      isNear(hoursUntil(told.at), hours);
      const { rank, exactly, claimed_by } = await rowOf(lead);
      assert.deepEqual([rank, exactly, claimed_by], [2, false, null]);
      assert.equal((await agent.ask('POST', `/lists/${list}/next`)).body.lead, null, 'it does not come straight back');
    }
  });

  test('after a voicemail comes back the next day at nine, where the number is that was dialled', async () => {
    for (const [phone, zone] of [
      ['+4533112233', 'Europe/Copenhagen'],
      ['+12127365000', 'America/New_York'],
      ['', 'Europe/Copenhagen'],
    ] as const) {
      const { lead, agent } = await furnish({ phone });
      await hold(agent, lead);
      // Before it is given: the day may end in between.
      const asked = Date.now();
      await callBack(agent, lead, { category: 'Voicemail' });
      const { scheduled_for } = await read(lead);
      const clock = (at: string | number, options: Intl.DateTimeFormatOptions) =>
        new Date(at).toLocaleString('en-GB', { timeZone: zone, ...options });
      assert.equal(clock(scheduled_for, { timeStyle: 'medium' }), '09:00:00');
      assert.ok(hoursUntil(scheduled_for) > 7.9 && hoursUntil(scheduled_for) < 34);
      assert.notEqual(clock(scheduled_for, { dateStyle: 'short' }), clock(asked, { dateStyle: 'short' }));
    }
    const { lead, agent } = await furnish();
    await called(agent, lead, { number: '+12127365000' });
    await hold(agent, lead);
    await callBack(agent, lead, { category: 'Voicemail' });
    const there = new Date((await read(lead)).scheduled_for).toLocaleTimeString('en-GB', {
      timeZone: 'America/New_York',
    });
    assert.equal(there, '09:00:00');
  });

  test('is due at once by the API, and for whoever has not the lead open; a time that is given goes before', async () => {
    const { lead, agent } = await furnish();
    await house.withKey(agent.key)('POST', `/leads/${lead}/call_back`, { lead: { category: 'No answer' } });
    assert.equal((await read(lead)).scheduled_for, null);
    await callBack(agent, lead, { category: 'No answer' });
    assert.equal((await read(lead)).scheduled_for, null);
    await hold(agent, lead);
    await callBack(agent, lead, { category: 'No answer', call_back_in: 300 });
    isNear(hoursUntil((await read(lead)).scheduled_for), 5);
    assert.equal((await rowOf(lead)).exactly, true);
  });

  test('comes back as was told also when the page could not give a sign of life for some minutes, and nobody took the lead', async () => {
    const { list, lead, agent } = await furnish();
    await hold(agent, lead);
    const lapse = () =>
      house.pool.query(`update leads set held_until = now() - interval '3 minutes' where id = $1`, [lead]);
    await lapse();
    await callBack(agent, lead, { category: 'No answer' });
    isNear(hoursUntil((await read(lead)).scheduled_for), 2);
    const colleague = await house.join({ email: `taker${people}@example.com`, listing_ids: [list] });
    await hold(agent, lead);
    await lapse();
    await hold(colleague, lead);
    await callBack(agent, lead, { category: 'No answer' });
    assert.equal((await read(lead)).scheduled_for, null);
    assert.equal((await colleague.ask('DELETE', `/leads/${lead}/hold`)).status, 204);
    await owner('PATCH', '/account', { account: { claim_on_schedule: true } });
    await hold(agent, lead);
    await lapse();
    await callBack(agent, lead, { call_back_in: 60 });
    assert.equal((await rowOf(lead)).claimed_by, agent.id, 'what is scheduled stays with who scheduled it, too');
  });

  test('is told for each category before it is given, only to who may see the lead', async () => {
    const { lead, agent } = await furnish();
    const stranger = await house.join({ email: 'stranger@example.com' });
    assert.equal((await stranger.ask('GET', `/leads/${lead}/coming_back`)).status, 404);
    const { appointment, categories } = await comingBack(agent, lead);
    assert.equal(appointment, null);
    assert.deepEqual(
      categories.map(({ category, comes_back_after }) => [category, comes_back_after]),
      [
        [null, 60],
        ['Bad time', 60],
        ['No answer', 120],
        ['Busy', 15],
        ['Voicemail', 'next_day'],
      ],
    );
  });
});

describe('after the most tries without reaching anyone', () => {
  test('the service archives the lead, after the agent’s own call back, which stays that of the call', async () => {
    const { list, lead, agent } = await furnish({ most: 3 });
    await api('POST', `/lists/${list}/webhook`, {
      webhook: { event: 'new_event', target_url: 'http://127.0.0.1:9/hears-both' },
    });
    for (const attempt of [1, 2]) {
      await tryOnce(agent, lead);
      const { state, category } = await read(lead);
      assert.deepEqual([state, category], ['call_back', 'No answer']);
      assert.equal((await coming(agent, lead, 'No answer')).attempt, attempt);
    }
    await hold(agent, lead);
    const call = await called(agent, lead);
    const { attempt, archived_after, archives } = await coming(agent, lead, 'No answer');
    assert.deepEqual([attempt, archived_after, archives], [3, 3, true]);
    await callBack(agent, lead, { category: 'No answer', comment: 'Rang and rang' });

    const { state, category, scheduled_for, events } = await read(lead);
    assert.deepEqual([state, category, scheduled_for], ['archived', null, null]);
    const [archive, own] = events;
    assert.deepEqual(
      [archive.kind, archive.category, archive.comment, archive.user_email, archive.call],
      ['archive', null, 'No answer, 3 tries', '', null],
    );
    assert.deepEqual(
      [own.kind, own.category, own.comment, own.call],
      ['call_back', 'No answer', 'Rang and rang', `/api/v2/calls/${call}`],
    );
    assert.ok(own.user_email.startsWith('agent'));
    assert.equal((await api('GET', `/calls/${call}`)).body.event_id, own.id);
    const { rows } = await house.pool.query(
      `select d.event_id from deliveries d join webhooks w on w.id = d.webhook_id
        where w.list_id = $1 and d.event_id >= $2 order by d.next_at, d.id`,
      [list, own.id],
    );
    assert.deepEqual(
      rows.map(({ event_id }) => event_id),
      [own.id, archive.id],
      'subscribers hear of both, in their order',
    );
    const counts = (await api('GET', `/lists/${list}/stats`)).body.leads_counts;
    assert.deepEqual([counts.call_back.total, counts.archived.total, counts.total], [0, 1, 1]);
    assert.equal((await api('GET', `/leads/search?query=tries&list_ids=${list}`)).body.total, 1);
    assert.equal((await rowOf(lead)).rank, null);
    assert.equal((await agent.ask('POST', `/lists/${list}/next`)).body.lead, null);
  });

  test('a time chosen at the desk goes before, and so does an outcome that no call led to', async () => {
    const { lead, agent } = await furnish({ most: 1 });
    await hold(agent, lead);
    await called(agent, lead);
    await callBack(agent, lead, { category: 'No answer', call_back_in: 60 });
    assert.equal((await read(lead)).state, 'call_back');
    await hold(agent, lead);
    assert.equal((await coming(agent, lead, 'No answer')).archives, false);
    await callBack(agent, lead, { category: 'No answer' });
    assert.equal((await read(lead)).state, 'call_back', 'corrected afterwards it is no further try');
  });

  test('it is reached at the next try, never backwards', async () => {
    const { list, lead, agent } = await furnish();
    for (let made = 0; made < 4; made += 1) await tryOnce(agent, lead);
    await owner('PATCH', `/lists/${list}`, { list: { retries: { 'No answer': { archived_after: 2 } } } });
    assert.equal((await read(lead)).state, 'call_back');
    await tryOnce(agent, lead);
    const { state, events } = await read(lead);
    assert.deepEqual([state, events[0].comment], ['archived', 'No answer, 5 tries']);
  });

  test('tries are calls out since someone was last reached, whoever made them', async () => {
    const { list, lead, agent } = await furnish({ most: 3 });
    const colleague = await house.join({ email: `colleague${people}@example.com`, listing_ids: [list] });
    const attempt = async (category: string) => (await coming(agent, lead, category)).attempt;
    await called(colleague, lead);
    await called(colleague, lead, { disposition: 'busy' });
    await called(colleague, lead, { direction: 'inbound' });
    assert.equal(await attempt('No answer'), 2);
    await called(colleague, lead, { disposition: 'normal', direction: 'inbound' });
    assert.equal(await attempt('No answer'), 0, 'it called in and was answered');
    await tryOnce(agent, lead);
    assert.equal(await attempt('No answer'), 1);
    await hold(agent, lead);
    await called(agent, lead, { disposition: 'normal' });
    assert.deepEqual(
      [await attempt('Bad time'), await attempt('No answer')],
      [0, 2],
      'who picks up is reached, unless the agent says that nobody was',
    );
    await callBack(agent, lead, { category: 'No answer' });
    assert.equal(await attempt('Bad time'), 2, 'and so it stays');
    await called(agent, lead, { disposition: 'voicemail' });
    assert.equal((await coming(agent, lead, 'No answer')).archives, true);
    await hold(agent, lead);
    await callBack(agent, lead, { category: 'Bad time' });
    assert.equal((await read(lead)).state, 'call_back', 'each category has its own end');
  });

  test('what an agent corrects of their call is corrected, for as long as nobody else gave an outcome', async () => {
    const { list, lead, agent } = await furnish({ most: 2 });
    const colleague = await house.join({ email: `corrects${people}@example.com`, listing_ids: [list] });
    const [attempt, again] = [async () => (await coming(agent, lead, 'No answer')).attempt, () => hold(agent, lead)];
    await again();
    const call = await called(agent, lead, { disposition: 'normal' });
    await callBack(agent, lead, { category: 'No answer' });
    const { event_id } = (await api('GET', `/calls/${call}`)).body;
    await again();
    await callBack(agent, lead, { category: 'Bad time' });
    assert.equal(await attempt(), 0, 'somebody was reached after all');
    assert.equal((await api('GET', `/calls/${call}`)).body.event_id, event_id);
    await tryOnce(agent, lead);
    assert.equal((await read(lead)).state, 'call_back', 'that was the first try since');
    await again();
    const last = await called(agent, lead, { disposition: 'normal' });
    await callBack(agent, lead, { category: 'Bad time' });
    await again();
    await callBack(agent, lead, { category: 'Voicemail' });
    assert.equal(await attempt(), 2, 'nor was that one');
    await hold(colleague, lead);
    await callBack(colleague, lead, { category: 'Bad time' });
    await again();
    await callBack(agent, lead, { category: 'Bad time' });
    assert.equal(await attempt(), 2, 'this is not about the call any more');
    assert.ok((await api('GET', `/calls/${last}`)).body.event_id > event_id);
  });

  test('the outcome is that of the call, not of one by which it was to be passed on', async () => {
    const { list, lead, agent } = await furnish({ most: 1 });
    const colleague = await house.join({ email: `asked${people}@example.com`, listing_ids: [list] });
    await hold(agent, lead);
    const call = await called(agent, lead);
    const { rows } = await house.pool.query<{ id: number }>(
      `insert into calls (account_id, lead_id, user_id, direction, state, disposition, offered_to, transfer_of, ended_at)
       values ($1, $2, $3, 'transfer', 'completed', 'no_answer', $4, $5, now()) returning id`,
      [house.account.id, lead, agent.id, colleague.id, call],
    );
    await house.pool.query('update calls set ended_at = now() where id = $1', [call]);
    const line = async () => (await agent.ask('GET', '/line')).body;
    assert.equal((await line()).wrapping_up.id, call);
    const goesOn = (state: string) =>
      house.pool.query('update calls set state = $2 where id = $1', [rows[0]!.id, state]);
    await goesOn('active');
    assert.equal((await line()).wrapping_up, null, 'while it goes on with others they are free');
    await goesOn('completed');
    assert.equal((await coming(agent, lead, 'No answer')).archives, true);
    await callBack(agent, lead, { category: 'No answer' });
    const { events } = await read(lead);
    assert.equal((await api('GET', `/calls/${call}`)).body.event_id, events[1].id);
    assert.equal((await api('GET', `/calls/${rows[0]!.id}`)).body.event_id, null);
    assert.equal((await line()).wrapping_up, null);
    const { calls, talked } = (await agent.ask('GET', '/day')).body;
    assert.deepEqual([calls, talked], [1, 0]);
  });

  test('while the call still rings, or a mailbox talks, it is that try', async () => {
    const { lead, agent } = await furnish({ most: 2 });
    await tryOnce(agent, lead);
    await hold(agent, lead);
    const call = await called(agent, lead, { state: 'calling' });
    const { attempt, archives } = await coming(agent, lead, 'No answer');
    assert.deepEqual([attempt, archives], [2, true]);
    await house.pool.query(`update calls set state = 'active' where id = $1`, [call]);
    assert.equal((await coming(agent, lead, 'No answer')).archives, true);
    assert.equal((await coming(agent, lead, null)).attempt, 0);
    await callBack(agent, lead, { category: 'No answer' });
    assert.equal((await read(lead)).state, 'archived');
    await house.pool.query(`update calls set state = 'completed', disposition = 'normal' where id = $1`, [call]);
  });

  test('ten thousand calls are not walked through to say so', async () => {
    const { lead, agent } = await furnish({ most: 50 });
    await house.pool.query(
      `insert into calls (account_id, lead_id, user_id, direction, state, disposition)
       select $1, $2, $3, 'outbound', 'completed', 'no_answer' from generate_series(1, 10000)`,
      [house.account.id, lead, agent.id],
    );
    const { attempt, archives } = await coming(agent, lead, 'No answer');
    assert.deepEqual([attempt, archives], [200, true]);
    const { mostRows } = await openPlans(house.url);
    for (const name of ['leads/tries.lock', 'leads/tries.read'] as const) {
      const [text] = STATEMENTS.get(name)!.texts;
      assert.ok((await mostRows(text!, [house.account.id, lead, null, agent.id])) <= 200, name);
    }
  });
});

describe('an appointment that is still ahead', () => {
  const appoint = async (lead: number, hours = 48) => {
    const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 + hours * HOUR).toISOString();
    await api('POST', `/leads/${lead}/call_back`, { lead: { scheduled_for: at, category: 'Bad time' } });
    return at;
  };

  test('stays when the lead gets a call back without a time at the desk, and nobody claims it by that', async () => {
    await owner('PATCH', '/account', { account: { claim_on_schedule: true } });
    const { lead, agent } = await furnish({ most: 1 });
    const at = await appoint(lead);
    await hold(agent, lead);
    await called(agent, lead);
    assert.equal((await comingBack(agent, lead)).appointment, at);
    await callBack(agent, lead, { category: 'No answer', comment: 'Not there' });
    const { state, category, scheduled_for, events } = await read(lead);
    assert.deepEqual([state, category, scheduled_for], ['call_back', 'No answer', at]);
    assert.equal(events[0].kind, 'call_back');
    const { rank, exactly, claimed_by } = await rowOf(lead);
    assert.deepEqual([rank, exactly, claimed_by], [1, true, null]);
  });

  test('stays on the lead’s own page, too; another time moves it, and other outcomes end it', async () => {
    const { lead, agent } = await furnish();
    const at = await appoint(lead);
    await callBack(agent, lead, { category: 'No answer' });
    assert.equal((await read(lead)).scheduled_for, at);
    await hold(agent, lead);
    await callBack(agent, lead, { call_back_in: 60 });
    isNear(hoursUntil((await read(lead)).scheduled_for), 1);
    await agent.ask('POST', `/leads/${lead}/loser`);
    assert.equal((await read(lead)).scheduled_for, null);
  });

  test('goes with an outcome of the API without a time, as given', async () => {
    const { lead } = await furnish();
    await appoint(lead);
    await api('POST', `/leads/${lead}/call_back`);
    assert.equal((await read(lead)).scheduled_for, null);
  });

  test('is none once it has passed, or where the lead was only put off until after it', async () => {
    const { lead, agent } = await furnish();
    await appoint(lead, -1);
    assert.equal((await comingBack(agent, lead)).appointment, null);
    await api('POST', `/leads/${lead}/call_back`, { lead: { call_back_in: 600, exactly: false } });
    assert.equal((await comingBack(agent, lead)).appointment, null);
    await hold(agent, lead);
    await callBack(agent, lead, { category: 'No answer' });
    isNear(hoursUntil((await read(lead)).scheduled_for), 2);
  });
});
