import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { asIs } from '../../test/database.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { PAST_JOBS } from '../lists/jobs.ts';
import { serviceActor } from '../platform/actor.ts';
import { sweep, sweepSql } from '../platform/sweep.ts';
import type { ColumnKind } from '../../contract/lists.ts';
import { lockLeadList } from './access.ts';
import { loadLeads } from './load.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const actor = serviceActor(house.account, 'test');
await house.pool.query(`update accounts set country = 'DK'`);

type Field = { label: string; kind?: ColumnKind };
const NAME: Field = { label: 'Name' };
const TITLE: Field = { label: 'Title' };
const LINE: Field = { label: 'Line' };
const MAIL: Field = { label: 'Mail', kind: 'email' };
const ALL = [NAME, TITLE, LINE, MAIL];

async function newList(more: Record<string, unknown> = {}): Promise<number> {
  const list = { name: 'Changing', columns_attributes: ALL, ...more };
  return (await api('POST', '/lists', { list })).body.id;
}
const create = async (list: number, lead: Record<string, string>) =>
  (await api('POST', `/lists/${list}/leads`, { lead })).body.id as number;
const read = async (id: number) => (await api('GET', `/leads/${id}`)).body;
const search = async (list: number, query: string): Promise<number> =>
  (await api('GET', `/leads/search?query=${encodeURIComponent(query)}&list_ids=${list}`)).body.total;
const find = async (list: number, conditions: string) => {
  const { status, body } = await api('GET', `/lists/${list}/leads/find?${conditions}`);
  return status === 200 ? body.map(({ id }: { id: number }) => id).toReversed() : status;
};

