import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';

const house = await openHouse({ RATE_LIMITS: 'off' });
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const manager = await house.join({
  email: 'maya@example.com',
  first_name: 'Maya',
  last_name: 'Lind',
  agent: false,
  lists_admin: true,
});

const make = async (list: Record<string, unknown> = {}): Promise<number> =>
  (await owner('POST', '/lists', { list: { name: 'Campaign', ...list } })).body.id;
const read = async (id: number) => (await owner('GET', `/lists/${id}`)).body;
const fieldsOf = async (id: number) => (await owner('GET', `/lists/${id}/fields`)).body.fields as any[];
const keysOf = async (id: number) => (await fieldsOf(id)).map(({ key }) => key);
const audited = async () => (await owner('GET', '/audit?per_page=1')).body[0];

/** What a change is refused with, by field. */
const faults = async (ask: Ask, method: 'POST' | 'PATCH' | 'PUT', path: string, body: object) => {
  const answer = await ask(method, path, body);
  assert.equal(answer.status, 422, JSON.stringify(answer.body).slice(0, 300));
  return answer.body.errors as Record<string, string[]>;
};

describe('a list', () => {
  test('is changed a setting at a time; what is not given stays, and the audit log has each change', async () => {
    const id = await make({ purpose: 'Vans', winner_categories: 'Sale' });
    for (const change of [
      { name: 'Fleet' },
      { purpose: 'Lorries' },
      { description: '# Hello {{first_name}}' },
      { categories: { winner: ['Sale', 'Survey'], skip: ['Lunch'] } },
      { queue_new_before_due: true },
      { claim_on_win: true },
      { claim_on_put_off: false },
      { record_calls: false },
      { caller_number: '+442079460100', caller_name: 'Acme' },
      { prepend_phone: '+45' },
      { prepend_phone: true },
      { prepend_phone: null },
      { show_avatars: true, inline_identifiers: true },
    ]) {
      const { status, body } = await owner('PATCH', `/lists/${id}`, { list: change });
      assert.equal(status, 200, JSON.stringify(body));
      for (const [name, value] of Object.entries(change)) assert.deepEqual(body[name], value, name);
      assert.deepEqual(body, await read(id));
      assert.equal((await audited()).action, 'list.changed');
    }
    const list = await read(id);
    assert.deepEqual([list.name, list.purpose, list.claim_on_schedule], ['Fleet', 'Lorries', null]);
    assert.deepEqual((await api('GET', `/lists/${id}`)).body.categories, {
      winner: ['Sale', 'Survey'],
      skip: ['Lunch'],
    });
  });

  test('is paused, resumed, archived and brought out again, each an act of its own', async () => {
    const id = await make();
    const standing = async (change: object) => {
      const { paused, archived } = (await owner('PATCH', `/lists/${id}`, { list: change })).body;
      return [paused, archived, (await audited()).action];
    };
    assert.deepEqual(await standing({ paused: true }), [true, false, 'list.paused']);
    assert.deepEqual(await standing({ paused: false }), [false, false, 'list.resumed']);
    assert.deepEqual(await standing({ archived: true }), [false, true, 'list.archived']);
    assert.deepEqual(await standing({ archived: false }), [false, false, 'list.unarchived']);
    const { body } = await owner('GET', '/lists');
    assert.deepEqual([body[0].id, body[0].paused, body[0].archived, body[0].purpose], [id, false, false, '']);
    assert.equal('paused' in (await api('GET', '/lists')).body[0], false, 'the contract says nothing of it');
  });

  test('two managers at once: the second is told who was first, and of what; other aspects are not touched', async () => {
    const id = await make({ call_back_categories: 'Busy' });
    const { versions } = await read(id);
    assert.deepEqual(versions, {});
    const first = await manager.ask('PATCH', `/lists/${id}`, { list: { description: 'Hers' }, seen: versions });
    assert.deepEqual([first.status, first.body.versions], [200, { script: 1 }]);
    const second = await owner('PATCH', `/lists/${id}`, { list: { description: 'Mine' }, seen: versions });
    assert.deepEqual([second.status, second.body.code], [409, 'list_changed']);
    assert.match(second.body.error, /^Maya Lind has changed the script since you looked\./);
    assert.equal((await read(id)).description, 'Hers');
    const other = await owner('PATCH', `/lists/${id}`, { list: { name: 'Other' }, seen: versions });
    assert.equal(other.status, 200);
    const again = await owner('PATCH', `/lists/${id}`, { list: { description: 'Mine' }, seen: { script: 1 } });
    assert.deepEqual([again.status, again.body.description], [200, 'Mine']);
    const both = await Promise.all(
      [owner, manager.ask].map((ask) => ask('PATCH', `/lists/${id}`, { list: { caller_name: 'A' }, seen: {} })),
    );
    assert.deepEqual(both.map(({ status }) => String(status)).toSorted(), ['200', '409']);
  });

  test('what cannot be is refused by name, and nothing is changed', async () => {
    const id = await make({ winner_categories: 'Sale' });
    const before = await read(id);
    const refused = (list: object) => faults(owner, 'PATCH', `/lists/${id}`, { list });
    assert.deepEqual(await refused({ name: ' ' }), { name: ['must not be empty'] });
    assert.deepEqual(await refused({ name: 'x'.repeat(10_000) }), { name: ['must have at most 255 characters'] });
    assert.deepEqual(await refused({ description: 'x'.repeat(500_000) }), {
      description: ['must have at most 100000 characters'],
    });
    for (const [names, fault] of [
      [['Sale, big'], /no comma/],
      [['Sale', ' '], /not be empty/],
      [['Sale', 'Sale '], /Sale twice/],
      [['x'.repeat(256)], /at most 255/],
    ] as const)
      assert.match(JSON.stringify(await refused({ categories: { winner: names } })), fault);
    assert.deepEqual(await refused({ duplicates_match_on: 'budget' }), {
      duplicates_match_on: ['must be the key of a field of this list'],
    });
    assert.ok((await refused({ caller_number: 'x' })).caller_number);
    assert.deepEqual(await read(id), before);
    const agent = await house.join({ email: 'agent@example.com', listing_ids: [id] });
    assert.equal((await agent.ask('PATCH', `/lists/${id}`, { list: { name: 'Mine' } })).status, 403);
    assert.equal((await owner('PATCH', '/lists/999999', { list: { name: 'x' } })).status, 404);
  });
});

