import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Match, Plan } from '../../contract/imports.ts';
import { holdRows } from '../../test/held-rows.ts';
import { openHouse, OWNER, type Answer } from '../../test/house.ts';
import { openUploads } from '../../test/uploads.ts';
import { eventually } from '../../test/leadline.ts';
import { openSubscriber } from '../../test/subscriber.ts';
import { findActor } from '../people/users/users.ts';
import type { Sql } from '../platform/sql.ts';
import { startImport } from './start.ts';

const house = await openHouse({ RATE_LIMITS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' });
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
await house.pool.query(`update accounts set country = 'DK'`);
const ann = await house.join({ email: 'ann@example.com', first_name: 'Ann', last_name: 'Berg' });
const bob = await house.join({ email: 'bob@example.com', first_name: 'Bob', last_name: 'Holm' });
const { upload, change, start, run, bring, until } = openUploads(owner);

const ok = ({ status, body }: Answer) => {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body;
};

const newList = async (more: object = {}): Promise<number> =>
  ok(await api('POST', '/lists', { list: { name: 'Harbour', user_ids: [ann.id, bob.id], ...more } })).id;

const rowsOf = async (text: string, ...values: unknown[]) => (await house.pool.query(text, values)).rows;

const ownerId = async (): Promise<number> => (await rowsOf('select id from users where email = $1', OWNER.email))[0].id;

/** All leads of a list, in the order of their ids. */
const leadsOf = (list: number) =>
  rowsOf(
    `select l.id, l.state, l.category, l.scheduled_for, l.claimed_by, l.created_at, l.last_updated, l.turn_at,
            d.created_at as data_at, d.data, d.marks, d.said::text as said
       from leads l join lead_data d on d.lead_id = l.id where l.list_id = $1 order by l.id`,
    list,
  );

const search = async (list: number, query: string): Promise<number> =>
  ok(await api('GET', `/leads/search?query=${encodeURIComponent(query)}&list_ids=${list}`)).total;

/** What the counters and the marks say beside what is there. */
async function expectNoDrift(): Promise<void> {
  const counted = await rowsOf(
    `select list_id, state, category, sum(leads)::int as leads from lead_counts
      group by 1, 2, 3 having sum(leads) <> 0 order by 1, 2, 3`,
  );
  const there = await rowsOf(
    `select list_id, state, coalesce(category, '') as category, count(*)::int as leads from leads
      group by 1, 2, 3 order by 1, 2, 3`,
  );
  assert.deepEqual(counted, there);
  const marks = await rowsOf(`select lead_id, list_id, mark from lead_marks order by 1, 3`);
  const own = await rowsOf(
    `select lead_id, list_id, m.mark from lead_data cross join unnest(marks) as m (mark) order by 1, 3`,
  );
  assert.deepEqual(marks, own);
}

const csv = (heading: string, ...rows: string[]) => [heading, ...rows].join('\n');

let numbers = 20_000_000;
const phone = () => `+45${(numbers += 1)}`;

/** One match after the other, by the place of the column. */
const fields = (...keys: string[]): Match[] => keys.map((field, index) => ({ columns: [index], field }));

test('rows become leads in the order of the file, with marks and words, and the queue hands out the first', async () => {
  const list = await newList();
  const phones = Array.from({ length: 1_200 }, phone);
  const text = csv('First name,Mobile phone', ...phones.map((own, index) => `Given${index + 1},${own}`));
  const done = await bring(text, list);
  assert.deepEqual([done.made, done.updated, done.left_out, done.done, done.counts.faulty], [1_200, 0, 0, 1_200, 0]);
  const leads = await leadsOf(list);
  assert.deepEqual(
    leads.map(({ data }) => data.first_name),
    phones.map((_, index) => `Given${index + 1}`),
  );
  assert.deepEqual(leads[0].marks, [`phone ${phones[0]}`]);
  assert.ok(leads.every(({ created_at, data_at }) => created_at.getTime() === data_at.getTime()));
  const next = ok(await ann.ask('POST', `/lists/${list}/next`));
  assert.equal(next.lead.id, leads[0].id);
  assert.equal(await search(list, 'given1199'), 1);
  const made = await rowsOf('select row, before from import_leads where import_id = $1 order by lead_id', done.id);
  assert.deepEqual(
    made.map(({ row }) => row),
    phones.map((_, index) => index + 2),
  );
  await expectNoDrift();
});

test('state, category, due time, claim and comment are as they would be by hand; nobody is told', async () => {
  const subscriber = await openSubscriber();
  const list = await newList({ winner_categories: 'Sale', call_back_categories: 'Busy' });
  ok(await api('POST', `/lists/${list}/webhook`, { webhook: { event: 'winner', target_url: `${subscriber.url}/x` } }));
  const text = csv(
    'First name,How,Which,When,Whose,Said',
    'Una,,,,,',
    'Duo,won,Sale,,bob@example.com,Quixotic',
    'Tre,call back,Busy,2031-05-01 10:00,,',
    'Qua,call back,,,,',
    'Cin,,,2031-06-01 10:00,,',
    'Sei,archived,,,,',
  );
  const { id } = await upload(text, list);
  await change(id, {
    matches: [
      { columns: [0], field: 'first_name' },
      { columns: [1], part: 'state' },
      { columns: [2], part: 'category' },
      { columns: [3], part: 'due' },
      { columns: [4], part: 'claimed_by' },
      { columns: [5], part: 'comment' },
    ],
    people: [ann.id],
  });
  const done = await run(id);
  assert.deepEqual([done.made, done.counts.faulty], [6, 0]);
  const leads = await leadsOf(list);
  assert.deepEqual(
    leads.map(({ state, category, claimed_by }) => [state, category, claimed_by]),
    [
      ['new', null, ann.id],
      ['won', 'Sale', bob.id],
      ['call_back', 'Busy', ann.id],
      ['call_back', null, ann.id],
      ['call_back', null, ann.id],
      ['archived', null, ann.id],
    ],
  );
  assert.deepEqual(
    leads.map(({ scheduled_for }) => scheduled_for !== null),
    [false, false, true, false, true, false],
  );
  assert.equal(leads[2].turn_at.getTime(), leads[2].scheduled_for.getTime());
  const events = await rowsOf('select kind, comment, user_id, lead_id from events where list_id = $1', list);
  const user = await ownerId();
  assert.deepEqual(events, [{ kind: 'comment', comment: 'Quixotic', user_id: user, lead_id: leads[1].id }]);
  assert.match(leads[1].said, /quixotic/);
  assert.deepEqual(await rowsOf('select id from deliveries'), []);
  await expectNoDrift();
});

test('leads are spread over people in turn, and who is disabled meanwhile gets none', async () => {
  const gone = await house.join({ email: 'gone@example.com' });
  const list = await newList();
  const { id } = await upload(csv('First name', 'A', 'B', 'C', 'D', 'E'), list);
  await change(id, { people: [ann.id, bob.id] });
  await run(id);
  assert.deepEqual(
    (await leadsOf(list)).map(({ claimed_by }) => claimed_by),
    [ann.id, bob.id, ann.id, bob.id, ann.id],
  );
  const other = await upload(csv('First name', 'F'), list);
  await change(other.id, { people: [gone.id] });
  await house.pool.query('update users set disabled_at = now() where id = $1', [gone.id]);
  const refused = await owner('POST', `/imports/${other.id}/start`, {
    import: { version: (await until(other.id, 'checked')).version },
  });
  assert.equal(refused.status, 422);
});

test('duplicates are left out: of the list, of the account where that is asked, and of rows before them', async () => {
  const [here, elsewhere] = [await newList(), await newList({ name: 'Elsewhere' })];
  const [known, foreign, fresh, twice] = [phone(), phone(), phone(), phone()];
  ok(await api('POST', `/lists/${here}/leads`, { lead: { first_name: 'Known', mobile_phone: known } }));
  ok(await api('POST', `/lists/${elsewhere}/leads`, { lead: { first_name: 'Foreign', mobile_phone: foreign } }));
  const text = csv(
    'First name,Mobile phone',
    `A,${known}`,
    `B,${foreign}`,
    `C,${fresh}`,
    `D,${twice}`,
    `E,${twice}`,
    `F,`,
  );
  const names = async () => (await leadsOf(here)).map(({ data }) => data.first_name);
  const done = await bring(text, here, { duplicates: 'skip', within: 'list' });
  assert.deepEqual([done.made, done.left_out, done.done], [4, 2, 6]);
  assert.deepEqual(await names(), ['Known', 'B', 'C', 'D', 'F']);
  const account = await bring(text, await newList(), { duplicates: 'skip', within: 'account' });
  assert.deepEqual([account.made, account.left_out], [1, 5]);
  const added = await bring(text, here, { duplicates: 'add', within: 'account' });
  assert.deepEqual([added.made, added.left_out], [6, 0]);
  await expectNoDrift();
});

test('a lead that came after the rows were checked is a duplicate all the same', async () => {
  const list = await newList();
  const own = phone();
  const { id, counts } = await upload(csv('First name,Mobile phone', `A,${own}`, `B,${phone()}`), list);
  assert.equal(counts.fresh, 2);
  ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name: 'Quick', mobile_phone: own } }));
  const done = await run(id);
  assert.deepEqual([done.made, done.left_out], [1, 1]);
});

