import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Disposition } from '../../contract/calls.ts';
import { advanceCall, completeCall, linkCall, startCall, type NewCall } from '../../server/calls/calls.ts';
import { serviceActor } from '../../server/platform/actor.ts';
import { openHouse } from '../house.ts';
import { addNeighbour, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);
const service = serviceActor(house.account, 'test');
const list = await addList();
const ann = await house.join({ email: 'ann@example.com', listing_ids: [list.id] });

const STARTED = new Date('2026-11-15T10:00:00.250Z');
const after = (seconds: number) => new Date(STARTED.getTime() + seconds * 1000);
const start = (call: Partial<NewCall> = {}) =>
  house.transact((work) =>
    startCall(work, service, { direction: 'outbound', destination: '+4533112233', startedAt: STARTED, ...call }),
  );
const advance = (id: number, state: 'calling' | 'active', at?: Date) =>
  house.transact((work) => advanceCall(work, service, id, state, at));
const complete = (id: number, disposition: Disposition, at: Date) =>
  house.transact((work) =>
    completeCall(work, service, id, { cause: disposition === 'normal' ? 'over' : disposition, at }),
  );
const read = async (id: number) => (await ask('GET', `/calls/${id}`)).body;

test('GET /api/v2/calls/:id returns the Call object', async () => {
  const lead = await addLead(list);
  const callerId = { number: '+4570101010', name: 'Acme' };
  const id = await start({ leadId: lead.id, userId: ann.id, callerId });
  await advance(id, 'calling');
  await advance(id, 'active', after(5));
  await complete(id, 'normal', after(65.9));
  const { status, body } = await ask('GET', `/calls/${id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    id,
    location: `/api/v2/calls/${id}`,
    user_email: 'ann@example.com',
    destination_number: '+4533112233',
    duration: 60,
    started_at: '2026-11-15T10:00:00.250Z',
    caller_id: { number: '+4570101010', name: 'Acme' },
    direction: 'outbound',
    disposition: 'normal',
    state: 'completed',
    lead_id: lead.id,
    event_id: null,
    lead: `/api/v2/leads/${lead.id}`,
    list: `/api/v2/lists/${list.id}`,
    recordings: [],
  });
});

test('a call without lead, agent or caller ID: lead_id, lead, list and event_id are null, user_email is ""', async () => {
  const id = await start();
  assert.deepEqual(await read(id), {
    id,
    location: `/api/v2/calls/${id}`,
    user_email: '',
    destination_number: '+4533112233',
    duration: 0,
    started_at: '2026-11-15T10:00:00.250Z',
    caller_id: { number: null, name: null },
    direction: 'outbound',
    disposition: null,
    state: 'initiated',
    lead_id: null,
    event_id: null,
    lead: null,
    list: null,
    recordings: [],
  });
});

test('state goes initiated, calling, active, completed; disposition is null until then', async () => {
  const id = await start();
  const told = async () => {
    const { state, disposition } = await read(id);
    return [state, disposition];
  };
  assert.deepEqual(await told(), ['initiated', null]);
  await advance(id, 'calling');
  assert.deepEqual(await told(), ['calling', null]);
  await advance(id, 'active', after(3));
  assert.deepEqual(await told(), ['active', null]);
  await complete(id, 'voicemail', after(9));
  assert.deepEqual(await told(), ['completed', 'voicemail']);
});

test('unanswered and failed attempts are returned too, with duration 0 and their disposition', async () => {
  for (const disposition of ['busy', 'failed', 'invalid_number', 'no_answer', 'temp_unavail'] as const) {
    const id = await start();
    await advance(id, 'calling');
    await complete(id, disposition, after(30));
    const call = await read(id);
    assert.deepEqual([call.state, call.duration, call.disposition], ['completed', 0, disposition]);
  }
});

test('direction is one of outbound, inbound, transfer, local, automated', async () => {
  for (const direction of ['outbound', 'inbound', 'transfer', 'local', 'automated'] as const)
    assert.equal((await read(await start({ direction }))).direction, direction);
});

test('an inbound call has our number as destination_number and the caller’s as caller_id', async () => {
  const id = await start({
    direction: 'inbound',
    destination: '+4570101010',
    callerId: { number: '+4533112233', name: null },
  });
  const { destination_number, caller_id } = await read(id);
  assert.deepEqual([destination_number, caller_id], ['+4570101010', { number: '+4533112233', name: null }]);
});

test('user_email is the agent who made the call, else the claim’s holder, else ""', async () => {
  const lead = await addLead(list);
  const [made, missed] = [await start({ leadId: lead.id, userId: ann.id }), await start({ leadId: lead.id })];
  await complete(made, 'no_answer', after(30));
  assert.equal((await read(missed)).user_email, '');
  await ask('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: 'owner@example.com' } });
  assert.equal((await read(missed)).user_email, 'owner@example.com');
  assert.equal((await read(made)).user_email, 'ann@example.com');
});

test('event_id is the id of the disposition event on the lead, which names the call', async () => {
  const lead = await addLead(list);
  const id = await start({ leadId: lead.id, userId: ann.id });
  await complete(id, 'no_answer', after(30));
  await ask('POST', `/leads/${lead.id}/winner`, { lead: { comment: 'On the phone' } });
  const event = (await readLead(lead)).events[0].id;
  await house.transact((work) => linkCall(work, service, id, event));
  const call = await read(id);
  assert.deepEqual([call.event_id, call.lead_id], [event, lead.id]);
  const { events } = await readLead(lead);
  assert.deepEqual(
    events.map((one: { kind: string; call: string | null }) => [one.kind, one.call]),
    [
      ['winner', `/api/v2/calls/${id}`],
      ['lead_created', null],
    ],
  );
  assert.deepEqual((await ask('GET', `/leads/${lead.id}/events`)).body, events);
});

test('list is the list the lead is in now', async () => {
  const lead = await addLead(list);
  const id = await start({ leadId: lead.id });
  const to = await addList();
  await ask('PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: to.id } });
  assert.equal((await read(id)).list, `/api/v2/lists/${to.id}`);
});

test('calls are no events, and do not move last_updated', async () => {
  const lead = await addLead(list);
  const id = await start({ leadId: lead.id, userId: ann.id });
  await advance(id, 'active', after(1));
  await complete(id, 'normal', after(2));
  assert.deepEqual(await readLead(lead), lead);
});

test('agents see the calls of leads they see and those they made; analysts all; user managers none', async () => {
  const other = await addList();
  const [own, foreign] = [await addLead(list), await addLead(other)];
  const bob = await house.join({ email: 'bob@example.com' });
  const calls = [
    await start({ leadId: own.id }),
    await start({ leadId: foreign.id, userId: bob.id }),
    await start({ leadId: foreign.id, userId: ann.id }),
    await start(),
  ];
  const statuses = async (key: string) => {
    const seen = [];
    for (const id of calls) seen.push((await house.withKey(key)('GET', `/calls/${id}`)).status);
    return seen;
  };
  const analyst = await house.join({ email: 'analyst@example.com', agent: false, analyst: true });
  const manager = await house.join({ email: 'manager@example.com', agent: false, users_admin: true });
  assert.deepEqual(await statuses(ann.key), [200, 404, 200, 404]);
  assert.deepEqual(await statuses(analyst.key), [200, 200, 200, 200]);
  assert.deepEqual(await statuses(manager.key), [403, 403, 403, 403]);
});

test('another account’s call is 404', async () => {
  const { account } = await addNeighbour(house);
  const id = await house.transact((work) =>
    startCall(work, serviceActor(account, 'test'), { direction: 'outbound', destination: '+4533112233' }),
  );
  assert.equal((await ask('GET', `/calls/${id}`)).status, 404);
});
