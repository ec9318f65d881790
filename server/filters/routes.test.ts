import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writeToken, type Token } from '../../contract/filters.ts';
import type { LeadTable } from '../../contract/lead-table.ts';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';

const house = await openHouse();
const key = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
await owner('PATCH', '/account', { account: { country: 'DK', time_zone: 'America/New_York' } });

const newList = async (name: string) => (await key('POST', '/lists', { list: { name } })).body.id as number;
const newLead = async (list: number, lead: Record<string, string>) =>
  (await key('POST', `/lists/${list}/leads`, { lead })).body.id as number;
const [depots, shops] = [await newList('Depots'), await newList('Shops')];
const ann = await house.join({ email: 'ann@example.com', first_name: 'Ann', last_name: 'Berg', listing_ids: [shops] });
const leads = [
  await newLead(depots, { company_name: 'Alfa', first_name: 'Zoë', mobile_phone: '+45 33 11 22 33' }),
  await newLead(depots, { company_name: 'Beta', work_office_phone: '+45 44 11 22 33' }),
  await newLead(shops, { company_name: 'Corner' }),
];

const path = (asked: Record<string, string | string[] | number>) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) for (const one of [value].flat()) query.append(name, String(one));
  return `/leads?${query}`;
};
const ids = async (ask: Ask, asked: Record<string, string | string[] | number> = {}) => {
  const { status, body } = await ask('GET', path({ order: 'created', ...asked }));
  assert.equal(status, 200, JSON.stringify(body));
  return (body as LeadTable).leads.map(({ id }) => id);
};
const token = (name: string, operator: Token['operator'], ...values: string[]) =>
  writeToken({ name, operator, values });