/** Changes a list as a manager does, and tells which job follows. */
async function change(method: string, path: string, body?: object): Promise<number> {
  const answer = await owner(method, path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return (await house.pool.query('select max(id) as id from list_jobs')).rows[0].id;
}
async function fieldOf(list: number, key: string): Promise<string> {
  const { body } = await owner('GET', `/lists/${list}/fields`);
  return `/lists/${list}/fields/${body.fields.find((field: { key: string }) => field.key === key)?.id}`;
}
const removeField = async (list: number, key: string) => change('DELETE', await fieldOf(list, key));
const addField = (list: number, field: Field) => change('POST', `/lists/${list}/fields`, { field });
const giveKind = async (list: number, key: string, kind: ColumnKind) =>
  change('PATCH', await fieldOf(list, key), { field: { kind } });
const rename = (list: number, kind: string, from: string, to: string) =>
  change('POST', `/lists/${list}/categories`, { category: { kind, from, to } });

const finished = (id: number) =>
  eventually('the job is finished', async () => {
    const { rows } = await house.pool.query('select * from list_jobs where id = $1 and finished_at is not null', [id]);
    return rows[0];
  });

/** Someone else has a lead locked, so that no batch with it comes through. */
async function hold(table: 'lead_data' | 'leads', id: number): Promise<() => Promise<void>> {
  const client = await house.pool.connect();
  await client.query('begin');
  await client.query(`select from ${table} where ${table === 'leads' ? 'id' : 'lead_id'} = $1 for update`, [id]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

const kept = async (id: number) => {
  const { rows } = await house.pool.query('select data, hidden from lead_data where lead_id = $1', [id]);
  return rows[0];
};
const isUnsettled = async (list: number): Promise<boolean> =>
  (await house.pool.query('select unsettled from lists where id = $1', [list])).rows[0].unsettled;

describe('fields', () => {
  test('a field that is removed is told no more from the first second; its values are hidden and come back with it', async () => {
    const list = await newList();
    const ann = await create(list, { name: 'Ann', title: 'Buyer', mail: 'ann@example.com' });
    const bo = await create(list, { name: 'Bo', title: 'Seller' });
    const cy = await create(list, { name: 'Cy' });
    const before = await read(ann);

    let release = await hold('lead_data', bo);
    const removing = await removeField(list, 'title');
    assert.deepEqual((await read(ann)).lead_data, { name: 'Ann', line: '', mail: 'ann@example.com' });
    assert.deepEqual((await read(ann)).secondary_identifier, '');
    assert.deepEqual(
      (await api('GET', `/lists/${list}/leads`)).body.map((lead: { lead_data: object }) =>
        Object.keys(lead.lead_data).toSorted(),
      ),
      Array.from({ length: 3 }, () => ['line', 'mail', 'name']),
    );
    assert.equal(await find(list, 'title=Buyer'), 422);
    // Written meanwhile: by the fields of now.
    await api('PATCH', `/leads/${ann}`, { lead: { line: 'Direct' } });
    assert.deepEqual(await kept(ann), {
      data: { name: 'Ann', line: 'Direct', mail: 'ann@example.com' },
      hidden: { title: 'Buyer' },
    });
    assert.deepEqual(await kept(bo), { data: { name: 'Bo', title: 'Seller' }, hidden: {} }, 'not reached yet');
    await release();
    const { total, done } = await finished(removing);
    assert.deepEqual([total, done], [3, 3]);
    assert.deepEqual(await kept(bo), { data: { name: 'Bo' }, hidden: { title: 'Seller' } });
    assert.equal(await isUnsettled(list), false);
    assert.deepEqual([await search(list, 'Seller'), await search(list, 'Bo')], [0, 1]);

    release = await hold('lead_data', bo);
    const making = await addField(list, TITLE);
    assert.deepEqual((await read(bo)).lead_data, { name: 'Bo', title: 'Seller', line: '', mail: '' });
    await api('PATCH', `/leads/${ann}`, { lead: { title: 'Owner' } });
    await api('PATCH', `/leads/${cy}`, { lead: { title: 'Clerk' } });
    await release();
    await finished(making);
    assert.deepEqual(await Promise.all([ann, bo, cy].map(kept)), [
      { data: { name: 'Ann', line: 'Direct', mail: 'ann@example.com', title: 'Owner' }, hidden: {} },
      { data: { name: 'Bo', title: 'Seller' }, hidden: {} },
      { data: { name: 'Cy', title: 'Clerk' }, hidden: {} },
    ]);
    assert.deepEqual([await search(list, 'Seller'), await find(list, 'title=Seller')], [1, [bo]]);
    assert.equal(await isUnsettled(list), false);
    assert.deepEqual((await read(bo)).events.length, 1, 'nothing happened to the lead');
    assert.ok(before.last_updated < (await read(ann)).last_updated);
    const untouched = await read(bo);
    assert.equal(untouched.last_updated, untouched.created_at, 'and it was not changed');
  });

  test('of leads that say much a batch takes few', async () => {
    const list = await newList();
    const ids: number[] = [];
    for (const title of ['Buyer', 'Seller', 'Clerk']) ids.push(await create(list, { name: 'Ann', title }));
    const much = randomBytes(225_000).toString('base64');
    await house.pool.query(`update lead_data set hidden = jsonb_build_object('notes', $2::text) where list_id = $1`, [
      list,
      much,
    ]);
    const release = await hold('lead_data', ids[2]!);
    const removing = await removeField(list, 'title');
    const first = async () => 'title' in (await kept(ids[0]!)).hidden;
    await eventually('those before one that is locked are written', first);
    await release();
    const { total, done } = await finished(removing);
    assert.deepEqual([total, done], [3, 3]);
    assert.deepEqual((await kept(ids[2]!)).hidden, { notes: much, title: 'Clerk' });
  });

  test('removed and made again before the first job is through, every lead says what it said', async () => {
    const list = await newList({ columns_attributes: [NAME, TITLE] });
    const ids = await Promise.all(['Buyer', 'Seller', ''].map((title) => create(list, { name: 'Ann', title })));
    const release = await hold('lead_data', ids[1]!);
    const jobs = [await removeField(list, 'title'), await addField(list, TITLE)];
    const { lead_data, secondary_identifier } = await read(ids[1]!);
    assert.deepEqual([lead_data, secondary_identifier], [{ name: 'Ann', title: 'Seller' }, 'Seller']);
    await release();
    await Promise.all(jobs.map(finished));
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await read(id)).lead_data.title)), [
      'Buyer',
      'Seller',
      '',
    ]);
    assert.deepEqual((await kept(ids[0]!)).hidden, {});
    assert.deepEqual([await search(list, 'Seller'), await find(list, 'title=Buyer')], [1, [ids[0]]]);
    assert.equal(await isUnsettled(list), false);
  });

  test('a field that becomes one for phones makes duplicates of those who share a number, and is dialled', async () => {
    const list = await newList();
    const ann = await create(list, { name: 'Ann', line: '33 11 22 33' });
    const bo = await create(list, { name: 'Bo', line: '+45 3311 2233' });
    const cy = await create(list, { name: 'Cy', line: 'reception' });
    assert.deepEqual((await read(ann)).detected_duplicates, []);
    await finished(await giveKind(list, 'line', 'phone'));
    assert.deepEqual([(await read(ann)).detected_duplicates, (await read(bo)).detected_duplicates], [[bo], [ann]]);
    assert.deepEqual([(await read(cy)).detected_duplicates, (await read(cy)).lead_data.line], [[], 'reception']);
    assert.equal(await search(list, '+4533112233'), 2);
    const { body } = await owner('GET', `/leads/${ann}/numbers`);
    assert.deepEqual(
      body.map(({ number }: { number: string }) => number),
      ['+45 33 11 22 33'],
    );
    await finished(await giveKind(list, 'line', 'none'));
    assert.deepEqual((await read(ann)).detected_duplicates, []);
  });

  test('what duplicates match on is followed by the marks of all leads', async () => {
    const list = await newList();
    const [ann, bo] = [
      await create(list, { mail: 'a@example.com', title: 'X' }),
      await create(list, { mail: 'A@example.com', title: 'X' }),
    ];
    assert.deepEqual((await read(ann)).detected_duplicates, [bo]);
    const match = async (rules: object) => {
      await finished(await change('PATCH', `/lists/${list}`, { list: rules }));
      return (await read(ann)).detected_duplicates;
    };
    assert.deepEqual(await match({ duplicates_match_on_email: false }), []);
    assert.deepEqual(await match({ duplicates_match_on: 'Title' }), [bo]);
    const { rows } = await house.pool.query('select mark from lead_marks where lead_id = $1', [ann]);
    assert.deepEqual(rows, [{ mark: 'column title X' }]);
    assert.deepEqual(await match({ duplicates_match_on: '' }), []);
    assert.deepEqual(await match({ duplicates_match_on_email: true }), [bo]);
  });

  test('a move into a list whose fields have just changed is by the fields it has', async () => {
    const [list, other] = [await newList(), await newList()];
    const ann = await create(other, { name: 'Ann', title: 'Buyer' });
    const bo = await create(list, { name: 'Bo', title: 'Buyer' });
    const release = await hold('lead_data', bo);
    const job = await removeField(list, 'title');
    await api('PATCH', `/leads/${ann}/migrate`, { lead: { to_list_id: list } });
    assert.deepEqual(await kept(ann), { data: { name: 'Ann' }, hidden: { title: 'Buyer' } });
    await release();
    await finished(job);
    assert.deepEqual(await kept(bo), await kept(ann).then((one) => ({ ...one, data: { name: 'Bo' } })));
  });

  test('a change of fields waits for whoever writes leads, and for so long that it gives up with a sentence', async () => {
    const list = await newList();
    const writing = await house.pool.connect();
    await writing.query('begin');
    await writing.query('select pg_advisory_xact_lock_shared(4712, $1)', [house.account.id]);
    const { status, body } = await owner('DELETE', await fieldOf(list, 'title'));
    assert.deepEqual([status, body.error], [503, 'Many leads are being written just now. Try again in a moment.']);
    await writing.query('commit');
    writing.release();
    await finished(await removeField(list, 'title'));
  });
});