describe('fields', () => {
  const KEYS = [
    'company_name',
    'first_name',
    'last_name',
    'title',
    'work_office_phone',
    'mobile_phone',
    'e_mail',
    'website',
  ];

  test('are added behind the others, renamed without their key, moved, hidden; identifiers and answers follow at once', async () => {
    const id = await make();
    const lead = (await api('POST', `/lists/${id}/leads`, { lead: { company_name: 'Acme' } })).body.id;
    const { status, body: field } = await owner('POST', `/lists/${id}/fields`, {
      field: { label: 'Fleet size', kind: 'integer' },
    });
    assert.deepEqual([status, field.key, field.kind, field.visible], [201, 'fleet_size', 'integer', true]);
    assert.deepEqual(await keysOf(id), [...KEYS, 'fleet_size']);
    assert.equal((await api('GET', `/leads/${lead}`)).body.lead_data.fleet_size, '');
    const change = (given: object) => owner('PATCH', `/lists/${id}/fields/${field.id}`, { field: given });
    assert.equal((await change({ label: 'Vehicles' })).body.key, 'fleet_size');
    await change({ position: 0 });
    assert.deepEqual(await keysOf(id), ['fleet_size', ...KEYS]);
    await api('PATCH', `/leads/${lead}`, { lead: { fleet_size: '12' } });
    assert.equal((await api('GET', `/leads/${lead}`)).body.primary_identifier, '12');
    await change({ visible: false });
    assert.equal((await api('GET', `/leads/${lead}`)).body.primary_identifier, 'Acme');
    await change({ position: 8 });
    assert.deepEqual(await keysOf(id), [...KEYS, 'fleet_size']);
    const filled = Object.fromEntries((await fieldsOf(id)).map((one) => [one.key, one.filled]));
    assert.deepEqual([filled.fleet_size, filled.company_name, filled.title], [1, 1, 0]);
    const [column] = (await api('GET', `/lists/${id}/columns`)).body.slice(-1);
    assert.deepEqual([column.key, column.label, column.type], ['fleet_size', 'Vehicles', 'integer']);
  });

  test('are told how filled they are from fewer leads where these are large', async () => {
    const id = await make({ columns_attributes: [{ label: 'Name' }, { label: 'Story', kind: 'text' }] });
    for (const name of ['Ann', 'Bo', 'Cy', 'Di', 'Ed', 'Flo'])
      await api('POST', `/lists/${id}/leads`, { lead: { name } });
    // What does not pack is as large as it is long.
    await house.pool.query(
      `update lead_data set data = data || jsonb_build_object('story', (
         select string_agg(md5(random()::text), '') from generate_series(1, 31250))) where list_id = $1`,
      [id],
    );
    const { looked_at, fields } = (await owner('GET', `/lists/${id}/fields`)).body;
    assert.ok(looked_at > 0 && looked_at < 6, String(looked_at));
    assert.deepEqual(
      fields.map(({ filled }: { filled: number }) => filled),
      [1, 1],
    );
  });

  test('of a list that guarantees the defaults can only be hidden, and come first', async () => {
    const id = await make({ lock_on_defaults: true, columns_attributes: [{ label: 'Budget' }] });
    const [company] = await fieldsOf(id);
    const budget = (await fieldsOf(id)).at(-1);
    assert.deepEqual([company.locked, budget.locked], [true, false]);
    const change = (field: { id: number }) => `/lists/${id}/fields/${field.id}`;
    for (const given of [{ label: 'Firm' }, { kind: 'phone' }, { position: 2 }, { required: true }])
      assert.match(
        JSON.stringify(await faults(owner, 'PATCH', change(company), { field: given })),
        /guarantees Company name, which can only be hidden/,
      );
    assert.equal((await owner('DELETE', change(company))).status, 422);
    assert.equal((await owner('PATCH', change(company), { field: { visible: false } })).body.visible, false);
    assert.deepEqual(await faults(owner, 'PATCH', change(budget), { field: { position: 3 } }), {
      position: ['must be from 8 to 8'],
    });
  });

  test('are refused by name: empty, twice, too many, unknown kinds, an old version', async () => {
    const id = await make({ columns_attributes: Array.from({ length: 499 }, (_, place) => ({ label: `F${place}` })) });
    const add = (field: object) => faults(owner, 'POST', `/lists/${id}/fields`, { field });
    assert.deepEqual(await add({ label: '  ' }), { label: ['must not be empty'] });
    assert.deepEqual(await add({ label: 'f7' }), { label: ['must be another one: the list has a field f7 already'] });
    assert.ok((await add({ label: 'x'.repeat(10_000) })).label);
    assert.ok((await add({ label: 'Kind', kind: 'colour' })).kind);
    assert.equal((await owner('POST', `/lists/${id}/fields`, { field: { label: 'Last' } })).status, 201);
    assert.deepEqual(await add({ label: 'One more' }), {
      label: ['cannot be added: a list has at most 500 fields'],
    });
    const { version, fields } = (await owner('GET', `/lists/${id}/fields`)).body;
    const late = await owner('DELETE', `/lists/${id}/fields/${fields[0].id}?seen=${version - 1}`);
    assert.deepEqual([late.status, late.body.code], [409, 'list_changed']);
    assert.equal((await owner('DELETE', `/lists/${id}/fields/${fields[0].id}?seen=${version}`)).status, 204);
    assert.equal((await keysOf(id)).length, 499);
    assert.equal((await owner('DELETE', `/lists/${id}/fields/${fields[0].id}`)).status, 404);
    const other = (await fieldsOf(await make()))[0];
    assert.equal((await owner('PATCH', `/lists/${id}/fields/${other.id}`, { field: { label: 'X' } })).status, 404);
  });

  test('a label that duplicates go by gives way to the key when it changes', async () => {
    const id = await make({ columns_attributes: [{ label: 'Reference' }], duplicates_match_on: 'Reference' });
    const [field] = await fieldsOf(id);
    await owner('PATCH', `/lists/${id}/fields/${field.id}`, { field: { label: 'Order number' } });
    assert.equal((await read(id)).duplicates_match_on, 'reference');
  });
});

