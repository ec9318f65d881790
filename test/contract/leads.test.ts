import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { eventually } from '../leadline.ts';
import { blame, keysOf, stepsOf, TIME } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);

const person = { columns_attributes: [{ label: 'Name' }, { label: 'City' }, { label: 'Phone', kind: 'phone' }] };
const change = (lead: { id: number }, values: Record<string, unknown>) =>
  ask('PATCH', `/leads/${lead.id}`, { lead: values });
const countOf = async (list: { id: number }) => (await ask('GET', `/lists/${list.id}`)).body.leads_count;

describe('POST /api/v2/lists/:id/leads', () => {
  test('answers 201 with the Lead and its Location', async () => {
    const list = await addList({ name: 'People', ...person });
    const { status, headers, body } = await ask('POST', `/lists/${list.id}/leads`, {
      lead: { name: 'Ann', phone: '+45 33 11 22 33' },
    });
    assert.equal(status, 201);
    const { id, created_at, events } = body;
    assert.match(created_at, TIME);
    assert.equal(headers.get('location'), `/api/v2/leads/${id}`);
    assert.deepEqual(body, {
      id,
      location: `/api/v2/leads/${id}`,
      url: `http://acme.example.com/leads/${id}`,
      list_name: 'People',
      list_location: `/api/v2/lists/${list.id}`,
      primary_identifier: 'Ann',
      secondary_identifier: '',
      tertiary_identifier: '+45 33 11 22 33',
      state: 'new',
      category: null,
      scheduled_for: null,
      claimed_by: null,
      claimed_at: null,
      detected_duplicates: [],
      ignored_duplicates: [],
      created_at,
      last_updated: created_at,
      lead_data: { name: 'Ann', city: '', phone: '+45 33 11 22 33' },
      events,
    });
    assert.deepEqual(await readLead(body), body);
    assert.equal(await countOf(list), 1);
  });

  test('{lead: {}} creates an empty lead', async () => {
    const lead = await addLead(await addList(person));
    assert.deepEqual(lead.lead_data, { name: '', city: '', phone: '' });
    assert.deepEqual([lead.primary_identifier, lead.secondary_identifier, lead.tertiary_identifier], ['', '', '']);
  });

  test('required columns missing: 422 naming them, and nothing is stored', async () => {
    const columns_attributes = [
      { label: 'Name', required: true },
      { label: 'Mail', required: true },
      { label: 'City' },
    ];
    const list = await addList({ columns_attributes });
    const create = (lead: object) => ask('POST', `/lists/${list.id}/leads`, { lead });
    assert.deepEqual(blame(await create({})), [422, ['mail', 'name']]);
    assert.deepEqual(blame(await create({ name: 'Ann', mail: '' })), [422, ['mail']]);
    assert.deepEqual(blame(await create({ name: null, mail: 'x' })), [422, ['name']]);
    assert.equal(await countOf(list), 0);
    assert.equal((await create({ name: 'Ann', mail: 'x' })).status, 201);
  });

  test('the same lead may be created twice', async () => {
    const list = await addList(person);
    const first = await addLead(list, { name: 'Ann' });
    const second = await addLead(list, { name: 'Ann' });
    assert.notEqual(first.id, second.id);
    assert.equal(await countOf(list), 2);
  });

  test('identifiers are the values of the first three visible columns', async () => {
    const columns_attributes = [
      { label: 'Hidden', visible: false },
      { label: 'A' },
      { label: 'B', kind: 'integer' },
      { label: 'Also hidden', visible: '0' },
      { label: 'C' },
      { label: 'D' },
    ];
    const lead = await addLead(await addList({ columns_attributes }), { hidden: 'h', a: 'a', b: 2, c: 'c', d: 'd' });
    assert.deepEqual([lead.primary_identifier, lead.secondary_identifier, lead.tertiary_identifier], ['a', '2', 'c']);
    const short = await addLead(await addList({ columns_attributes: [{ label: 'Only' }] }), { only: 'one' });
    assert.deepEqual(
      [short.primary_identifier, short.secondary_identifier, short.tertiary_identifier],
      ['one', '', ''],
    );
  });
});