describe('categories', () => {
  const CATEGORIES = { winner_categories: 'Sale,Meeting', call_back_categories: 'Busy', skip_categories: 'Lunch' };
  const stats = async (list: number) => (await api('GET', `/lists/${list}/stats`)).body.leads_counts;

  test('leads take the new name along, are counted by it and have changed; nobody is told', async () => {
    const list = await newList(CATEGORIES);
    const [sold, met, called] = [await create(list, {}), await create(list, {}), await create(list, {})];
    await api('POST', `/leads/${sold}/winner`, { lead: { category: 'Sale' } });
    await api('POST', `/leads/${met}/winner`, { lead: { category: 'Meeting' } });
    await api('POST', `/leads/${called}/call_back`, { lead: { category: 'Busy' } });
    const before = await read(sold);
    await finished(await rename(list, 'winner', 'Sale', 'Order'));
    const after = await read(sold);
    assert.deepEqual(
      [after.category, (await read(met)).category, (await read(called)).category],
      ['Order', 'Meeting', 'Busy'],
    );
    assert.ok(after.last_updated > before.last_updated);
    assert.deepEqual(after.events, before.events);
    const { won, call_back } = await stats(list);
    assert.deepEqual([won, call_back.busy], [{ order: 1, meeting: 1, uncategorised: 0, total: 2 }, 1]);
  });

  test('who had read the old names writes one behind the job, and it is taken along all the same', async () => {
    const list = await newList(CATEGORIES);
    const lead = await create(list, {});
    const late = await house.pool.connect();
    await late.query('begin');
    await late.query(`update leads set state = 'won', category = 'Sale' where id = $1`, [lead]);
    await late.query(
      `insert into lead_counts (account_id, list_id, state, category, shard, leads)
       values ($1, $2, 'won', 'Sale', 0, 1), ($1, $2, 'new', '', 0, -1)
       on conflict (account_id, list_id, state, category, shard) do update set leads = lead_counts.leads + excluded.leads`,
      [house.account.id, list],
    );
    const job = await rename(list, 'winner', 'Sale', 'Order');
    await eventually('the job went over the list', async () => {
      const { rows } = await house.pool.query('select after_id from list_jobs where id = $1', [job]);
      return rows[0].after_id === lead;
    });
    const again = { list: { categories: { winner: ['Order', 'Meeting', 'Sale'] } } };
    const { status, body } = await owner('PATCH', `/lists/${list}`, again);
    assert.deepEqual([status, body.code], [409, 'still_renaming']);
    await late.query('commit');
    late.release();
    await finished(job);
    assert.equal((await read(lead)).category, 'Order');
    assert.equal((await owner('PATCH', `/lists/${list}`, again)).status, 200);
    assert.deepEqual((await stats(list)).won, { order: 1, sale: 0, meeting: 0, uncategorised: 0, total: 1 });
  });

  test('a name from before is recorded as the one of now, at both doors, until its time is up', async () => {
    const list = await newList(CATEGORIES);
    const lead = await create(list, {});
    for (const [kind, from, to] of [
      ['winner', 'Sale', 'Order'],
      ['winner', 'Order', 'Contract'],
      ['winner', 'Meeting', 'Visit'],
      ['skip', 'Lunch', 'Break'],
    ] as const)
      await finished(await rename(list, kind, from, to));
    await house.pool.query(
      `update lists set former_categories = (
         select jsonb_agg(case when f ->> 'from' = 'Meeting' then f || '{"until": "2026-01-01T00:00:00Z"}' else f end)
           from jsonb_array_elements(former_categories) f) where id = $1`,
      [list],
    );
    for (const ask of [api, owner])
      for (const category of ['Sale', 'Order', 'Contract']) {
        assert.equal((await ask('POST', `/leads/${lead}/winner`, { lead: { category } })).status, 204);
        assert.equal((await read(lead)).category, 'Contract');
      }
    assert.equal((await api('POST', `/leads/${lead}/winner`, { lead: { category: 'Meeting' } })).status, 422);
    assert.equal((await api('POST', `/leads/${lead}/loser`, { lead: { category: 'Sale' } })).status, 422);
    assert.equal((await owner('POST', `/leads/${lead}/skip`, { lead: { category: 'Lunch' } })).status, 204);
    assert.equal((await read(lead)).events[0].category, 'Break');
    assert.equal((await stats(list)).won.contract, 1);
  });

  test('of the names from before the newest hundred are taken', async () => {
    const list = await newList(CATEGORIES);
    await house.pool.query(
      `update lists set former_categories = (
         select jsonb_agg(jsonb_build_object('kind', 'winner', 'from', 'Name ' || n, 'to', 'Sale', 'until', now() + interval '1 day'))
           from generate_series(1, 150) n) where id = $1`,
      [list],
    );
    await finished(await rename(list, 'winner', 'Sale', 'Order'));
    const lead = await create(list, {});
    const wins = async (category: string) =>
      (await api('POST', `/leads/${lead}/winner`, { lead: { category } })).status;
    assert.deepEqual([await wins('Sale'), await wins('Name 150'), await wins('Name 50')], [204, 204, 422]);
  });

  test('that is through for a month is forgotten', async () => {
    const list = await newList(CATEGORIES);
    const [old, young] = [await rename(list, 'winner', 'Sale', 'Order'), await rename(list, 'winner', 'Order', 'Sale')];
    for (const job of [old, young]) await finished(job);
    await house.pool.query(`update list_jobs set finished_at = now() - interval '31 days' where id = $1`, [old]);
    await sweep(house.db, [asIs(sweepSql(PAST_JOBS))]);
    const { rows } = await house.pool.query('select id from list_jobs where list_id = $1', [list]);
    assert.deepEqual(rows, [{ id: young }]);
  });
});

