import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebSocket } from 'ws';
import { openSocket } from '../../test/telephone.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { asIs } from '../../test/database.ts';
import { ENDS, holdCalls } from '../../test/held-rows.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { stayWithinDay } from '../../test/within-day.ts';
import { serviceActor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import type { Transact } from '../platform/work.ts';
import { noteLost, removeOldRecordings } from '../recordings/recordings.ts';
import { SIMULATED } from '../telephony/simulated/carrier.ts';
import { endCall, takeReport } from './reports.ts';
import { tellOfCall } from './tell.ts';

/** Over HTTP alone, on the simulated line. */

const house = await openHouse({ RATE_LIMITS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' });
await house.openLine();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
await owner('PATCH', '/account', {
  // All call the same few numbers.
  account: { caller_number: '+4570101010', caller_name: 'Acme', country: 'DK', most_calls_a_number: null },
});
const list = (
  await api('POST', '/lists', {
    list: { name: 'Calls', call_back_categories: 'Voicemail,Bad time', winner_categories: 'Order' },
  })
).body.id as number;

const agentNamed = (name: string) => house.join({ email: `${name}@example.com`, listing_ids: [list] });
const addLead = async (phone: string): Promise<number> =>
  (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: phone } })).body.id;
const callOf = async (id: number) => (await api('GET', `/calls/${id}`)).body;
const reaches = (id: number, state: string) =>
  eventually(`call ${id} is ${state}`, async () => {
    const call = await callOf(id);
    return call.state === state ? call : undefined;
  });
/** What is dialled to this number, which no other test may use, is not begun until it is let go. */
const holdDialling = (number: string) =>
  holdCalls(
    house.pool,
    `new.destination_number = '${number}' and old.dialled_at is null and new.dialled_at is not null and new.hang_up_at is null`,
  );
/** Everyone who wants to hear of calls, at both scopes. */
const subscriber = await openSubscriber();
const subscribe = async (event: string) => {
  for (const path of [`/lists/${list}/webhook`, '/webhooks']) {
    const target_url = `${subscriber.url}/${event}/${path.startsWith('/lists') ? 'list' : 'account'}`;
    assert.equal((await api('POST', path, { webhook: { event, target_url } })).status, 201);
  }
};
/** What is told is written down with what happened, before it is sent. */
const deliveriesAbout = async (id: number) =>
  (await house.pool.query('select id from deliveries where resource = $1', [`/api/v2/calls/${id}`])).rows;
await subscribe('new_call');
await subscribe('new_recording');