describe('a category', () => {
  test('is renamed in its place, with its retry setting and as the default of its old name had it', async () => {
    const id = await make({ call_back_categories: 'Busy, No answer, Later' });
    await owner('PATCH', `/lists/${id}`, { list: { retries: { Busy: { archived_after: 8 } } } });
    const rename = (from: string, to: string, kind = 'call_back') =>
      owner('POST', `/lists/${id}/categories`, { category: { kind, from, to } });
    assert.equal((await rename('Busy', 'Engaged')).status, 200);
    const { body } = await rename('No answer', 'Nobody there');
    assert.deepEqual(body.categories, { call_back: ['Engaged', 'Nobody there', 'Later'] });
    assert.deepEqual(body.retries, {
      Engaged: { comes_back_after: 15, archived_after: 8 },
      'Nobody there': { comes_back_after: 120, archived_after: null },
      Later: { comes_back_after: 60, archived_after: null },
    });
    assert.deepEqual((await audited()).detail, {
      renamed: { kind: 'call_back', from: 'No answer', to: 'Nobody there' },
    });
    const path = `/lists/${id}/categories`;
    const refused = (from: string, to: string) =>
      faults(owner, 'POST', path, { category: { kind: 'call_back', from, to } });
    assert.ok((await refused('Busy', 'X')).from);
    assert.match((await refused('Later', 'Engaged')).to![0]!, /Engaged is there already/);
    assert.match((await refused('Later', 'a, b')).to![0]!, /no comma/);
    assert.match((await refused('Later', ' ')).to![0]!, /not be empty/);
  });
});