describe('what would not fit', () => {
  const fit = async (list: number, key: string, field: object) => {
    const { body } = await api('GET', `/lists/${list}/columns`);
    const { id } = body.find((column: { key: string }) => column.key === key);
    return owner('POST', `/lists/${list}/fields/${id}/fit`, { field });
  };

  test('values are counted that another kind would not fit, with examples that say why; nothing is changed', async () => {
    const list = await newList();
    const lines = ['33 11 22 33', '+45 3311 22', 'reception', '', '+45 3311 2233 4'];
    const ids: number[] = [];
    for (const [index, line] of lines.entries()) ids.push(await create(list, { name: `Lead ${index}`, line }));
    const { status, body } = await fit(list, 'line', { kind: 'phone' });
    assert.deepEqual(
      [status, body.kind, body.done, body.result],
      [
        200,
        'fit',
        5,
        {
          values: 4,
          misfits: 3,
          examples: [
            { lead_id: ids[1], lead: 'Lead 1', value: '+45 3311 22', reason: 'Two digits short' },
            { lead_id: ids[2], lead: 'Lead 2', value: 'reception', reason: 'No digits' },
            { lead_id: ids[4], lead: 'Lead 4', value: '+45 3311 2233 4', reason: 'One digit too many' },
          ],
        },
      ],
    );
    assert.ok(body.finished_at);
    // Names of leads and what they hold are for those who may change the list, not for all who may see how far it is.
    const statuses = [];
    for (const role of ['lists_admin', 'analyst']) {
      const { ask } = await house.join({ email: `${role}@example.com`, agent: false, [role]: true });
      statuses.push((await ask('GET', `/lists/${list}/jobs/${body.id}`)).status);
    }
    assert.deepEqual(statuses, [200, 403]);
    const options = (await fit(list, 'name', { kind: 'options', options: 'Lead 0, Lead 1' })).body.result;
    assert.deepEqual([options.values, options.misfits, options.examples[0].reason], [5, 3, 'Not one of the options']);
    assert.equal((await read(ids[2]!)).lead_data.line, 'reception');
    assert.equal((await fit(list, 'line', { kind: 'dance' })).status, 422);
    assert.equal((await owner('POST', `/lists/${list}/fields/0/fit`, { field: { kind: 'phone' } })).status, 404);
  });

  test('a large list is counted in the background; who asks again waits for one count alone', async () => {
    const list = await newList();
    const rows = Array.from({ length: 6_000 }, (_, index) => ({
      name: 'A',
      title: index % 3 === 0 ? 'x'.repeat(500) : '1',
    }));
    await house.transact(async (work) =>
      loadLeads(work, actor, await lockLeadList(work, actor, list, 'leads.write'), rows),
    );
    const asked = await Promise.all([1, 2].map(() => fit(list, 'title', { kind: 'integer' })));
    const ids = asked.map(({ body }) => body.id as number).toSorted((a, b) => a - b);
    const { result } = await finished(ids[1]!);
    assert.deepEqual([result.values, result.misfits, result.examples.length], [6_000, 2_000, 1_000]);
    assert.deepEqual([result.examples[0].value.length, result.examples[0].reason], [100, 'Not a whole number']);
  });
});