test('two imports of an account run one after the other, and the second knows what the first made', async () => {
  const list = await newList();
  const text = csv('First name,Mobile phone', ...Array.from({ length: 700 }, (_, index) => `N${index},${phone()}`));
  const [first, second] = [await upload(text, list), await upload(text, list)];
  assert.equal(second.counts.fresh, 700);
  await start(first.id);
  await start(second.id);
  const [one, two] = [await until(first.id, 'finished'), await until(second.id, 'finished')];
  assert.deepEqual([one.made, one.left_out, two.made, two.left_out], [700, 0, 0, 700]);
  await expectNoDrift();
});

test('categories that were renamed since the rows were checked, or before, come in by the names they have', async () => {
  const list = await newList({ call_back_categories: 'Busy, No answer', winner_categories: 'Sale' });
  const rename = async (of: string, from: string, to: string) => {
    ok(await owner('POST', `/lists/${list}/categories`, { category: { kind: of, from, to } }));
    await eventually(
      'its leads have it',
      async () => (await rowsOf('select from list_jobs where list_id = $1 and finished_at is null', list)).length === 0,
    );
  };
  const matches: Match[] = [
    { columns: [0], field: 'first_name' },
    { columns: [1], part: 'category' },
  ];
  const text = csv('First name,Which', 'Una,Busy', 'Duo,No answer');
  const { id } = await upload(text, list);
  await change(id, { matches, state: 'call_back', category: null });
  const chosen = await upload(csv('First name', 'Tre'), list);
  await change(chosen.id, { matches: fields('first_name'), state: 'won', category: 'Sale' });
  await rename('call_back', 'Busy', 'Engaged');
  await rename('winner', 'Sale', 'Order');
  assert.equal((await run(id)).counts.faulty, 0);
  await run(chosen.id);
  const late = await bring(csv('First name,Which', 'Qua,Busy', 'Cin,Engaged'), list, { matches, state: 'call_back' });
  assert.equal(late.counts.faulty, 0);
  const leads = await leadsOf(list);
  assert.deepEqual(
    leads.map(({ data, category }) => [data.first_name, category]),
    [
      ['Una', 'Engaged'],
      ['Duo', 'No answer'],
      ['Tre', 'Order'],
      ['Qua', 'Engaged'],
      ['Cin', 'Engaged'],
    ],
  );
  await expectNoDrift();
});

