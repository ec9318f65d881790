import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Match } from '../../contract/imports.ts';
import { holdRows } from '../../test/held-rows.ts';
import { openHouse, OWNER, type Answer } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { openUploads } from '../../test/uploads.ts';
import { startCall } from '../calls/calls.ts';
import { serviceActor } from '../platform/actor.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const service = serviceActor(house.account, 'test');
await house.pool.query(`update accounts set country = 'DK'`);
const ann = await house.join({ email: 'ann@example.com', first_name: 'Ann', last_name: 'Berg' });
const { look, upload, change, start, run, bring, undo } = openUploads(owner);

const ok = ({ status, body }: Answer) => {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body;
};

const rowsOf = async (text: string, ...values: unknown[]) => (await house.pool.query(text, values)).rows;

let numbers = 21_000_000;
const phone = () => `+45${(numbers += 1)}`;

const newList = async (): Promise<number> =>
  ok(await api('POST', '/lists', { list: { name: 'Quay', user_ids: [ann.id], winner_categories: 'Sale' } })).id;

/** All that is written of the leads of a list, but when they were last updated. */
async function picture(list: number) {
  const all = async (text: string) => (await rowsOf(text, list)).map(({ row }) => row);
  return {
    leads: await all(`select to_jsonb(l) - 'last_updated' as row from leads l where list_id = $1 order by id`),
    data: await all('select to_jsonb(d) as row from lead_data d where list_id = $1 order by lead_id'),
    marks: await all('select to_jsonb(m) as row from lead_marks m where list_id = $1 order by lead_id, mark'),
    counts: await all(`select jsonb_build_array(state, category, sum(leads)) as row from lead_counts
      where list_id = $1 group by state, category having sum(leads) <> 0 order by 1`),
  };
}

const csv = (heading: string, ...rows: string[]) => [heading, ...rows].join('\n');

test('an import that nobody touched is undone to what was there before, however many leads it brought', async () => {
  const list = await newList();
  ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name: 'Before', mobile_phone: phone() } }));
  const before = await picture(list);
  const rows = Array.from({ length: 2_500 }, (_, index) => `N${index},${phone()},${index % 3 ? '' : 'Said'}`);
  const { id } = await upload(csv('First name,Mobile phone,Comment', ...rows), list);
  const matches: Match[] = [
    { columns: [0], field: 'first_name' },
    { columns: [1], field: 'mobile_phone' },
    { columns: [2], part: 'comment' },
  ];
  await change(id, { matches });
  assert.equal((await run(id)).made, 2_500);
  const { undone, state, undo_until } = await undo(id);
  assert.deepEqual([state, undone!.removed, undone!.put_back, undone!.kept], ['undone', 2_500, 0, 0]);
  assert.equal(undo_until, null);
  assert.deepEqual(await picture(list), before);
  assert.deepEqual(await rowsOf('select lead_id from import_leads where import_id = $1', id), []);
  assert.equal(ok(await api('GET', `/leads/search?query=n2499&list_ids=${list}`)).total, 0);
  const again = await owner('POST', `/imports/${id}/undo`);
  assert.deepEqual([again.status, again.body.code], [409, 'cannot_be_undone']);
});