describe('the table', () => {
  test('tells of each lead what a row shows, and of its fields those that are asked for', async () => {
    await key('PATCH', `/leads/${leads[0]}/delegate`, { lead: { delegate_to: ann.id } });
    await house.pool.query(
      `insert into calls (account_id, lead_id, direction, state) values ($1, $2, 'outbound', 'completed')`,
      [house.account.id, leads[0]],
    );
    const { body } = await owner('GET', path({ lists: depots, order: 'created', fields: 'first_name,e_mail,nothing' }));
    const [alfa, beta] = (body as LeadTable).leads;
    const { id, list_id, identifiers, phone, state, claimed_by, held_by, calls, fields } = alfa!;
    assert.deepEqual(
      { id, list_id, identifiers, phone, state, claimed_by, held_by, calls, fields },
      {
        id: leads[0],
        list_id: depots,
        identifiers: ['Alfa', 'Zoë'],
        phone: '+45 33 11 22 33',
        state: 'new',
        claimed_by: { id: ann.id, name: 'Ann Berg' },
        held_by: null,
        calls: 1,
        fields: { first_name: 'Zoë' },
      },
    );
    assert.notEqual(alfa!.last_activity, null);
    assert.deepEqual([beta!.phone, beta!.last_activity, beta!.fields], ['+45 44 11 22 33', null, {}]);
    assert.deepEqual(body.total, { number: 2, about: false });
  });

  test('counts by state from the counters, and exactly what matches', async () => {
    const { body } = await owner('GET', `/leads/counts?lists=${depots}`);
    assert.deepEqual(body, { total: 2, new: 2, call_back: 0, won: 0, lost: 0, archived: 0 });
    const counted = await owner(
      'GET',
      `/leads/count?f=${encodeURIComponent(token('field.company_name', 'contains', 'r'))}`,
    );
    assert.deepEqual(counted.body, { number: 1 });
  });

  test('an agent sees the leads of their lists and those they claim, and nothing else', async () => {
    assert.deepEqual(await ids(ann.ask), [leads[0], leads[2]]);
    assert.deepEqual(await ids(ann.ask, { f: token('field.first_name', 'is', 'Zoë') }), [leads[0]]);
    assert.deepEqual(await ids(ann.ask, { order: '-field.company_name' }), [leads[2], leads[0]]);
    assert.deepEqual(await ids(ann.ask, { q: 'beta' }), []);
    assert.deepEqual((await ann.ask('GET', '/leads/counts')).body.total, 2);
    assert.deepEqual((await ann.ask('GET', '/leads/count')).body, { number: 2 });
    const { status, body } = await ann.ask('GET', path({ lists: depots }));
    assert.deepEqual([status, body.error], [422, `Lists name ${depots}, which is no list that you may see.`]);
  });

  test('what is deleted is nowhere, and what is of another account does not exist', async () => {
    const list = await newList('Going');
    const gone = await newLead(list, { company_name: 'Gone' });
    const deleted = await newLead(depots, { company_name: 'Deleted' });
    assert.deepEqual(await ids(owner), [...leads, gone, deleted]);
    await owner('DELETE', `/leads/${deleted}`);
    const { body: found } = await owner('GET', `/lists/${list}`);
    assert.equal((await owner('DELETE', `/lists/${list}`, { list: { name: found.name } })).status, 204);
    assert.deepEqual(await ids(owner), leads);
    assert.equal((await owner('GET', path({ lists: list }))).status, 422);
    const other = await house.addAccount('Other', 'http://other.example.com');
    const { body: theirs } = await house.withKey(other.key)(
      'POST',
      '/lists',
      { list: { name: 'Theirs' } },
      { host: 'other.example.com' },
    );
    if (theirs?.id) assert.equal((await owner('GET', path({ lists: theirs.id }))).status, 422);
    assert.deepEqual(await ids(owner), leads);
  });

  test('what people type reaches the database as a value alone', async () => {
    const odd = await newLead(depots, { company_name: `a'b"c\\d%e_f,g:h`, title: `'); drop table leads; --` });
    for (const operator of ['is', 'contains', 'starts_with'] as const)
      assert.deepEqual(await ids(owner, { f: token('field.company_name', operator, `a'b"c\\d%e_f,g:h`) }), [odd]);
    assert.deepEqual(await ids(owner, { f: token('field.company_name', 'contains', 'd%e_') }), [odd]);
    assert.deepEqual(await ids(owner, { f: token('field.company_name', 'contains', 'd%%') }), []);
    assert.deepEqual(await ids(owner, { f: token('field.title', 'is', `'); drop table leads; --`) }), [odd]);
    await owner('DELETE', `/leads/${odd}`);
    for (const f of [
      token('attempts', 'at_most', '9'.repeat(30)),
      token('field.title', 'at_least', '-'.padEnd(30, '9')),
    ])
      assert.equal((await owner('GET', path({ f }))).status, 200, f);
  });

  test('times without a zone are the account’s, and a day lasts until the next begins', async () => {
    await house.pool.query(`update leads set created_at = '2026-03-08 04:59:59Z' where id = $1`, [leads[2]]);
    const on = (...days: string[]) => ids(owner, { f: token('created', 'between', ...days) });
    assert.deepEqual(await on('2026-03-07', '2026-03-07'), [leads[2]]);
    assert.deepEqual(await on('2026-03-08', '2026-03-08'), []);
    assert.deepEqual(await on('2026-03-07 23:59:59', '2026-03-07 23:59:59'), [leads[2]]);
    assert.deepEqual(await on('2026-03-08T04:59:59Z', '2026-03-08 05:59:59+01:00'), [leads[2]]);
  });

  test('while a change of fields is being worked off, values are found where they still are', async () => {
    await house.pool.query(`update lists set unsettled = true where id = $1`, [depots]);
    await house.pool.query(`update lead_data set hidden = data || hidden, data = '{}' where lead_id = $1`, [leads[1]]);
    assert.deepEqual(await ids(owner, { f: token('field.company_name', 'is', 'Beta') }), [leads[1]]);
    const { body } = await owner('GET', path({ lists: depots, order: '-field.company_name', fields: 'company_name' }));
    assert.deepEqual((body as LeadTable).leads[0]!.fields, { company_name: 'Beta' });
    await house.pool.query(`update lead_data set data = hidden, hidden = '{}' where lead_id = $1`, [leads[1]]);
    await house.pool.query(`update lists set unsettled = false where id = $1`, [depots]);
  });
});