// Each has agents and leads of its own, and most of its time is a telephone's.
describe('a call', { concurrency: 4 }, () => {
  test('is dialled, answered, hung up, and led to the outcome that is given; every documented field is there', async () => {
    const agent = await agentNamed('ann');
    const lead = await addLead('+45 33 11 22 01');
    const dialled = await agent.ask('POST', '/calls', { call: { lead_id: lead } });
    assert.equal(dialled.status, 201);
    const { id } = dialled.body;
    assert.equal(dialled.body.state, 'initiated');
    await reaches(id, 'active');
    assert.equal((await agent.ask('GET', '/line')).body.call.id, id);
    assert.equal((await agent.ask('POST', '/calls', { call: { lead_id: lead } })).body.code, 'in_call');
    assert.equal((await agent.ask('POST', `/calls/${id}/hang_up`)).status, 200);
    await reaches(id, 'completed');
    assert.equal((await agent.ask('GET', '/line')).body.call, null);
    assert.equal((await agent.ask('POST', `/leads/${lead}/winner`, { lead: { category: 'Order' } })).status, 204);
    const [event] = (await api('GET', `/leads/${lead}`)).body.events;
    const call = await eventually('the recording', async () => {
      const now = await callOf(id);
      return now.recordings.length > 0 ? now : undefined;
    });
    const { recordings, started_at, ...rest } = call;
    assert.deepEqual(rest, {
      id,
      location: `/api/v2/calls/${id}`,
      user_email: 'ann@example.com',
      destination_number: '+4533112201',
      duration: rest.duration,
      caller_id: { number: '+4570101010', name: 'Acme' },
      direction: 'outbound',
      disposition: 'normal',
      state: 'completed',
      lead_id: lead,
      event_id: event.id,
      lead: `/api/v2/leads/${lead}`,
      list: `/api/v2/lists/${list}`,
    });
    assert.equal(event.call, `/api/v2/calls/${id}`);
    assert.ok(Math.abs(Date.parse(started_at) - Date.now()) < 600_000);
    assert.match(recordings[0].url, /^http:\/\/acme\.example\.com\/recordings\/\d+\.wav\?/);
  });

  for (const [digits, disposition, answered] of [
    ['11', 'normal', true],
    ['30', 'busy', false],
    ['40', 'no_answer', false],
    ['50', 'invalid_number', false],
    ['60', 'temp_unavail', false],
    ['70', 'failed', false],
  ] as const) {
    test(`to a number that ends in ${digits} is ${disposition}`, async () => {
      const agent = await agentNamed(`agent${digits}`);
      const { body } = await agent.ask('POST', '/calls', { call: { lead_id: await addLead(`+45331122${digits}`) } });
      const call = await reaches(body.id, 'completed');
      assert.deepEqual([call.disposition, call.duration], [disposition, answered ? 1 : 0]);
    });
  }

  test('is voicemail when the agent hangs up so, or gives an outcome that says so while connected', async () => {
    const agent = await agentNamed('vera');
    const dial = async () => {
      const lead = await addLead('+4533112220');
      const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: lead } })).body;
      await reaches(id, 'active');
      return { id, lead };
    };
    const first = await dial();
    await agent.ask('POST', `/calls/${first.id}/hang_up`, { voicemail: true });
    assert.equal((await reaches(first.id, 'completed')).disposition, 'voicemail');

    const second = await dial();
    await agent.ask('POST', `/leads/${second.lead}/call_back`, { lead: { category: 'Voicemail' } });
    await agent.ask('POST', `/calls/${second.id}/hang_up`);
    assert.equal((await reaches(second.id, 'completed')).disposition, 'voicemail');

    const third = await dial();
    await agent.ask('POST', `/calls/${third.id}/hang_up`);
    assert.equal((await reaches(third.id, 'completed')).disposition, 'normal');
    await agent.ask('POST', `/leads/${third.lead}/call_back`, { lead: { category: 'Voicemail' } });
    assert.equal((await callOf(third.id)).disposition, 'normal', 'it was over when the outcome was given');

    const fourth = (await agent.ask('POST', '/calls', { call: { lead_id: first.lead, number: '+4533112240' } })).body;
    await agent.ask('POST', `/calls/${fourth.id}/hang_up`, { voicemail: true });
    assert.equal((await reaches(fourth.id, 'completed')).disposition, 'no_answer', 'nothing had answered');
  });

  test('that nobody talks on is voicemail where the carrier hears a machine', async () => {
    const agent = await agentNamed('auto');
    const { body } = await agent.ask('POST', '/calls', { call: { number: '+4533112220', automated: true } });
    await reaches(body.id, 'active');
    await agent.ask('POST', `/calls/${body.id}/hang_up`);
    const { direction, disposition } = await reaches(body.id, 'completed');
    assert.deepEqual([direction, disposition], ['automated', 'voicemail']);
  });

  test('is told once to those who subscribed to its list and to the account, and so is its recording', async () => {
    const agent = await agentNamed('tess');
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: await addLead('+4533112211') } })).body;
    const url = `http://acme.example.com/api/v2/calls/${id}`;
    const told = (path: string) => subscriber.resources(path).filter((one) => one === url).length;
    await eventually('the recording is told', () => told('/new_recording/account') > 0);
    assert.equal((await callOf(id)).recordings.length, 1);
    await agent.ask('POST', `/calls/${id}/hang_up`);
    await agent.ask('PATCH', `/calls/${id}`, { call: { lead_id: (await callOf(id)).lead_id } });
    const paths = ['/new_call/list', '/new_call/account', '/new_recording/list', '/new_recording/account'];
    await eventually('all are told', () => paths.every((path) => told(path) > 0));
    await reaches(id, 'completed');
    assert.equal((await deliveriesAbout(id)).length, 4, 'nor is any on its way');
    assert.deepEqual(paths.map(told), [1, 1, 1, 1]);
  });

  test('to a bare number is told when someone says which lead it was about', async () => {
    const agent = await agentNamed('bare');
    const { body } = await agent.ask('POST', '/calls', { call: { number: '+4533112230' } });
    const url = `http://acme.example.com/api/v2/calls/${body.id}`;
    assert.deepEqual([body.lead, body.list, body.lead_id], [null, null, null]);
    await reaches(body.id, 'completed');
    assert.deepEqual(await deliveriesAbout(body.id), []);
    const lead = await addLead('+4533112230');
    assert.equal((await agent.ask('PATCH', `/calls/${body.id}`, { call: { lead_id: lead } })).body.lead_id, lead);
    await eventually('it is told', () => subscriber.resources('/new_call/list').includes(url));
    const other = await addLead('+4533112230');
    assert.equal((await agent.ask('PATCH', `/calls/${body.id}`, { call: { lead_id: other } })).status, 409);
  });

  test('is refused with the field that is at fault', async () => {
    const agent = await agentNamed('faults');
    const dial = async (call: object) => {
      const { status, body } = await agent.ask('POST', '/calls', { call });
      return [status, body.errors ? Object.keys(body.errors) : body.code];
    };
    const lead = await addLead('+4533112230');
    const empty = await addLead('');
    assert.deepEqual(await dial({}), [422, ['number']]);
    assert.deepEqual(await dial({ number: 'nobody' }), [422, ['number']]);
    assert.deepEqual(await dial({ lead_id: 999_999 }), [422, ['lead_id']]);
    assert.deepEqual(await dial({ lead_id: empty }), [422, ['lead_id']]);
    assert.deepEqual(await dial({ lead_id: lead, column: 'e_mail' }), [422, ['column']]);
    assert.deepEqual(await dial({ lead_id: lead, column: 'mobile_phone' }), [422, ['column']]);
    await owner('PATCH', `/leads/${lead}/delegate`, { lead: { delegate_to: OWNER.email } });
    assert.deepEqual(await dial({ lead_id: lead }), [409, 'lead_claimed']);
    assert.equal((await agent.ask('GET', '/line')).body.call, null);
  });

  test('shows the number of its list, and is dialled with its prefix', async () => {
    const agent = await agentNamed('prefix');
    const other = (await api('POST', '/lists', { list: { name: 'UK', prepend_phone: '+44', user_ids: [agent.id] } }))
      .body;
    const caller = { caller_number: '+442079460100', caller_name: null };
    const { body: changed } = await owner('PATCH', `/lists/${other.id}`, { list: caller });
    assert.deepEqual([changed.caller_number, changed.caller_name], ['+442079460100', null]);
    const lead = (await api('POST', `/lists/${other.id}/leads`, { lead: { mobile_phone: '020 7946 0030' } })).body;
    const { body } = await agent.ask('POST', '/calls', { call: { lead_id: lead.id } });
    assert.equal(body.destination_number, '+442079460030');
    assert.deepEqual(body.caller_id, { number: '+442079460100', name: null });
    await reaches(body.id, 'completed');
    // Whatever stands before the plus or the zeros, as pages read it and other programs copy it.
    for (const number of [
      '(+45) 33112201',
      'tel:+4533112201',
      'Tel. +45 33112201',
      '\u202a+4533112201',
      '＋4533112201',
      '(0045) 33112201',
    ]) {
      await api('PATCH', `/leads/${lead.id}`, { lead: { mobile_phone: number } });
      const dialled = (await agent.ask('POST', '/calls', { call: { lead_id: lead.id } })).body;
      assert.equal(dialled.destination_number, '+4533112201', number);
      await agent.ask('POST', `/calls/${dialled.id}/hang_up`);
      await reaches(dialled.id, 'completed');
    }
  });

  test('can be foreseen: where a lead’s numbers are, and what time it is there', async () => {
    const agent = await agentNamed('nora');
    const { body } = await api('POST', `/lists/${list}/leads`, {
      lead: { work_office_phone: '33 11 22 44', mobile_phone: '+1 202 555 0143' },
    });
    const copenhagen = { zone: 'Europe/Copenhagen', place: 'Denmark', others: [] };
    const newYork = { zone: 'America/New_York', place: 'New York', others: [] };
    const numbers = await agent.ask('GET', `/leads/${body.id}/numbers`);
    assert.deepEqual(numbers.body, [
      { column: 'work_office_phone', number: '+45 33 11 22 44', country: 'DK', there: copenhagen },
      { column: 'mobile_phone', number: '+1 202 555 0143', country: 'US', there: newYork },
    ]);
    // What the list itself says of it counts for more.
    const { body: zoned } = await api('POST', '/lists', { list: { name: 'Zoned', user_ids: [agent.id] } });
    await house.pool.query(
      `insert into list_columns (account_id, list_id, position, key, label, kind)
       values ($1, $2, 99, 'time_zone', 'Time zone', 'string')`,
      [house.account.id, zoned.id],
    );
    const { body: lead } = await api('POST', `/lists/${zoned.id}/leads`, {
      lead: { mobile_phone: '+45 33 11 22 45', time_zone: 'America/New_York' },
    });
    assert.deepEqual((await agent.ask('GET', `/leads/${lead.id}/numbers`)).body[0].there, newYork);
    const stranger = await house.join({ email: 'no-lists@example.com' });
    assert.equal((await stranger.ask('GET', `/leads/${body.id}/numbers`)).status, 404);
    const nobody = await addLead('');
    assert.deepEqual((await agent.ask('GET', `/leads/${nobody}/numbers`)).body, []);
  });

  test('opens its lead to whoever dials, and to nobody else', async () => {
    const [agent, other] = [await agentNamed('hanna'), await agentNamed('igor')];
    const lead = await addLead('+45 33 11 22 01');
    const { body: call } = await agent.ask('POST', '/calls', { call: { lead_id: lead } });
    assert.equal((await other.ask('POST', `/leads/${lead}/hold`)).body.code, 'lead_open');
    await agent.ask('POST', `/calls/${call.id}/hang_up`);
    await reaches(call.id, 'completed');
  });

  test('counts in its agent’s day, by the hour', async () => {
    await stayWithinDay();
    const agent = await agentNamed('dora');
    const lead = await addLead('+45 33 11 22 01');
    const { body: call } = await agent.ask('POST', '/calls', { call: { lead_id: lead } });
    await reaches(call.id, 'active');
    await agent.ask('POST', `/calls/${call.id}/hang_up`);
    await reaches(call.id, 'completed');
    await agent.ask('POST', `/leads/${lead}/winner`, { lead: { category: 'Order' } });
    const { body: day } = await agent.ask('GET', '/day');
    assert.deepEqual([day.calls, day.reached, day.won], [1, 1, 1]);
    assert.equal(day.hours[new Date(call.started_at).getUTCHours()], 1);
    assert.deepEqual([day.done[0].lead_id, day.done[0].duration], [lead, day.talked]);
  });

  test('to a colleague rings at theirs alone, and needs no line', async () => {
    const [ann, bo] = [await agentNamed('local-ann'), await agentNamed('local-bo')];
    const stranger = await agentNamed('local-stranger');
    const ring = async () => {
      const { status, body } = await ann.ask('POST', '/calls', { call: { user_id: bo.id } });
      assert.deepEqual(
        [status, body.direction, body.state, body.destination_number],
        [201, 'local', 'calling', 'local-bo@example.com'],
      );
      return body.id as number;
    };
    const first = await ring();
    assert.equal((await stranger.ask('POST', `/calls/${first}/answer`)).status, 404);
    assert.deepEqual(
      (await bo.ask('GET', '/line')).body.ringing.map(({ id }: { id: number }) => id),
      [first],
    );
    assert.equal((await bo.ask('POST', `/calls/${first}/answer`)).body.state, 'active');
    assert.equal((await bo.ask('GET', '/line')).body.call.id, first);
    // Whoever has answered is in a call as well as whoever has called.
    for (const own of [ann, bo])
      for (const call of [{ number: '+4533112201' }, { user_id: stranger.id }])
        assert.equal((await own.ask('POST', '/calls', { call })).body.code, 'in_call');
    await bo.ask('POST', `/calls/${first}/hang_up`);
    assert.deepEqual((({ disposition, user_email }) => [disposition, user_email])(await reaches(first, 'completed')), [
      'normal',
      'local-ann@example.com',
    ]);
    const second = await ring();
    await bo.ask('POST', `/calls/${second}/decline`);
    assert.equal((await reaches(second, 'completed')).disposition, 'no_answer');
    assert.equal((await ann.ask('POST', '/calls', { call: { user_id: ann.id } })).status, 422);
  });

  test('that the carrier knows nothing of any more ends when someone hangs up', async () => {
    const agent = await agentNamed('lost');
    const { id } = (await agent.ask('POST', '/calls', { call: { number: '+4533112201' } })).body;
    await reaches(id, 'active');
    await house.pool.query(`update calls set carrier_call_id = 'nobody knows' where id = $1`, [id]);
    await agent.ask('POST', `/calls/${id}/hang_up`);
    assert.equal((await reaches(id, 'completed')).disposition, 'normal');
    assert.equal((await agent.ask('POST', '/calls', { call: { number: '+4533112230' } })).status, 201);
  });

  test('that is given up in the same breath is not made', async () => {
    const agent = await agentNamed('breath');
    const letGo = await holdDialling('+4533112202');
    const { id } = (await agent.ask('POST', '/calls', { call: { number: '+4533112202' } })).body;
    await agent.ask('POST', `/calls/${id}/hang_up`);
    await letGo();
    const { disposition, duration } = await reaches(id, 'completed');
    assert.deepEqual([disposition, duration], ['no_answer', 0]);
  });

  test('is passed on to another number, and its agent is free when that answers', async () => {
    const agent = await agentNamed('passer');
    const lead = await addLead('+4533112203');
    const letGo = await holdDialling('+4533112203');
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: lead } })).body;
    assert.equal((await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112213' })).body.code, 'not_active');
    await letGo();
    await reaches(id, 'active');
    const busy = (await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112230' })).body;
    assert.equal((await reaches(busy.id, 'completed')).disposition, 'busy');
    assert.equal((await callOf(id)).state, 'active', 'the other number was busy');
    // Long enough to be connected on a busy machine.
    const { body } = await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112310' });
    const again = await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112310' });
    assert.ok(['transferring', 'not_active'].includes(again.body.code));
    assert.deepEqual([body.direction, body.lead_id, body.user_email], ['transfer', lead, 'passer@example.com']);
    await reaches(id, 'completed');
    assert.equal((await agent.ask('GET', '/line')).body.call, null);
    const { duration, disposition } = await reaches(body.id, 'completed');
    assert.deepEqual([duration, disposition], [10, 'normal']);
  });

  test('that was passed on lasts until the one it was about hangs up: they were never cut off', async () => {
    const agent = await agentNamed('hander');
    const passOn = async (number: string) => {
      const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: await addLead(number) } })).body;
      await reaches(id, 'active');
      const { status, body } = await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112201' });
      const { duration } = await reaches(id, 'completed');
      return { id, body, isLate: status !== 201, agentsPart: duration as number };
    };
    const talksForTenSeconds = '+4533112210';
    const talksForAMinute = '+4533112220';
    let [lasts, handedOver] = [10, await passOn(talksForTenSeconds)];
    // On a busy machine they may have hung up before the other number was there.
    if (handedOver.isLate || handedOver.agentsPart >= lasts) [lasts, handedOver] = [60, await passOn(talksForAMinute)];
    const { id, body, agentsPart } = handedOver;
    assert.ok(agentsPart < lasts, 'the agent was free before');
    const passed = await reaches(body.id, 'completed');
    assert.equal(passed.disposition, 'normal');
    const { rows } = await house.pool.query<{ talked: number }>(
      `select extract(epoch from later.ended_at - former.answered_at)::float8 as talked
         from calls former join calls later on later.transfer_of = former.id where former.id = $1`,
      [id],
    );
    assert.equal(rows[0]!.talked, lasts);
  });

  test('whose agent hangs up the moment the other number has answered is handed over all the same', async () => {
    const agent = await agentNamed('hasty');
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: await addLead('+4533112201') } })).body;
    await reaches(id, 'active');
    const { body } = await agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112201' });
    await reaches(body.id, 'active');
    await agent.ask('POST', `/calls/${id}/hang_up`);
    await reaches(id, 'completed');
    assert.equal((await callOf(body.id)).state, 'active');
    await agent.ask('POST', `/calls/${body.id}/hang_up`);
    await reaches(body.id, 'completed');
  });

  test('whose other end hangs up the moment the other number has answered leaves nobody on the line', async () => {
    const agent = await agentNamed('moment');
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: await addLead('+4533112201') } })).body;
    await reaches(id, 'active');
    const number = '+4533112305';
    // Answered and over in one: no look of the line comes between.
    const answers = `new.destination_number = '${number}' and new.state = 'active' and old.state <> 'active'`;
    const letGo = await holdCalls(
      house.pool,
      `${answers} and current_setting('test.answers', true) is distinct from 'yes'`,
    );
    const { body } = await agent.ask('POST', `/calls/${id}/transfer`, { number });
    await reaches(body.id, 'calling');
    const { rows } = await house.pool.query(
      'select account_id, carrier_call_id from calls where id in ($1, $2) order by id',
      [id, body.id],
    );
    const common = (call: number) => ({ accountId: rows[0].account_id, subject: rows[call].carrier_call_id });
    await house.transact(async (work) => {
      await query(work.db, asIs(`select set_config('test.answers', 'yes', true)`), []);
      const means = { db: work.db, transact: (async (act) => act(work)) as Transact };
      const at = new Date();
      await takeReport(means, SIMULATED, { ...common(1), key: 'answered', at, kind: 'answered' });
      await takeReport(means, SIMULATED, { ...common(0), key: 'ended', at, kind: 'ended', cause: 'over' });
    });
    const former = await callOf(id);
    assert.equal(former.state, 'completed');
    const ended = await house.pool.query('select hang_up_at from calls where id = $1', [body.id]);
    assert.notEqual(ended.rows[0].hang_up_at, null, 'it is to be hung up');
    await reaches(body.id, 'completed');
    await letGo();
  });

  test('whose other end has hung up before the line could connect the two leaves nobody on it, though its end is not known yet', async () => {
    const agent = await agentNamed('severed');
    const [talksForASecond, number] = ['+4533112311', '+4533112306'];
    const letGo = await holdCalls(house.pool, `new.destination_number = '${talksForASecond}' and ${ENDS}`);
    const { id } = (await agent.ask('POST', '/calls', { call: { number: talksForASecond } })).body;
    await reaches(id, 'active');
    // Rings for more than a second.
    const { body } = await agent.ask('POST', `/calls/${id}/transfer`, { number });
    await reaches(body.id, 'completed');
    assert.equal((await callOf(id)).state, 'active');
    await letGo();
    await reaches(id, 'completed');
  });

  test('ends ten seconds after its agent’s page is gone, with a word or without one, and is kept', async () => {
    const gone = async (name: string, go: (socket: WebSocket) => void) => {
      const agent = await agentNamed(name);
      const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: await addLead('+4533112201') } })).body;
      await reaches(id, 'active');
      const { socket } = await openSocket(house.address, { cookie: agent.cookie });
      await eventually('the page is seen', async () => {
        const { rows } = await house.pool.query('select page_seen_at from calls where id = $1', [id]);
        return rows[0].page_seen_at !== null;
      });
      assert.equal((await callOf(id)).state, 'active');
      go(socket);
      const { disposition } = await reaches(id, 'completed');
      assert.equal(disposition, 'normal');
      await eventually('the recording', async () => (await callOf(id)).recordings.length === 1);
    };
    await Promise.all([
      gone('gone', (socket) => socket.close()),
      // A network that is gone says nothing: neither that it is, nor that it has heard.
      gone('vanished', (socket) => socket.pause()),
    ]);
  });
});