describe('PATCH /api/v2/leads/:id', () => {
  test('merges: what is not given stays; null or "" clears', async () => {
    const lead = await addLead(await addList(person), { name: 'Ann', city: 'Oslo', phone: '1' });
    const { status, body } = await change(lead, { city: 'Bergen', phone: '' });
    assert.deepEqual([status, body], [204, '']);
    assert.deepEqual((await readLead(lead)).lead_data, { name: 'Ann', city: 'Bergen', phone: '' });
    assert.equal((await change(lead, { city: null })).status, 204);
    const { lead_data, primary_identifier, secondary_identifier } = await readLead(lead);
    assert.deepEqual(lead_data, { name: 'Ann', city: '', phone: '' });
    assert.deepEqual([primary_identifier, secondary_identifier], ['Ann', '']);
  });

  test('{lead: {}} is 204 and changes nothing', async () => {
    const lead = await addLead(await addList(person), { name: 'Ann' });
    assert.equal((await change(lead, {})).status, 204);
    assert.deepEqual(await readLead(lead), lead);
  });

  test('a PATCH that changes nothing leaves last_updated and records nothing', async () => {
    const columns_attributes = [
      { label: 'Name' },
      { label: 'Count', kind: 'integer' },
      { label: 'Signed', kind: 'date' },
      { label: 'Tel' },
    ];
    const lead = await addLead(await addList({ columns_attributes }), { name: 'Ann', count: 5, signed: '2026-01-31' });
    assert.equal(
      (await change(lead, { name: 'Ann', count: '5', signed: '2026-01-31T00:00:00Z', tel: '' })).status,
      204,
    );
    assert.deepEqual(await readLead(lead), lead);
  });

  test('state, category and claim stay', async () => {
    const lead = await addLead(await addList({ ...person, winner_categories: 'Sale' }), { name: 'Ann' });
    await ask('POST', `/leads/${lead.id}/winner`, {
      lead: { category: 'Sale', scheduled_for: '2030-01-01 00:00:00 UTC' },
    });
    await ask('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: 'owner@example.com' } });
    await change(lead, { name: 'Bob' });
    const { state, category, scheduled_for, claimed_by, created_at } = await readLead(lead);
    assert.deepEqual(
      [state, category, scheduled_for, claimed_by, created_at],
      ['won', 'Sale', '2030-01-01T00:00:00.000Z', 'owner@example.com', lead.created_at],
    );
  });
});

describe('last_updated', () => {
  test('moves with data, outcome, claim, release and list', async () => {
    const list = await addList(person);
    const other = await addList(person);
    const lead = await addLead(list, { name: 'Ann' });
    let { last_updated: before } = lead;
    for (const [method, verb, values] of [
      ['PATCH', '', { name: 'Bob' }],
      ['POST', '/call_back', { call_back_in: 5 }],
      ['POST', '/call_back', { comment: 'Only a comment' }],
      ['PATCH', '/delegate', { delegate_to: 'owner@example.com' }],
      ['PATCH', '/migrate', { to_list_id: list.id, give_back_leads: '1' }],
      ['PATCH', '/migrate', { to_list_id: other.id }],
    ] as const) {
      assert.equal((await ask(method, `/leads/${lead.id}${verb}`, { lead: values })).status, 204);
      const { last_updated, created_at } = await readLead(lead);
      assert.ok(last_updated > before, `${verb} ${JSON.stringify(values)}`);
      assert.equal(created_at, lead.created_at);
      before = last_updated;
    }
  });

  test('does not move with duplicate detection, nor with what is read', async () => {
    const list = await addList(person);
    const lead = await addLead(list, { phone: '+4533112299' });
    const twin = await addLead(list, { phone: '33112299', name: 'x' });
    await change(twin, { phone: '+45 33 11 22 99' });
    await eventually('a duplicate', async () => (await readLead(lead)).detected_duplicates.length === 1);
    assert.equal((await readLead(lead)).last_updated, lead.last_updated);
  });
});

describe('Events', () => {
  test('GET /leads/:id adds events, newest first; what came by the account key has no user', async () => {
    const list = await addList({ ...person, winner_categories: 'Sale' });
    const lead = await addLead(list, { name: 'Ann' });
    await change(lead, { name: 'Bob' });
    await ask('POST', `/leads/${lead.id}/winner`, { lead: { category: 'Sale', comment: 'Two of them' } });
    const { events } = await readLead(lead);
    const [won, updated, created] = events;
    for (const { id, created_at } of events) {
      assert.ok(Number.isInteger(id));
      assert.match(created_at, TIME);
    }
    const none = { category: null, comment: '', user_email: '', call: null };
    assert.deepEqual(events, [
      { ...won, kind: 'winner', category: 'Sale', comment: 'Two of them', user_email: '', call: null },
      { ...updated, kind: 'lead_updated', ...none },
      { ...created, kind: 'lead_created', ...none },
    ]);
    for (const event of events)
      assert.deepEqual(keysOf(event), ['call', 'category', 'comment', 'created_at', 'id', 'kind', 'user_email']);
    assert.deepEqual((await ask('GET', `/leads/${lead.id}/events`)).body, events);
  });

  test('what came by a personal key has its user', async () => {
    const list = await addList(person);
    const agent = await house.join({ email: 'Eve@example.com', listing_ids: [list.id] });
    const { body: lead } = await house.withKey(agent.key)('POST', `/lists/${list.id}/leads`, { lead: { name: 'Ann' } });
    assert.equal(lead.events[0].user_email, 'Eve@example.com');
  });

  test('up to 20 on the lead, all at /leads/:id/events, paged', async () => {
    const lead = await addLead(await addList(person));
    for (let turn = 1; turn <= 24; turn += 1)
      await ask('POST', `/leads/${lead.id}/call_back`, { lead: { comment: `Call ${turn}` } });
    const { body: all } = await ask('GET', `/leads/${lead.id}/events`);
    assert.deepEqual(
      all.map(({ comment }: { comment: string }) => comment),
      [...Array.from({ length: 24 }, (_, index) => `Call ${24 - index}`), ''],
    );
    assert.deepEqual((await readLead(lead)).events, all.slice(0, 20));
    const { body: second, headers } = await ask('GET', `/leads/${lead.id}/events?per_page=10&page=3`);
    assert.deepEqual(second, all.slice(20));
    assert.equal(headers.get('x-total-count'), '25');
  });

  test('each act has its kind', async () => {
    const [list, other] = [await addList(person), await addList(person)];
    const lead = await addLead(list);
    const act = async (method: string, verb: string, values: object) =>
      assert.equal((await ask(method, `/leads/${lead.id}/${verb}`, { lead: values })).status, 204);
    await act('POST', 'call_back', {});
    await act('POST', 'loser', {});
    await act('POST', 'archive', {});
    await act('POST', 'winner', {});
    await act('PATCH', 'delegate', { delegate_to: 'owner@example.com' });
    await act('PATCH', 'migrate', { to_list_id: other.id });
    await act('PATCH', 'migrate', { to_list_id: other.id, give_back_leads: '1' });
    assert.deepEqual((await readLead(lead)).events.map(({ kind }: { kind: string }) => kind).toReversed(), [
      'lead_created',
      'call_back',
      'loser',
      'archive',
      'winner',
      'claim',
      'migration',
      'unclaim',
    ]);
  });
});