describe('what is wrong is told in a sentence that names it', () => {
  const SENTENCES: [asked: Record<string, string | string[] | number>, sentence: string | RegExp][] = [
    [{ f: 'colour:is:red' }, /^Colour is nothing a filter knows; take one of state, category, .*, or field\.KEY\.$/],
    [{ f: 'state:new' }, 'F must be tokens such as state:is:new, and state:new is none.'],
    [{ f: 'state:is:old' }, 'State must be one of new, call_back, won, lost, archived.'],
    [{ f: 'state:contains:n' }, 'State cannot be asked with contains; take one of is, is_not, in.'],
    [{ f: 'state:is' }, 'State is takes one value.'],
    [{ f: 'category:is_set:x' }, 'Category is_set takes no value.'],
    [{ f: 'created:between:2026-01-01' }, 'Created between takes 2 values.'],
    [{ f: 'created:between:2026-01-02,2026-01-01' }, 'Created between takes the lower value first.'],
    [{ f: 'created:at_least:soon' }, /^Created must be a time such as 2026-12-01 09:30, or a day/],
    [{ f: 'attempts:at_least:1.5' }, 'Attempts must be a whole number.'],
    [{ f: 'duplicate:is:maybe' }, 'Duplicate must be yes or no.'],
    [{ f: 'claimed_by:is:nobody@example.com' }, /^claimed_by must be the id or e-mail of a user, and nobody@/],
    [{ f: 'field.e_mail:is:' }, /^field\.e_mail is takes no empty value/],
    [{ f: 'field.city:is:Ghent' }, /^field\.city is no field of these lists; it may have been removed or renamed/],
    [{ f: 'field.first_name:at_least:x' }, 'field.first_name must be a whole number.'],
    [
      { f: `field.first_name:in:${Array.from({ length: 1_000 }, (_, at) => at).join(',')}` },
      'field.first_name must have at most 100 values.',
    ],
    [{ f: `field.first_name:is:${'x'.repeat(501)}` }, 'field.first_name must have values of at most 500 characters.'],
    [{ f: Array.from({ length: 21 }, () => 'state:is:new') }, /must have at most 20 items|at most 20 times/],
    [{ order: 'colour' }, /^Order must be one of queue, created, updated, due, or field\.KEY/],
    [{ order: 'field.city' }, /^field\.city is no field of these lists/],
    [{ lists: '1,x' }, 'Lists must be ids, divided by commas.'],
    [{ after: 'nonsense' }, 'After must be taken from an answer in the same order.'],
    [{ before: 'cW10' }, 'Before must be taken from an answer in the same order.'],
    [{ after: 'x', at: 3 }, 'After cannot be asked together with before or at.'],
    [{ size: 201 }, 'Size must be at most 200.'],
  ];
  for (const [asked, sentence] of SENTENCES)
    test(JSON.stringify(asked).slice(0, 100), async () => {
      const { status, body } = await owner('GET', path(asked));
      assert.equal(status, 422, JSON.stringify(body));
      if (typeof sentence === 'string') assert.equal(body.error, sentence);
      else assert.match(body.error, sentence);
    });

  test('a mark of one order is none of another', async () => {
    const { body } = await owner('GET', path({ order: 'created', size: 1 }));
    assert.equal((await owner('GET', path({ order: 'created', after: body.after }))).status, 200);
    assert.equal((await owner('GET', path({ order: 'updated', after: body.after }))).status, 422);
  });
});