test('leads that someone touched are kept, and it is named who did', async () => {
  const list = await newList();
  const names = ['Claimed', 'Commented', 'Skipped', 'Held', 'Called', 'Texted', 'Deleted', 'Changed', 'Left'];
  const done = await bring(csv('First name,Mobile phone', ...names.map((name) => `${name},${phone()}`)), list);
  const ids = (await rowsOf('select id from leads where list_id = $1 order by id', list)).map((row) => row.id);
  const [claimed, commented, skipped, held, called, texted, deleted, changed, left] = ids;
  ok(await api('PATCH', `/leads/${claimed}/delegate`, { lead: { delegate_to: ann.id } }));
  ok(await ann.ask('POST', `/leads/${commented}/comments`, { comment: 'Well' }));
  ok(await ann.ask('POST', `/leads/${skipped}/skip`, { lead: {} }));
  ok(await ann.ask('POST', `/leads/${held}/hold`, { input: true }));
  await house.transact((work) =>
    startCall(work, service, { direction: 'outbound', destination: phone(), leadId: called }),
  );
  await house.pool.query(
    `insert into texts (account_id, lead_id, number, body, direction, state)
     values ($1, $2, '+4520000000', 'Hello', 'outbound', 'sent')`,
    [house.account.id, texted],
  );
  ok(await owner('DELETE', `/leads/${deleted}`));
  ok(await ann.ask('PATCH', `/leads/${changed}`, { lead: { title: 'Captain' } }));
  const { undone } = await undo(done.id);
  assert.deepEqual([undone!.removed, undone!.kept], [1, 8]);
  const file = ok(await owner('GET', `/imports/${done.id}/kept`)) as string;
  const why = (index: number, where: string, reason: string) =>
    `${ids[index]},,${where && names[index]},,${where},${reason}`;
  assert.deepEqual(file.split('\r\n'), [
    'lead,identifier 1,identifier 2,identifier 3,list,why',
    why(0, 'Quay', 'changed since'),
    why(1, 'Quay', 'changed since by Ann Berg'),
    why(2, 'Quay', 'changed since by Ann Berg'),
    why(3, 'Quay', 'open at a desk'),
    why(4, 'Quay', 'called since'),
    why(5, 'Quay', 'texted since'),
    why(6, '', 'deleted since'),
    why(7, 'Quay', 'changed since by Ann Berg'),
    '',
  ]);
  assert.deepEqual(await rowsOf('select id from leads where id = $1', left), []);
});

test('leads that it changed are put back: values, state, claim and comments', async () => {
  const list = await newList();
  const own = phone();
  const lead = { first_name: 'Zelda', mobile_phone: own };
  const first = ok(await api('POST', `/lists/${list}/leads`, { lead })).id;
  const second = ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name: 'Zora' } })).id;
  ok(await ann.ask('POST', `/leads/${second}/call_back`, { lead: { call_back_in: 60, comment: 'Quixotic' } }));
  const before = await picture(list);
  const text = csv(
    'Number,First name,Title,Mobile phone,State,Category,Whose,Said',
    `,Other,Captain,${own},won,Sale,ann@example.com,Hello`,
    `,Third,Mate,${own},,,,Again`,
    `${second},Fourth,,,archived,,,`,
  );
  const { id } = await upload(text, list);
  await change(id, {
    duplicates: 'overwrite',
    matches: [
      { columns: [0], part: 'id' },
      { columns: [1], field: 'first_name' },
      { columns: [2], field: 'title' },
      { columns: [3], field: 'mobile_phone' },
      { columns: [4], part: 'state' },
      { columns: [5], part: 'category' },
      { columns: [6], part: 'claimed_by' },
      { columns: [7], part: 'comment' },
    ],
  });
  const done = await run(id);
  assert.deepEqual([done.made, done.updated, done.left_out, done.counts.faulty], [0, 3, 0, 0]);
  const [now] = await rowsOf(
    'select l.state, l.category, l.claimed_by, d.data from leads l join lead_data d on d.lead_id = l.id where l.id = $1',
    first,
  );
  const data = { first_name: 'Third', title: 'Mate', mobile_phone: own };
  assert.deepEqual(now, { state: 'won', category: 'Sale', claimed_by: ann.id, data });
  const { undone } = await undo(id);
  assert.deepEqual([undone!.removed, undone!.put_back, undone!.kept], [0, 2, 0]);
  assert.deepEqual(await picture(list), before);
});