// One after the other: who subscribes here would hear of the calls of the others.
describe('a call that ended', () => {
  test('is not passed on any more when it ends while that is being asked for', async () => {
    const agent = await agentNamed('ending');
    const lead = await addLead('+4533112201');
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: lead } })).body;
    await reaches(id, 'active');
    const { rows } = await house.pool.query('select account_id, carrier_call_id from calls where id = $1', [id]);
    const client = await house.pool.connect();
    await client.query('begin');
    // A call of a lead waits for whoever has it in hand.
    await client.query('select from leads where id = $1 for no key update', [lead]);
    const asked = agent.ask('POST', `/calls/${id}/transfer`, { number: '+4533112307' });
    const waits = eventually('it waits', async () => {
      const waiting = await house.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like '%insert into calls%'`,
      );
      return waiting.rowCount! > 0;
    });
    await Promise.race([waits, asked]);
    const { account_id: accountId, carrier_call_id: subject } = rows[0];
    const ended = { accountId, subject, key: 'ended', at: new Date(), kind: 'ended', cause: 'over' } as const;
    await takeReport(house, SIMULATED, ended);
    await client.query('commit');
    client.release();
    // 503 where it had to wait for too long.
    assert.ok([409, 503].includes((await asked).status));
    assert.equal((await house.pool.query('select from calls where transfer_of = $1', [id])).rowCount, 0);
  });

  test('is told when its recording can be fetched: whoever follows the address at once finds it there', async () => {
    const agent = await agentNamed('swift');
    const found = new Map<number, Promise<number>>();
    // Asked in the same moment in which it is told.
    const swift = await openSubscriber(({ body }) => {
      const { pathname } = new URL((JSON.parse(body) as { resource_url: string }).resource_url);
      const call = Number(pathname.split('/').at(-1));
      found.set(
        call,
        callOf(call).then(({ recordings }) => recordings.length),
      );
      return 200;
    });
    const target_url = `${swift.url}/swift`;
    const { id } = (await api('POST', '/webhooks', { webhook: { event: 'new_call', target_url } })).body;
    for (let count = 1; count <= 3; count += 1) {
      const { body } = await agent.ask('POST', '/calls', { call: { lead_id: await addLead('+4533112204') } });
      await reaches(body.id, 'active');
      await agent.ask('POST', `/calls/${body.id}/hang_up`);
      assert.equal(await eventually('it is told', () => found.get(body.id)), 1);
    }
    await api('DELETE', `/webhook/${id}`);
  });

  test('whose recording does not come is told after thirty seconds by the database’s clock; one without at once', async () => {
    const dueIn = async (id: number) => {
      const { rows } = await house.pool.query(
        `select round(extract(epoch from d.next_at - d.created_at))::int as seconds from deliveries d
           join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id
          where d.resource = $1 and w.event = 'new_call' and w.ended_at is null`,
        [`/api/v2/calls/${id}`],
      );
      return rows.map(({ seconds }) => seconds as number);
    };
    const end = async (columns: string) => {
      const lead = await addLead('+4533112299');
      const { rows } = await house.pool.query(
        `insert into calls (account_id, lead_id, direction, state, carrier, carrier_call_id, recorded, answered_at)
         select $1, $2, 'outbound', 'active', 'test', gen_random_uuid(), ${columns} returning id`,
        [house.account.id, lead],
      );
      const id = rows[0].id as number;
      await house.transact((work) =>
        endCall(work, serviceActor(house.account, 'test'), id, { cause: 'over', at: new Date() }),
      );
      return id;
    };
    const [recorded, bare] = [await end('true, now()'), await end('false, now()')];
    const [late, atOnce] = [await dueIn(recorded), await dueIn(bare)];
    assert.deepEqual([late.length, atOnce], [2, [0, 0]]);
    // From its end, which on a busy machine is written down a while after.
    for (const seconds of late) assert.ok(seconds > 15 && seconds <= 30, `${seconds} s`);
    await house.transact(async (work) => {
      await noteLost(work, house.account.id, recorded, { part: '1', at: new Date(), reason: 'no space is left' });
      await tellOfCall(work, house.account.id, recorded);
    });
    await eventually('what will never come is not waited for', async () =>
      (await dueIn(recorded)).every((in_) => in_ < 30),
    );
  });

  test('that is linked after it ended tells the list of its recording, too, and the account once', async () => {
    const agent = await agentNamed('late');
    const { body } = await agent.ask('POST', '/calls', { call: { number: '+4533112205' } });
    const url = `http://acme.example.com/api/v2/calls/${body.id}`;
    const told = (path: string) => subscriber.resources(path).filter((one) => one === url).length;
    await reaches(body.id, 'active');
    await agent.ask('POST', `/calls/${body.id}/hang_up`);
    await eventually('the account hears of it', () => told('/new_recording/account') === 1);
    assert.equal(told('/new_recording/list'), 0);
    await agent.ask('PATCH', `/calls/${body.id}`, { call: { lead_id: await addLead('+4533112211') } });
    await eventually('and so does the list', () => told('/new_recording/list') + told('/new_call/list') === 2);
    assert.equal((await deliveriesAbout(body.id)).length, 4, 'nor is any on its way');
    assert.equal(told('/new_recording/account'), 1);
  });
});