test('while a lead is typed, those it might be are told by the fields they share, of those one may see', async () => {
  const [list, other] = [await newList({ duplicates_match_on: 'title' }), await newList()];
  const agent = await house.join({ email: 'typist@example.com', agent: true, listing_ids: [list] });
  const ann = await create(list, { name: 'Ann', title: 'X1', mail: 'typed@example.com' });
  const bo = await create(other, { name: 'Bo', mail: 'TYPED@example.com' });
  const alike = async (ask: typeof owner, lead: Record<string, unknown>) =>
    (await ask('POST', `/lists/${list}/alike`, { lead })).body;
  const told = { lead_id: ann, primary_identifier: 'Ann', list_name: 'Changing', state: 'new' };
  assert.deepEqual(await alike(owner, { mail: 'Typed@example.com', title: 'X1', name: ['?'], nonsense: 1 }), [
    { ...told, secondary_identifier: 'X1', by: ['title', 'mail'] },
    { ...told, lead_id: bo, primary_identifier: 'Bo', secondary_identifier: '', by: ['mail'] },
  ]);
  assert.deepEqual(
    (await alike(agent.ask, { mail: 'typed@example.com' })).map(({ lead_id }: { lead_id: number }) => lead_id),
    [ann],
  );
  assert.deepEqual([await alike(owner, {}), await alike(owner, { name: 'Ann' })], [[], []]);
  assert.equal((await agent.ask('POST', `/lists/${other}/alike`, { lead: {} })).status, 404);
  for (let count = 0; count < 12; count += 1) await create(list, { mail: 'many@example.com' });
  assert.equal((await alike(owner, { mail: 'many@example.com' })).length, 10);
});