test('a lead that it only left a comment on says that this was undone, and of nobody that they claimed it', async () => {
  const list = await newList();
  const ids: number[] = [];
  for (const claimant of [undefined, ann.id]) {
    const { id } = ok(await api('POST', `/lists/${list}/leads`, { lead: { first_name: 'Zelda' } }));
    if (claimant) ok(await api('PATCH', `/leads/${id}/delegate`, { lead: { delegate_to: claimant } }));
    ids.push(id);
  }
  const { id } = await upload(csv('Number,First name,Said', ...ids.map((lead) => `${lead},Zelda,Hello`)), list);
  const matches: Match[] = [
    { columns: [0], part: 'id' },
    { columns: [1], field: 'first_name' },
    { columns: [2], part: 'comment' },
  ];
  await change(id, { duplicates: 'overwrite', matches });
  assert.equal((await run(id)).updated, 2);
  assert.equal((await undo(id)).undone!.put_back, 2);
  const last = await rowsOf(
    'select distinct on (lead_id) kind, changes from events where lead_id = any ($1) order by lead_id, id desc',
    ids,
  );
  const undone = { kind: 'lead_updated', changes: { undone: ['Import of leads.csv', null] } };
  assert.deepEqual(last, [undone, undone]);
});

test('what it filled and someone changed afterwards is kept', async () => {
  const list = await newList();
  const own = phone();
  const { id: lead } = ok(await api('POST', `/lists/${list}/leads`, { lead: { mobile_phone: own } }));
  const done = await bring(csv('First name,Mobile phone', `Filled,${own}`), list, { duplicates: 'fill' });
  assert.equal(done.updated, 1);
  ok(await ann.ask('PATCH', `/leads/${lead}`, { lead: { first_name: 'Mine' } }));
  const { undone } = await undo(done.id);
  assert.deepEqual([undone!.put_back, undone!.kept], [0, 1]);
  const [{ data }] = await rowsOf('select data from lead_data where lead_id = $1', lead);
  assert.equal(data.first_name, 'Mine');
});

test('what runs is stopped first; what was stopped is undone as far as it came', async () => {
  const list = await newList();
  const rows = Array.from({ length: 8_000 }, (_, index) => `N${index},${phone()}`);
  const { id } = await upload(csv('First name,Mobile phone', ...rows), list);
  // Some come in, and no more before it is stopped.
  const letGo = await holdRows(
    house.pool,
    'imports',
    'old.done > 0 and new.done > old.done',
    `raise exception 'not yet' using errcode = 'lock_not_available'`,
  );
  await start(id);
  await eventually('some are in', async () => (await look(id)).made > 0);
  const refused = await owner('POST', `/imports/${id}/undo`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'cannot_be_undone']);
  assert.match(refused.body.error, /Stop it first/);
  const { made } = ok(await owner('POST', `/imports/${id}/stop`));
  await letGo();
  assert.equal((await undo(id)).undone!.removed, made);
  assert.deepEqual(await rowsOf('select id from leads where list_id = $1', list), []);
});

test('after a week it cannot be undone any more', async () => {
  const done = await bring(csv('First name', 'A'), await newList());
  await house.pool.query(`update imports set finished_at = now() - interval '8 days' where id = $1`, [done.id]);
  const { status, body } = await owner('POST', `/imports/${done.id}/undo`);
  assert.deepEqual([status, body.code], [409, 'cannot_be_undone']);
});

test('leads that said much are put back a few at a time, and none is forgotten', async () => {
  const long = Array.from({ length: 10 }, (_, index) => `text_${index}`);
  const columns_attributes = [
    { label: 'Mobile phone', kind: 'phone' },
    ...long.map((label) => ({ label, kind: 'text' })),
  ];
  const { id: list } = ok(await api('POST', '/lists', { list: { name: 'Long', columns_attributes } }));
  const much = () => Object.fromEntries(long.map((key) => [key, randomBytes(7_000).toString('base64')]));
  const leads = Array.from({ length: 7 }, () => ({ mobile_phone: phone(), ...much() }));
  for (const lead of leads) ok(await api('POST', `/lists/${list}/leads`, { lead }));
  const before = await picture(list);
  const rows = leads.map((lead) => `${lead.mobile_phone},${long.map(() => 'Short').join()}`);
  const matches = ['mobile_phone', ...long].map((field, index) => ({ columns: [index], field }));
  const done = await bring(csv(`Phone,${long.join()}`, ...rows), list, { duplicates: 'overwrite', matches });
  assert.equal(done.updated, 7);
  assert.deepEqual([(await undo(done.id)).undone!.put_back, await picture(list)], [7, before]);
});
