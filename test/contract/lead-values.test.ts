import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { blame, keysOf, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);

const person = { columns_attributes: [{ label: 'Name' }, { label: 'City' }, { label: 'Phone', kind: 'phone' }] };
const kinds = {
  columns_attributes: [
    { label: 'Plain' },
    { label: 'Count', kind: 'integer' },
    { label: 'Agreed', kind: 'boolean' },
    { label: 'Signed', kind: 'date' },
    { label: 'Size', kind: 'options', options: ['Small', 'Large'] },
    { label: 'Open', kind: 'options' },
    { label: 'Mail', kind: 'email' },
    { label: 'Site', kind: 'url' },
    { label: 'Tel', kind: 'phone' },
    { label: 'Notes', kind: 'text' },
  ],
};
const change = (lead: { id: number }, values: Record<string, unknown>) =>
  ask('PATCH', `/leads/${lead.id}`, { lead: values });
const countOf = async (list: { id: number }) => (await ask('GET', `/lists/${list.id}`)).body.leads_count;

describe('Values', () => {
  const stored = async (values: Record<string, unknown>) => (await addLead(await addList(kinds), values)).lead_data;
  const blank = {
    plain: '',
    count: '',
    agreed: '',
    signed: '',
    size: '',
    open: '',
    mail: '',
    site: '',
    tel: '',
    notes: '',
  };

  test('numbers and booleans are written as text', async () => {
    assert.deepEqual(await stored({ plain: 12.5, count: 42, agreed: true, notes: false }), {
      ...blank,
      plain: '12.5',
      count: '42',
      agreed: 'true',
      notes: 'false',
    });
  });

  test('strings come back as they were given', async () => {
    const notes = ' Æble 电话 \u{1f600}\n"quoted" \\ <b>&amp; \u2028 ';
    assert.deepEqual(await stored({ notes, plain: '  padded ' }), { ...blank, notes, plain: '  padded ' });
  });

  test('date: YYYY-MM-DD HH:MM:SS; a bare date gets 00:00:00; ISO 8601 is turned to UTC', async () => {
    const cases = {
      '2026-01-31 14:30:00': '2026-01-31 14:30:00',
      '2026-01-31': '2026-01-31 00:00:00',
      '2026-01-31T14:30:00Z': '2026-01-31 14:30:00',
      '2026-01-31T14:30:00.123Z': '2026-01-31 14:30:00',
      '2026-01-31T14:30:00+02:00': '2026-01-31 12:30:00',
      '2026-12-31T23:30:00-01:00': '2027-01-01 00:30:00',
      '2026-01-31 14:30:00 UTC': '2026-01-31 14:30:00',
    };
    for (const [given, told] of Object.entries(cases))
      assert.equal((await stored({ signed: given })).signed, told, given);
  });

  test('boolean: true or false; integer: digits; options: one of them when any are defined', async () => {
    const { agreed, count, size, open } = await stored({
      agreed: 'false',
      count: '7',
      size: 'Large',
      open: 'Anything',
    });
    assert.deepEqual([agreed, count, size, open], ['false', '7', 'Large', 'Anything']);
  });

  test('email, url and phone are stored as given: people’s lists are dirty', async () => {
    const { mail, site, tel } = await stored({ mail: 'not an address', site: 'none', tel: 'ask Bob' });
    assert.deepEqual([mail, site, tel], ['not an address', 'none', 'ask Bob']);
  });

  test('unreadable for integer, boolean, date or options: 422 naming the key, and nothing is stored', async () => {
    const list = await addList(kinds);
    const cases: [string, unknown][] = [
      ['count', 'many'],
      ['count', '1.5'],
      ['count', 1.5],
      ['count', true],
      ['agreed', 'yes'],
      ['agreed', 5],
      ['signed', 'tomorrow'],
      ['signed', '2026-02-30'],
      ['signed', '31.01.2026'],
      ['signed', '2026-01-31 25:00:00'],
      ['size', 'small'],
      ['size', 'Medium'],
    ];
    const lead = await addLead(list, { plain: 'kept' });
    for (const [key, value] of cases) {
      const values = { plain: 'changed', [key]: value };
      const created = await ask('POST', `/lists/${list.id}/leads`, { lead: values });
      assert.deepEqual(blame(created), [422, [key]], `${key} ${String(value)}`);
      assert.deepEqual(blame(await change(lead, values)), [422, [key]], `${key} ${String(value)}`);
    }
    assert.equal(await countOf(list), 1);
    assert.deepEqual(await readLead(lead), lead);
  });

  test('arrays, objects and U+0000 are 422 naming the key', async () => {
    const list = await addList(kinds);
    for (const value of [['a'], [], { a: 1 }, {}, 'a\0b']) {
      const { status, body } = await ask('POST', `/lists/${list.id}/leads`, { lead: { plain: value } });
      assert.deepEqual([status, keysOf(body.errors)[0]?.split('.')[0]], [422, 'plain'], JSON.stringify(value));
    }
    assert.equal(await countOf(list), 0);
  });

  test('the longest value has 10,000 characters', async () => {
    const list = await addList(kinds);
    const longest = '\u{1f600}'.repeat(10_000);
    assert.equal((await addLead(list, { notes: longest })).lead_data.notes, longest);
    const answer = await ask('POST', `/lists/${list.id}/leads`, { lead: { notes: 'x'.repeat(10_001) } });
    assert.deepEqual(blame(answer), [422, ['notes']]);
  });

  test('several faults are told at once', async () => {
    const list = await addList(kinds);
    const answer = await ask('POST', `/lists/${list.id}/leads`, { lead: { count: 'x', agreed: 'x', plain: 'x' } });
    assert.deepEqual(blame(answer), [422, ['agreed', 'count']]);
    assert.match(answer.body.error, /count.*agreed|agreed.*count/i);
  });
});