test('a new list is made of the file, with its fields and categories', async () => {
  const text = csv('Firma,Telefon,Zustand,Grund', `Acme,${phone()},won,Sold`, `Bolt,${phone()},lost,Dear`);
  const { id } = await upload(text);
  const matches: Match[] = [
    { columns: [0], new_field: { label: 'Company', kind: 'none' } },
    { columns: [1], new_field: { label: 'Phone', kind: 'phone' } },
    { columns: [2], part: 'state' },
    { columns: [3], part: 'category' },
  ];
  await change(id, { list_id: null, new_list: { name: 'Made of a file' }, matches, people: [ann.id] });
  const done = await run(id);
  assert.equal(done.list!.name, 'Made of a file');
  const leads = await leadsOf(done.list!.id);
  assert.deepEqual(
    leads.map(({ state, category, data }) => [state, category, Object.keys(data).toSorted()]),
    [
      ['won', 'Sold', ['company', 'phone']],
      ['lost', 'Dear', ['company', 'phone']],
    ],
  );
  const list = ok(await api('GET', `/lists/${done.list!.id}`));
  assert.deepEqual(list.categories, { winner: ['Sold'], loser: ['Dear'] });
  assert.equal(
    ok(await ann.ask('GET', `/lists`)).some(({ id: own }: { id: number }) => own === done.list!.id),
    true,
  );
  await expectNoDrift();
});

