import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER } from '../house.ts';
import { addNeighbour, blame, idsOf, stepsOf, TIME } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);
const neighbour = await addNeighbour(house);
const list = await addList();
const ann = await house.join({ email: 'Ann@example.com' });

const delegate = (lead: { id: number }, delegate_to: unknown, by = ask) =>
  by('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to } });
const migrate = (lead: { id: number }, values: Record<string, unknown>) =>
  ask('PATCH', `/leads/${lead.id}/migrate`, { lead: values });
const kindsOf = ({ events }: { events: { kind: string }[] }) => events.map(({ kind }) => kind).toReversed();

describe('PATCH /api/v2/leads/:id/delegate', () => {
  test('gives the claim to the user by id or email in any case; claimed_by is the e-mail', async () => {
    for (const to of [ann.id, String(ann.id), 'Ann@example.com', 'ANN@EXAMPLE.COM']) {
      const lead = await addLead(list);
      const { status, body } = await delegate(lead, to);
      assert.deepEqual([status, body], [204, '']);
      const { claimed_by, claimed_at, state, events } = await readLead(lead);
      assert.deepEqual([claimed_by, state, events[0].kind], ['Ann@example.com', 'new', 'claim'], String(to));
      assert.match(claimed_at, TIME);
    }
  });

  test('the claim goes from one to another', async () => {
    const lead = await addLead(list);
    await delegate(lead, ann.id);
    assert.equal((await delegate(lead, 'owner@example.com')).status, 204);
    assert.equal((await readLead(lead)).claimed_by, 'owner@example.com');
  });

  test('an invited user may hold it, assigned to the list or not', async () => {
    const { body: invited } = await house.invite({ email: 'invited@example.com', listing_ids: [] });
    const lead = await addLead(list);
    assert.equal((await delegate(lead, invited.id)).status, 204);
    assert.equal((await readLead(lead)).claimed_by, 'invited@example.com');
  });

  test('whoever holds a claim may see and work that lead, and no other of its list', async () => {
    const { key } = await house.join({ email: 'holder@example.com' });
    const holder = house.withKey(key);
    const lead = await addLead(list, { company_name: 'Holdfast' });
    const other = await addLead(list, { company_name: 'Holdfast' });
    assert.equal((await holder('GET', `/leads/${lead.id}`)).status, 404);
    await delegate(lead, 'holder@example.com');
    assert.equal((await holder('GET', `/leads/${lead.id}`)).status, 200);
    assert.equal((await holder('PATCH', `/leads/${lead.id}`, { lead: { title: 'CEO' } })).status, 204);
    assert.equal((await holder('POST', `/leads/${lead.id}/winner`)).status, 204);
    assert.equal((await holder('GET', `/leads/${other.id}`)).status, 404);
    const { body } = await holder('GET', '/leads/search?query=holdfast');
    assert.deepEqual([body.total, idsOf(body.leads)], [1, [lead.id]]);
  });

  test('an unknown, disabled or another account’s user, or none: 422 naming delegate_to, and the claim stays', async () => {
    const gone = await house.join({ email: 'gone@example.com' });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    assert.equal((await owner('POST', `/users/${gone.id}/disable`)).status, 200);
    const user = { email: 'theirs@example.com' };
    const charge = { accept_charge_upon_invitation_acceptance: '1' };
    const { body: theirs } = await neighbour.ask('POST', '/users', { ...charge, user });
    const lead = await addLead(list);
    await delegate(lead, ann.id);
    const before = await readLead(lead);
    const wrong = [999_999, 0, 'nobody@example.com', '', gone.id, 'gone@example.com', theirs.id, user.email];
    for (const to of [...wrong, undefined, null, ['x'], {}, true])
      assert.deepEqual(blame(await delegate(lead, to)), [422, ['delegate_to']], JSON.stringify(to));
    assert.deepEqual(await readLead(lead), before);
  });
});

describe('PATCH /api/v2/leads/:id/migrate', () => {
  test('moves the lead; state, category, schedule, claim and history stay', async () => {
    const from = await addList({ name: 'From', winner_categories: 'Sale' });
    const to = await addList({ name: 'To' });
    const lead = await addLead(from, { company_name: 'Acme' });
    const schedule = { category: 'Sale', scheduled_for: '2031-01-01 00:00:00 UTC', comment: 'Before' };
    await ask('POST', `/leads/${lead.id}/winner`, { lead: schedule });
    await delegate(lead, ann.id);
    const before = await readLead(lead);
    const { status, body } = await migrate(lead, { to_list_id: to.id });
    assert.deepEqual([status, body], [204, '']);
    const { events, last_updated, ...after } = await readLead(lead);
    const { events: history, last_updated: _, ...same } = before;
    assert.deepEqual(after, { ...same, list_name: 'To', list_location: to.location });
    assert.ok(last_updated > before.last_updated);
    assert.deepEqual(events.slice(1), history);
    assert.equal(events[0].kind, 'migration');
    assert.deepEqual((await ask('GET', `/lists/${from.id}/leads`)).body, []);
    assert.deepEqual(idsOf((await ask('GET', `/lists/${to.id}/leads`)).body), [lead.id]);
  });

  test('values carry over by column key; those without a column there come back with a move back', async () => {
    const from = await addList({ columns_attributes: [{ label: 'Name' }, { label: 'City' }] });
    const to = await addList({ columns_attributes: [{ label: 'Town' }, { label: 'Name' }] });
    const lead = await addLead(from, { name: 'Ann', city: 'Oslo' });
    await migrate(lead, { to_list_id: to.id });
    const moved = await readLead(lead);
    assert.deepEqual(moved.lead_data, { town: '', name: 'Ann' });
    assert.deepEqual([moved.primary_identifier, moved.secondary_identifier], ['', 'Ann']);
    await ask('PATCH', `/leads/${lead.id}`, { lead: { town: 'Bergen', name: 'Bob' } });
    await migrate(lead, { to_list_id: from.id });
    assert.deepEqual((await readLead(lead)).lead_data, { name: 'Bob', city: 'Oslo' });
    await migrate(lead, { to_list_id: to.id });
    assert.deepEqual((await readLead(lead)).lead_data, { town: 'Bergen', name: 'Bob' });
  });

  test('find looks where the lead is now', async () => {
    const [from, to] = [await addList(), await addList()];
    const lead = await addLead(from, { company_name: 'Acme' });
    await migrate(lead, { to_list_id: to.id });
    const found = async (at: { id: number }) => (await ask('GET', `/lists/${at.id}/leads/find?company_name=Acme`)).body;
    assert.deepEqual([idsOf(await found(from)), idsOf(await found(to))], [[], [lead.id]]);
    const { body } = await ask('GET', `/leads/search?query=acme&list_ids=${from.id}`);
    assert.deepEqual(body, { total: 0, leads: [] });
  });

  test('give_back_leads "1" (also 1, true) releases the lead if claimed; "0" or omitted leaves the claim', async () => {
    const other = await addList();
    for (const to_list_id of [list.id, other.id]) {
      for (const give_back_leads of ['1', 1, true, '0', 0, false, undefined]) {
        const lead = await addLead(list);
        await delegate(lead, ann.id);
        assert.equal((await migrate(lead, { to_list_id, give_back_leads })).status, 204);
        const { claimed_by, claimed_at, list_location } = await readLead(lead);
        const released = ['1', 1, true].includes(give_back_leads as never);
        assert.deepEqual(
          [claimed_by, claimed_at === null, list_location],
          [released ? null : 'Ann@example.com', released, `/api/v2/lists/${to_list_id}`],
          `${give_back_leads}`,
        );
      }
    }
  });

  test('to the current list only the release happens', async () => {
    const lead = await addLead(list);
    await delegate(lead, ann.id);
    await migrate(lead, { to_list_id: list.id });
    assert.deepEqual(kindsOf(await readLead(lead)), ['lead_created', 'claim']);
    await migrate(lead, { to_list_id: list.id, give_back_leads: '1' });
    assert.deepEqual(kindsOf(await readLead(lead)), ['lead_created', 'claim', 'unclaim']);
  });

  test('releasing what nobody holds is 204 and leaves no trace', async () => {
    const lead = await addLead(list);
    assert.equal((await migrate(lead, { to_list_id: list.id, give_back_leads: '1' })).status, 204);
    assert.deepEqual(await readLead(lead), lead);
  });

  test('to_list_id missing, no integer, unknown or another account’s: 422 naming it, and the claim stays', async () => {
    const { body: theirs } = await neighbour.ask('POST', '/lists', { list: { name: 'Theirs' } });
    const lead = await addLead(list);
    await delegate(lead, ann.id);
    const before = await readLead(lead);
    for (const to_list_id of [undefined, null, 'x', 1.5, 0, -1, 999_999, theirs.id, [list.id]]) {
      const answer = await migrate(lead, { to_list_id, give_back_leads: '1' });
      assert.deepEqual(blame(answer), [422, ['to_list_id']], JSON.stringify(to_list_id));
    }
    const perhaps = await migrate(lead, { to_list_id: list.id, give_back_leads: 'perhaps' });
    assert.deepEqual(blame(perhaps), [422, ['give_back_leads']]);
    assert.deepEqual(await readLead(lead), before);
  });
});