describe('Unknown lead keys', () => {
  test('a lead says at most 1,000,000 characters, and has 500 hidden values of 100,000 characters', async () => {
    const columns_attributes = Array.from({ length: 110 }, (_, index) => ({ label: `C${index}` }));
    const wide = await addList({ columns_attributes });
    const texts = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`c${from + index}`, 'x'.repeat(9_990)]));
    const lead = await addLead(wide, texts(0, 90));
    const { status, body } = await change(lead, texts(90, 105));
    assert.deepEqual([status, body.errors], [422, { lead: ['must have at most 1,000,000 characters'] }]);
    assert.equal((await change(lead, texts(90, 95))).status, 204);
    const keys = (count: number, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`hidden${index}`, text]));
    assert.equal((await change(lead, { c0: 'x', ...keys(500, 'x') })).status, 204);
    assert.equal((await change(lead, { c0: 'x', one_more: 'x' })).status, 422);
    assert.equal((await change(lead, { c0: 'x', ...keys(11, 'x'.repeat(9_500)) })).status, 422);
  });

  test('are kept hidden, named in X-Unknown-Fields, and appear where there is such a column', async () => {
    const list = await addList(person);
    const { status, headers, body } = await ask('POST', `/lists/${list.id}/leads`, {
      lead: { name: 'Ann', shoe_size: '43', hat: 'red' },
    });
    assert.deepEqual([status, headers.get('x-unknown-fields')], [201, 'shoe_size, hat']);
    assert.deepEqual(body.lead_data, { name: 'Ann', city: '', phone: '' });
    const changed = await change(body, { name: 'Bob', hat: 'blue' });
    assert.deepEqual([changed.status, changed.headers.get('x-unknown-fields')], [204, 'hat']);
    const wardrobe = await addList({ columns_attributes: [{ label: 'Hat' }, { label: 'Shoe size' }] });
    await ask('PATCH', `/leads/${body.id}/migrate`, { lead: { to_list_id: wardrobe.id } });
    assert.deepEqual((await readLead(body)).lead_data, { hat: 'blue', shoe_size: '43' });
  });

  test('are named in 4,000 characters at most, none of them in part', async () => {
    const list = await addList(person);
    const keys = Array.from({ length: 90 }, (_, place) => `größe ${'é'.repeat(20)} ${place}`);
    const lead = { name: 'Ann', ...Object.fromEntries(keys.map((key) => [key, 'x'])) };
    const { headers } = await ask('POST', `/lists/${list.id}/leads`, { lead });
    const named = headers.get('x-unknown-fields')!.split(', ').map(decodeURIComponent);
    assert.ok(named.length > 20 && named.length < keys.length);
    assert.deepEqual(named, keys.slice(0, named.length));
  });

  test('an answer without any has no X-Unknown-Fields', async () => {
    const list = await addList(person);
    const { headers } = await ask('POST', `/lists/${list.id}/leads`, { lead: { name: 'Ann' } });
    assert.equal(headers.get('x-unknown-fields'), null);
  });

  test('in any alphabet; a value that is none is refused for them too', async () => {
    const list = await addList(person);
    const create = (lead: object) => ask('POST', `/lists/${list.id}/leads`, { lead });
    const { status, headers } = await create({ name: 'Ann', Įmonė: 'x', '电话\n': 'y' });
    assert.equal(status, 201);
    assert.ok(headers.get('x-unknown-fields'));
    assert.deepEqual(blame(await create({ name: 'Ann', hat: ['red'] })), [422, ['hat']]);
    assert.equal(await countOf(list), 1);
  });

  test('when keys were given and none is known: 422 naming them, and nothing is stored', async () => {
    const list = await addList(person);
    const create = await ask('POST', `/lists/${list.id}/leads`, { lead: { shoe_size: '43', hat: 'red' } });
    assert.deepEqual(blame(create), [422, ['hat', 'shoe_size']]);
    assert.equal(await countOf(list), 0);
    const lead = await addLead(list, { name: 'Ann' });
    assert.deepEqual(blame(await change(lead, { hat: 'red' })), [422, ['hat']]);
    assert.deepEqual(await readLead(lead), lead);
  });

  test('never assign anything: state, id, claimed_by, created_at, list_id are just unknown keys', async () => {
    const list = await addList(person);
    const sly = { id: 1, state: 'won', claimed_by: 'owner@example.com', created_at: '2020-01-01', list_id: 1 };
    const { body, headers } = await ask('POST', `/lists/${list.id}/leads`, { lead: { name: 'Ann', ...sly } });
    assert.equal(headers.get('x-unknown-fields'), 'id, state, claimed_by, created_at, list_id');
    assert.notEqual(body.id, 1);
    assert.deepEqual([body.state, body.claimed_by, body.list_location], ['new', null, list.location]);
    assert.notEqual(body.created_at.slice(0, 4), '2020');
    assert.equal((await change(body, { name: 'Bob', state: 'lost', claimed_by: 'x' })).status, 204);
    const { state, claimed_by } = await readLead(body);
    assert.deepEqual([state, claimed_by], ['new', null]);
  });

  test('keys that every object has are keys like any other', async () => {
    const list = await addList(person);
    const create = (lead: string) => ask('POST', `/lists/${list.id}/leads`, `{"lead":${lead}}`);
    const made = await create('{"name":"Ann","__proto__":"x","constructor":"y","toString":"z"}');
    assert.deepEqual([made.status, made.headers.get('x-unknown-fields')], [201, '__proto__, constructor, toString']);
    assert.deepEqual(made.body.lead_data, { name: 'Ann', city: '', phone: '' });
    assert.deepEqual(blame(await create('{"__proto__":"x"}')), [422, ['__proto__']]);
    assert.deepEqual(blame(await create('{"name":"Ann","constructor":["y"]}')), [422, ['constructor']]);
  });

  test('an array under __proto__ is refused as under any other', async () => {
    const list = await addList(person);
    const answer = await ask('POST', `/lists/${list.id}/leads`, '{"lead":{"name":"Ann","__proto__":["x"]}}');
    assert.deepEqual(blame(answer), [422, ['__proto__']]);
    assert.equal(await countOf(list), 0);
  });
});