describe('a recording', () => {
  const record = async (name: string, more: object = {}) => {
    const agent = await house.join({ email: `${name}@example.com`, listing_ids: [list], ...more });
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: await addLead('+4533112212') } })).body;
    await reaches(id, 'completed');
    await eventually('it can be fetched', async () => (await callOf(id)).recordings.length === 1);
    return { agent, id };
  };
  const urlOf = (call: { recordings: { url: string }[] }) =>
    call.recordings[0]!.url.replace('http://acme.example.com', house.address);

  test('is a real stereo WAV file as long as the call, also in parts, for whoever has its link', async () => {
    const { id } = await record('rex');
    const call = await callOf(id);
    const whole = await fetch(urlOf(call));
    assert.deepEqual([whole.status, whole.headers.get('content-type')], [200, 'audio/wav']);
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.deepEqual(
      [bytes.toString('latin1', 0, 4), bytes.readUInt16LE(22), bytes.readUInt32LE(24)],
      ['RIFF', 2, 8_000],
    );
    // To the second, and until the sound hears of the end: it is written by another clock than the one that the call goes by.
    const seconds = (bytes.length - 44) / 32_000;
    assert.ok(seconds > call.duration - 1 && seconds < call.duration + 10, `${seconds} s`);
    const part = await fetch(urlOf(call), { headers: { range: 'bytes=44-1043' } });
    assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, bytes.subarray(44, 1044)]);
    assert.equal((await fetch(`${urlOf(call)}x`)).status, 404);
    assert.equal((await fetch(urlOf(call).split('?')[0]!)).status, 404);
  });

  test('is heard by whoever made the call and by those who look after the floor, and by nobody else', async () => {
    const { agent, id } = await record('own');
    const heardBy = async (ask: typeof agent.ask) => (await ask('GET', `/calls/${id}`)).body.recordings.length;
    const colleague = await agentNamed('colleague');
    const analyst = await house.join({ email: 'ana@example.com', agent: false, analyst: true });
    const supervisor = await house.join({ email: 'sue@example.com', agent: false, supervisor: true });
    assert.deepEqual(
      [
        await heardBy(agent.ask),
        await heardBy(colleague.ask),
        await heardBy(analyst.ask),
        await heardBy(supervisor.ask),
      ],
      [1, 0, 0, 1],
    );
    assert.equal((await house.withKey(analyst.key)('GET', `/calls/${id}`)).body.recordings.length, 0);
  });

  test('is not made where the account does not want any', async () => {
    await owner('PATCH', '/account', { account: { record_calls: false } });
    const agent = await agentNamed('quiet');
    const { id } = (await agent.ask('POST', '/calls', { call: { lead_id: await addLead('+4533112211') } })).body;
    await reaches(id, 'completed');
    await owner('PATCH', '/account', { account: { record_calls: true } });
    // That of a later call would have come after it.
    await record('loud');
    assert.deepEqual((await callOf(id)).recordings, []);
  });

  test('is removed when its time is over, also beside one that cannot be removed now', async () => {
    const { id } = await record('old');
    const url = urlOf(await callOf(id));
    await owner('PATCH', '/account', { account: { recordings_keep_days: 30 } });
    const { rows } = await house.pool.query(
      `insert into recordings (account_id, call_id, part, started_at, ready_at)
       select account_id, id, 'locked', now(), now() from calls where id = $1 returning id`,
      [id],
    );
    await house.pool.query(`update recordings set started_at = now() - interval '31 days' where call_id = $1`, [id]);
    await house.pool.query(`update recordings set started_at = now() - interval '32 days' where id = $1`, [rows[0].id]);
    const remove = async (key: string) => {
      if (key.endsWith(`/${rows[0].id}.wav`)) throw new Error('It is locked.');
      await house.store.remove(key);
    };
    await assert.rejects(removeOldRecordings(house.db, { ...house.store, remove }), /It is locked/);
    assert.equal((await callOf(id)).recordings.length, 1);
    await removeOldRecordings(house.db, house.store);
    assert.deepEqual((await callOf(id)).recordings, []);
    assert.equal((await fetch(url)).status, 404);
  });

  test('that was removed is not told to the list of a lead to which its call is linked later', async () => {
    await owner('PATCH', '/account', { account: { recordings_keep_days: 30 } });
    const agent = await agentNamed('past');
    const { id } = (await agent.ask('POST', '/calls', { call: { number: '+4533112212' } })).body;
    await reaches(id, 'completed');
    await eventually('it can be fetched', async () => (await callOf(id)).recordings.length === 1);
    await house.pool.query(`update recordings set started_at = now() - interval '31 days' where call_id = $1`, [id]);
    await removeOldRecordings(house.db, house.store);
    await agent.ask('PATCH', `/calls/${id}`, { call: { lead_id: await addLead('+4533112212') } });
    const { rows } = await house.pool.query(
      `select w.event, w.list_id is null as account_wide from deliveries d join webhooks w on w.id = d.webhook_id
        where d.resource = $1 order by 1, 2`,
      [`/api/v2/calls/${id}`],
    );
    assert.deepEqual(rows, [
      { event: 'new_call', account_wide: false },
      { event: 'new_call', account_wide: true },
      { event: 'new_recording', account_wide: true },
    ]);
  });
});