test('new fields are added to the list, and what changes its fields meanwhile has the rows checked anew', async () => {
  const list = await newList();
  const { id } = await upload(csv('First name,Vessel', 'A,Tall ship', 'B,Barge'), list);
  await change(id, {
    matches: [
      { columns: [0], field: 'first_name' },
      { columns: [1], new_field: { label: 'Vessel', kind: 'none' } },
    ],
  });
  // Somebody was quicker with a field of their own.
  ok(await owner('POST', `/lists/${list}/fields`, { field: { label: 'Port' } }));
  const done = await run(id);
  assert.deepEqual([done.made, done.counts.faulty], [2, 0]);
  assert.deepEqual(
    (await leadsOf(list)).map(({ data }) => data),
    [
      { first_name: 'A', vessel: 'Tall ship' },
      { first_name: 'B', vessel: 'Barge' },
    ],
  );
});

/** After its first turn no import has another until what is returned is called: it is as if it could not have its row. */
const holdAfterFirstTurn = () =>
  holdRows(
    house.pool,
    'imports',
    'old.done > 0 and new.done > old.done',
    `raise exception 'not yet' using errcode = 'lock_not_available'`,
  );

test('a field that is removed and rules that change while it runs: the rest goes by what is so then', async () => {
  const list = await newList();
  const own = phone();
  const rows = Array.from({ length: 6_000 }, (_, index) => `N${index},${own},T${index}`);
  const { id } = await upload(csv('First name,Mobile phone,Title', ...rows), list);
  await change(id, { duplicates: 'skip', matches: fields('first_name', 'mobile_phone', 'title') });
  const letGo = await holdAfterFirstTurn();
  await start(id);
  await eventually(
    'some had their turn',
    async () => (await rowsOf('select done from imports where id = $1', id))[0].done > 0,
  );
  ok(await owner('PATCH', `/lists/${list}`, { list: { duplicates_match_on_phone: false } }));
  const [{ id: title }] = await rowsOf(`select id from list_columns where list_id = $1 and key = 'title'`, list);
  ok(await owner('DELETE', `/lists/${list}/fields/${title}`));
  await letGo();
  const done = await until(id, 'finished');
  assert.deepEqual([done.made + done.left_out, done.done], [6_000, 6_000]);
  assert.ok(done.made > 1, 'what came after the change is no duplicate any more');
  const [{ leads }] = await rowsOf('select count(*)::int as leads from import_leads where import_id = $1', id);
  assert.equal(leads, done.made);
  assert.deepEqual(Object.keys((await leadsOf(list)).at(-1).data), ['first_name', 'mobile_phone']);
  await eventually('the leads follow', async () => {
    const [{ unsettled }] = await rowsOf('select unsettled from lists where id = $1', list);
    return !unsettled;
  });
  await expectNoDrift();
});

test('rows that had their turn before the list changed stay what they were: leads, left and told why, or faulty', async () => {
  const list = await newList();
  const held = ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name: 'Held', mobile_phone: phone() } }));
  ok(await ann.ask('POST', `/leads/${held.id}/hold`));
  const rows = Array.from({ length: 6_000 }, (_, index) => `N${index},${phone()},T${index}`);
  rows[1] = `N1,12,T1`;
  const { id } = await upload(
    csv('First name,Mobile phone,Title', `Held,${held.lead_data.mobile_phone},Captain`, ...rows),
    list,
  );
  await change(id, { duplicates: 'overwrite', matches: fields('first_name', 'mobile_phone', 'title') });
  const before = await until(id, 'checked');
  const letGo = await holdAfterFirstTurn();
  await start(id);
  await eventually(
    'some had their turn',
    async () => (await rowsOf('select done from imports where id = $1', id))[0].done > 0,
  );
  // None of the titles is a whole number.
  const [{ id: title }] = await rowsOf(`select id from list_columns where list_id = $1 and key = 'title'`, list);
  ok(await owner('PATCH', `/lists/${list}/fields/${title}`, { field: { kind: 'integer' } }));
  await letGo();
  const done = await until(id, 'finished');
  const made = (await rowsOf('select count(*)::int as leads from import_leads where import_id = $1', id))[0].leads;
  assert.ok(made > 0 && made < 6_000);
  const reasons = new Map(
    done.counts.reasons.map(({ reason, number }: { reason: string; number: number }) => [reason, number]),
  );
  assert.deepEqual(
    [done.made, done.counts.faulty, reasons.get('Its lead was open at a desk')],
    [made, 6_001 - made, 1],
    JSON.stringify([before.counts, done.counts]),
  );
  assert.equal(done.made + done.updated + done.left_out + done.counts.faulty, 6_001);
  const [{ faulty }] = await rowsOf(
    `select count(*)::int as faulty from import_checked c where c.import_id = $1 and c.fault is not null
        and exists (select from import_leads l where l.import_id = $1 and l.row = c.row)`,
    id,
  );
  assert.equal(faulty, 0, 'what is a lead is not mended and uploaded again');
  ok(await ann.ask('DELETE', `/leads/${held.id}/hold`));
  await expectNoDrift();
});