describe('a copy', () => {
  test('has everything of the list but leads, and is nobody else’s business', async () => {
    const agent = await house.join({ email: 'copied@example.com' });
    const id = await make({
      purpose: 'Vans',
      columns_attributes: [{ label: 'Name' }, { label: 'Tel', kind: 'phone', visible: false }],
      winner_categories: 'Sale',
      user_ids: [agent.id],
      description: 'Hello',
      duplicates_match_on: 'name',
    });
    await api('POST', `/lists/${id}/leads`, { lead: { name: 'Ann' } });
    await api('POST', `/lists/${id}/webhook`, { webhook: { event: 'winner', target_url: 'https://example.com/hook' } });
    const { status, body: copy } = await owner('POST', `/lists/${id}/copy`, { list: { name: 'Autumn' } });
    assert.deepEqual([status, copy.name, copy.purpose, copy.leads_count], [201, 'Autumn', 'Vans', 0]);
    const own = new Set(['id', 'name', 'location', 'created_at', 'leads_count', 'versions', 'jobs']);
    const source = await read(id);
    for (const [key, value] of Object.entries(await read(copy.id)))
      if (!own.has(key)) assert.deepEqual(value, source[key], key);
    const plain = (fields: any[]) => fields.map((field) => ({ ...field, id: 0, filled: null }));
    assert.deepEqual(plain(await fieldsOf(copy.id)), plain(await fieldsOf(id)));
    assert.deepEqual((await owner('GET', `/lists/${copy.id}/people`)).body.user_ids, [agent.id]);
    assert.equal(
      (await faults(owner, 'POST', `/lists/${id}/copy`, { list: { name: ' ' } })).name![0],
      'must not be empty',
    );
  });
});

describe('a copy that is made while a colleague changes the fields', () => {
  test('waits for them, and has all of the change or nothing', async () => {
    const id = await make({ columns_attributes: [{ label: 'Name' }] });
    const busy = await house.pool.connect();
    await busy.query('begin');
    await busy.query('select from lists where id = $1 for update', [id]);
    let isMade = false;
    const copying = owner('POST', `/lists/${id}/copy`, { list: { name: 'Autumn' } }).finally(() => (isMade = true));
    await Promise.race([house.areWaiting(), copying]);
    assert.ok(!isMade);
    await busy.query('rollback');
    busy.release();
    assert.equal((await copying).status, 201);
  });
});