test('when the country of the account changes, numbers that are there are read by it', async () => {
  const list = await newList({
    columns_attributes: [NAME, { label: 'Phone', kind: 'phone' }],
    duplicates_match_on_phone: true,
  });
  const empty = await newList();
  const lead = await create(list, { name: 'Ann', phone: '33 44 55 66' });
  assert.equal(await search(list, '+4533445566'), 1);
  const job = await change('PATCH', '/account', { account: { country: 'NO' } });
  await finished(job);
  const jobsOf = async (id: number) =>
    (await house.pool.query(`select asked ->> 'what' as what from list_jobs where list_id = $1`, [id])).rows;
  assert.deepEqual(await jobsOf(list), [{ what: 'The country of the account has changed.' }]);
  assert.deepEqual(await jobsOf(empty), []);
  await eventually('it is found by its number there', async () => (await search(list, '+4733445566')) === 1);
  assert.equal(await search(list, '+4533445566'), 0);
  const twin = await create(list, { name: 'Ann', phone: '+47 33 44 55 66' });
  assert.deepEqual((await read(twin)).detected_duplicates, [lead]);
  assert.equal(await change('PATCH', '/account', { account: { country: 'NO' } }), job, 'the same again is no change');
  await finished(await change('PATCH', '/account', { account: { country: 'DK' } }));
});