test('duplicates fill what is empty, or are written over; a second row finds what the first one made', async () => {
  const list = await newList({ winner_categories: 'Sale' });
  const [known, twice] = [phone(), phone()];
  const lead = { first_name: 'Known', mobile_phone: known };
  const { id: lone } = ok(await api('POST', `/lists/${list}/leads`, { lead }));
  const text = csv('First name,Title,Mobile phone', `Other,Captain,${known}`, `New,,${twice}`, `Again,Mate,${twice}`);
  const matches = fields('first_name', 'title', 'mobile_phone');
  const filled = await bring(text, list, { duplicates: 'fill', matches });
  assert.deepEqual([filled.made, filled.updated, filled.left_out], [1, 2, 0]);
  const dataOf = async () => (await leadsOf(list)).map(({ data }) => data);
  assert.deepEqual(await dataOf(), [
    { first_name: 'Known', title: 'Captain', mobile_phone: known },
    { first_name: 'New', title: 'Mate', mobile_phone: twice },
  ]);
  const over = await bring(text, list, { duplicates: 'overwrite', matches });
  assert.deepEqual([over.made, over.updated, over.left_out], [0, 2, 1]);
  assert.deepEqual(await dataOf(), [
    { first_name: 'Other', title: 'Captain', mobile_phone: known },
    { first_name: 'Again', title: 'Mate', mobile_phone: twice },
  ]);
  assert.deepEqual([await search(list, 'captain'), await search(list, 'known')], [1, 0]);
  assert.deepEqual(
    (await rowsOf('select kind from events where lead_id = $1', lone)).map(({ kind }) => kind),
    ['lead_created'],
  );
  await expectNoDrift();
});

test('a call back that was put off stays one when a file changes its category, and not its time', async () => {
  const list = await newList({ call_back_categories: 'Busy,Away' });
  const at = '2031-05-01T09:00:00.123Z';
  const outcome = (exactly: boolean) => ({ lead: { category: 'Busy', scheduled_for: at, exactly } });
  const ids: number[] = [];
  for (const exactly of [false, true, false]) {
    const { id } = ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name: 'A' } }));
    ok(await api('POST', `/leads/${id}/call_back`, outcome(exactly)));
    ids.push(id);
  }
  const times = ['', at, '2031-05-02T09:00:00Z'];
  const rows = ids.map((id, index) => `${id},A,Away,${times[index]}`);
  const matches: Match[] = [
    { columns: [0], part: 'id' },
    { columns: [1], field: 'first_name' },
    { columns: [2], part: 'category' },
    { columns: [3], part: 'due' },
  ];
  const text = csv('Number,First name,Category,Due', ...rows);
  const done = await bring(text, list, { duplicates: 'overwrite', matches, state: 'call_back' });
  assert.equal(done.updated, 3);
  const leads = await rowsOf('select category, exactly from leads where list_id = $1 order by id', list);
  assert.deepEqual(
    leads.map(({ category, exactly }) => [category, exactly]),
    [
      ['Away', false],
      ['Away', true],
      ['Away', true],
    ],
  );
});