describe('people', () => {
  test('of a list are named together, by those who assign lists', async () => {
    const id = await make();
    const [ann, bo] = [await house.join({ email: 'ann1@example.com' }), await house.join({ email: 'bo1@example.com' })];
    const put = (ask: Ask, user_ids: number[], seen?: object) =>
      ask('PUT', `/lists/${id}/people`, { list: { user_ids }, ...(seen && { seen }) });
    assert.deepEqual((await put(owner, [bo.id, ann.id])).body, { version: 1, user_ids: [ann.id, bo.id] });
    assert.equal((await ann.ask('GET', `/lists/${id}`)).status, 200);
    assert.deepEqual((await put(manager.ask, [bo.id], { people: 1 })).body, { version: 2, user_ids: [bo.id] });
    assert.equal((await ann.ask('GET', `/lists/${id}`)).status, 404);
    assert.equal((await put(owner, [ann.id], { people: 1 })).status, 409);
    assert.equal((await put(owner, [999_999])).status, 422);
    assert.equal((await put(bo.ask, [ann.id])).status, 403);
    assert.deepEqual((await owner('GET', `/lists/${id}/people`)).body, { version: 2, user_ids: [bo.id] });
  });

  test('of a list who are assigned on their own page are not taken off by one who has not seen them there', async () => {
    const [id, other] = [await make(), await make()];
    const [cy, di] = [await house.join({ email: 'cy1@example.com' }), await house.join({ email: 'di1@example.com' })];
    const people = async (list: number) => (await owner('GET', `/lists/${list}/people`)).body;
    const assign = (listing_ids: number[]) => owner('PATCH', `/users/${cy.id}`, { user: { listing_ids } });
    assert.equal((await assign([id])).status, 200);
    assert.deepEqual(
      [await people(id), await people(other)],
      [
        { version: 1, user_ids: [cy.id] },
        { version: 0, user_ids: [] },
      ],
    );
    const put = { list: { user_ids: [di.id] }, seen: { people: 0 } };
    const late = await manager.ask('PUT', `/lists/${id}/people`, put);
    assert.deepEqual([late.status, late.body.code], [409, 'list_changed']);
    assert.deepEqual((await people(id)).user_ids, [cy.id]);
    assert.equal((await assign([id, other])).status, 200);
    assert.deepEqual([(await people(id)).version, (await people(other)).version], [1, 1], 'as it was is no change');
    assert.equal((await assign([other])).status, 200);
    assert.deepEqual(await people(id), { version: 2, user_ids: [] });
  });
});

describe('progress', () => {
  test('tells of every list its leads by state, what is due, who works it and when it last moved', async () => {
    const agent = await house.join({ email: 'dora@example.com', first_name: 'Dora', last_name: 'Olsen' });
    const id = await make({ winner_categories: 'Sale', user_ids: [agent.id], purpose: 'Vans' });
    const empty = (await owner('GET', `/lists/${id}/overview`)).body;
    assert.deepEqual([empty.leads_count, empty.due, empty.last_activity, empty.categories], [0, 0, null, []]);
    const ids: number[] = [];
    for (let count = 0; count < 4; count += 1)
      ids.push((await api('POST', `/lists/${id}/leads`, { lead: {} })).body.id);
    await api('POST', `/leads/${ids[0]}/winner`, { lead: { category: 'Sale' } });
    await api('POST', `/leads/${ids[1]}/call_back`, { lead: { call_back_in: 0 } });
    await api('POST', `/leads/${ids[2]}/call_back`, { lead: { call_back_in: 60 } });
    const told = (await owner('GET', `/lists/${id}/overview`)).body;
    assert.deepEqual(told.counts, { new: 1, call_back: 2, won: 1, lost: 0, archived: 0 });
    assert.deepEqual([told.due, told.people_count, told.leads_count, told.purpose], [1, 1, 4, 'Vans']);
    assert.deepEqual(told.people, [{ email: 'dora@example.com', first_name: 'Dora', last_name: 'Olsen' }]);
    assert.deepEqual(told.last_activity, (await api('GET', `/leads/${ids[2]}`)).body.last_updated);
    assert.deepEqual(
      told.categories.toSorted((a: any, b: any) => a.kind.localeCompare(b.kind)),
      [
        { kind: 'call_back', category: '', leads: 2 },
        { kind: 'winner', category: 'Sale', leads: 1 },
      ],
    );
    const { categories: _, ...row } = told;
    const all = (await owner('GET', '/lists/progress')).body;
    assert.deepEqual(
      all.find((one: any) => one.id === id),
      row,
    );
    assert.deepEqual(
      (await agent.ask('GET', '/lists/progress')).body.map((one: any) => one.id),
      [id],
      'agents see their own',
    );
  });
});

// The last, as it fills the account.
test('an account has at most 5,000 lists, those that were just deleted included, at both doors', async () => {
  const id = await make();
  await house.pool.query(
    `insert into lists (account_id, name, deleted_at)
     select $1, 'Many', case when n % 2 = 0 then now() end from generate_series(1, 5000) n`,
    [house.account.id],
  );
  const list = { name: 'One more' };
  for (const [ask, path] of [
    [api, '/lists'],
    [owner, '/lists'],
    [owner, `/lists/${id}/copy`],
  ] as const)
    assert.deepEqual(await faults(ask, 'POST', path, { list }), {
      name: ['cannot be added: an account has at most 5,000 lists, with those deleted in the last seven days'],
    });
});