test('a category that a file says of the state of its new leads is none of a lead in another', async () => {
  const list = await newList({ winner_categories: 'Sale', loser_categories: 'No money' });
  const ids: number[] = [];
  for (const first_name of ['New', 'Lost', 'Won'])
    ids.push(ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name } })).id);
  ok(await api('POST', `/leads/${ids[1]}/loser`, { lead: { category: 'No money' } }));
  ok(await api('POST', `/leads/${ids[2]}/winner`));
  const stands = () => rowsOf('select state, category, turn_at from leads where list_id = $1 order by id', list);
  const before = await stands();
  const matches: Match[] = [
    { columns: [0], part: 'id' },
    { columns: [1], field: 'first_name' },
    { columns: [2], part: 'category' },
  ];
  const text = csv('Number,First name,Category', ...ids.map((id) => `${id},Ann,Sale`));
  const done = await bring(text, list, { duplicates: 'overwrite', matches, state: 'won' });
  assert.equal(done.updated, 3);
  const after = await stands();
  assert.deepEqual(
    after.map(({ state, category }) => [state, category]),
    [
      ['new', null],
      ['lost', 'No money'],
      ['won', 'Sale'],
    ],
  );
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2), 'they keep their turn');
  await expectNoDrift();
});

test('a lead that its number names is changed, wherever it is; one that is open at a desk is left, and says so', async () => {
  const list = await newList({ winner_categories: 'Sale' });
  const ids: number[] = [];
  for (const first_name of ['One', 'Two'])
    ids.push(ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name } })).id);
  const held = ok(await ann.ask('POST', `/lists/${list}/next`)).lead.id;
  assert.equal(held, ids[0]);
  const { id } = await upload(csv('Number,First name,State', `${ids[0]},Uno,won`, `${ids[1]},Due,won`), list);
  const plan: Partial<Plan> = {
    duplicates: 'overwrite',
    matches: [
      { columns: [0], part: 'id' },
      { columns: [1], field: 'first_name' },
      { columns: [2], part: 'state' },
    ],
  };
  await change(id, plan);
  const done = await run(id);
  assert.deepEqual([done.made, done.updated, done.left_out, done.counts.faulty], [0, 1, 0, 1]);
  assert.deepEqual(done.counts.reasons, [{ reason: 'Its lead was open at a desk', number: 1 }]);
  assert.deepEqual(
    (await leadsOf(list)).map(({ state, data }) => [state, data.first_name]),
    [
      ['new', 'One'],
      ['won', 'Due'],
    ],
  );
  await expectNoDrift();
});

test('what was seen before is not run: someone changed it, or it runs already', async () => {
  const list = await newList();
  const { id, version } = await upload(csv('First name', 'A'), list);
  await change(id, { duplicates: 'add' });
  const outdated = await owner('POST', `/imports/${id}/start`, { import: { version } });
  assert.deepEqual([outdated.status, outdated.body.code], [409, 'outdated']);
  await run(id);
  const again = await owner('POST', `/imports/${id}/start`, {
    import: { version: (await until(id, 'finished')).version },
  });
  assert.equal(again.status, 409);
});

test('the list is deleted before all rows are in: what is in stays in, and it says why it ended', async () => {
  const list = await newList();
  const { id, version } = await upload(csv('First name', 'A', 'B'), list);
  await house.transact(async (work) => {
    const actor = await findActor(work, house.account.id, await ownerId(), 'app');
    await startImport(work, actor, id, version);
    await work.db.send('update lists set deleted_at = now() where id = $1' as Sql, [list]);
  });
  const done = await until(id, 'finished');
  assert.deepEqual([done.made, done.refusal], [0, 'The list was deleted before all rows were in.']);
  assert.ok(done.stopped_at);
  const other = await upload(csv('First name', 'C'), await newList());
  await house.pool.query('update lists set deleted_at = now() where id = $1', [other.plan!.list_id]);
  const refused = await owner('POST', `/imports/${other.id}/start`, { import: { version: other.version } });
  assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['list_id']]);
});

test('the table is asked for the leads of an import, and for who imported them', async () => {
  const list = await newList();
  const done = await bring(csv('First name', 'Ima', 'Imb'), list);
  ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name: 'By hand' } }));
  const user = await ownerId();
  const ask = async (f: string) => {
    const { leads, total } = ok(await owner('GET', `/leads?lists=${list}&f=${f}`));
    return [leads.length, total];
  };
  assert.deepEqual((await ask(`import:is:${done.id}`))[0], 2);
  assert.deepEqual((await ask(`imported_by:is:${user}`))[0], 2);
  assert.deepEqual((await ask(`imported_by:empty`))[0], 1);
  const none = await owner('GET', `/leads?lists=${list}&f=import:is:x`);
  assert.equal(none.status, 422);
});
