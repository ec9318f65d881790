import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { addNeighbour, blame, idsOf, LEAD_KEYS, keysOf, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);

describe('GET /api/v2/lists/:id/leads/find', async () => {
  const list = await addList({
    columns_attributes: [
      { label: 'Name' },
      { label: 'City' },
      { label: 'Signed', kind: 'date' },
      { label: 'Count', kind: 'integer' },
      { label: 'Agreed', kind: 'boolean' },
    ],
  });
  const other = await addList({ columns_attributes: [{ label: 'Name' }, { label: 'City' }] });
  const ann = await addLead(list, { name: 'Ann', city: 'Oslo', signed: '2026-01-31', count: 5, agreed: true });
  const bob = await addLead(list, { name: 'Bob', city: 'Oslo', signed: '2026-01-31 14:30:00' });
  const cat = await addLead(list, { name: 'Ann & Cat = 100% "x"', city: 'Bergen' });
  await addLead(other, { name: 'Ann', city: 'Oslo' });

  const find = (query: string) => ask('GET', `/lists/${list.id}/leads/find?${query}`);
  const found = async (query: string) => {
    const { status, body } = await find(query);
    assert.equal(status, 200, JSON.stringify(body));
    return idsOf(body);
  };

  test('returns a bare array of Leads, newest first, of that list only', async () => {
    const { body } = await find('city=Oslo');
    assert.deepEqual(idsOf(body), [bob.id, ann.id]);
    const { events: _, ...row } = await readLead(ann);
    assert.deepEqual(body[1], row);
  });

  test('by default all conditions must match; matchall=false combines with OR', async () => {
    assert.deepEqual(await found('city=Oslo&name=Ann'), [ann.id]);
    assert.deepEqual(await found('city=Bergen&name=Ann'), []);
    for (const value of ['true', '1']) assert.deepEqual(await found(`city=Bergen&name=Ann&matchall=${value}`), []);
    for (const value of ['false', '0'])
      assert.deepEqual(await found(`city=Bergen&name=Ann&matchall=${value}`), [cat.id, ann.id]);
  });

  test('exact, case-sensitive, whole value', async () => {
    for (const name of ['ann', 'An', 'Ann%20', 'Ann%25', 'A_n', 'Annn'])
      assert.deepEqual(await found(`name=${name}`), [], name);
    assert.deepEqual(await found(`name=${encodeURIComponent('Ann & Cat = 100% "x"')}`), [cat.id]);
  });

  test('a key repeated: any of its values', async () => {
    assert.deepEqual(await found('name=Ann&name=Bob'), [bob.id, ann.id]);
    assert.deepEqual(await found('name=Ann&name=Bob&signed=2026-01-31'), [ann.id]);
  });

  test('a value is read like a stored one of that kind', async () => {
    for (const query of ['signed=2026-01-31', 'signed=2026-01-31+00:00:00', 'signed=2026-01-31T00:00:00Z'])
      assert.deepEqual(await found(query), [ann.id], query);
    assert.deepEqual(await found('signed=2026-01-31T16:30:00%2B02:00'), [bob.id]);
    assert.deepEqual([await found('count=5'), await found('agreed=true')], [[ann.id], [ann.id]]);
  });

  test('a stray percent sign leaves the rest as it is', async () => {
    const cafe = await addLead(list, { name: 'Café 100%' });
    assert.deepEqual(await found('name=Caf%C3%A9%20100%25'), [cafe.id]);
    assert.deepEqual(await found('name=Caf%C3%A9+100%'), [cafe.id]);
  });

  test('a key that is no column: 422 naming it', async () => {
    assert.deepEqual(blame(await find('name=Ann&hat=red')), [422, ['hat']]);
    assert.deepEqual(blame(await find('hat=red&shoe=43')), [422, ['hat', 'shoe']]);
    for (const key of ['state', 'id', 'toString', "name'", 'name[]'])
      assert.equal((await find(`${key}=x`)).status, 422, key);
  });

  test('__proto__ is no column: 422 naming it', async () => {
    assert.deepEqual(blame(await find('__proto__=x')), [422, ['__proto__']]);
  });

  test('a column whose key every object has is a column like any other', async () => {
    const natural = await addList({ columns_attributes: [{ label: 'Constructor' }] });
    const lead = await addLead(natural, { constructor: 'x' });
    const path = `/lists/${natural.id}/leads/find?constructor=`;
    assert.deepEqual(idsOf((await ask('GET', `${path}x`)).body), [lead.id]);
    assert.deepEqual(blame(await ask('GET', path)), [422, ['constructor']]);
  });

  test('more than 50 conditions, each value of a key counted: 422; more than 1,000 lists in a search, too', async () => {
    const { id } = await addList();
    const values = (count: number) => Array.from({ length: count }, (_, index) => `e_mail=${index}`).join('&');
    assert.equal((await ask('GET', `/lists/${id}/leads/find?title=x&${values(49)}`)).status, 200);
    for (const path of [`/lists/${id}/leads/find?title=x&${values(50)}`, `/lists/${id}/leads/find?${values(700)}`])
      assert.deepEqual((await ask('GET', path)).body.errors, {
        conditions: ['must be at most 50, each value of a key counted'],
      });
    const ids = '1,'.repeat(1_000);
    assert.equal((await ask('GET', `/leads/search?query=x&list_ids=${ids.slice(0, -1)}`)).status, 200);
    assert.equal((await ask('GET', `/leads/search?query=x&list_ids=${ids}1`)).status, 422);
  });

  test('no condition, or an empty value: 422', async () => {
    assert.equal((await find('')).status, 422);
    assert.equal((await find('matchall=false')).status, 422);
    assert.equal((await find('page=1&per_page=10')).status, 422);
    assert.deepEqual(blame(await find('name=')), [422, ['name']]);
    assert.deepEqual(blame(await find('city=Oslo&name=Ann&name=')), [422, ['name']]);
  });

  test('matchall that is no boolean, or a value unreadable for its kind: 422 naming it', async () => {
    assert.deepEqual(blame(await find('name=Ann&matchall=perhaps')), [422, ['matchall']]);
    assert.deepEqual(blame(await find('signed=yesterday')), [422, ['signed']]);
    assert.deepEqual(blame(await find('count=many')), [422, ['count']]);
  });

  test('a value that cannot be stored is 422 naming it', async () => {
    assert.deepEqual(blame(await find('name=a%00b')), [422, ['name']]);
  });

  test('sees a change at once; what was before is found no longer', async () => {
    const lead = await addLead(list, { name: 'Before' });
    await ask('PATCH', `/leads/${lead.id}`, { lead: { name: 'After' } });
    assert.deepEqual([await found('name=Before'), await found('name=After')], [[], [lead.id]]);
  });

  test('hidden values are not found', async () => {
    const lead = await addLead(list, { name: 'Hatter', hat: 'red' });
    assert.deepEqual(blame(await find('hat=red')), [422, ['hat']]);
    assert.deepEqual(await found('name=Hatter'), [lead.id]);
  });
});

describe('GET /api/v2/leads/search', async () => {
  const list = await addList({
    columns_attributes: [{ label: 'Name' }, { label: 'Notes', kind: 'text' }, { label: 'Tel', kind: 'phone' }],
    winner_categories: 'Sale',
  });
  const search = async (query: string, more = '') => {
    const { status, body } = await ask('GET', `/leads/search?query=${encodeURIComponent(query)}${more}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(keysOf(body), ['leads', 'total']);
    return body;
  };
  const found = async (query: string, more = '') => idsOf((await search(query, more)).leads);

  test('returns total and leads; items are full Leads', async () => {
    const lead = await addLead(list, { name: 'Zebra Crossing' });
    const { total, leads } = await search('zebra');
    const { events: _, ...row } = await readLead(lead);
    assert.deepEqual([total, leads], [1, [row]]);
    assert.deepEqual(keysOf(leads[0]), LEAD_KEYS);
    assert.deepEqual(await search('nothing like it'), { total: 0, leads: [] });
  });

  test('words in any order, all of them, case- and accent-insensitive', async () => {
    const lead = await addLead(list, { name: 'Žofie Ångström-Straße', notes: 'Lives in São Paulo' });
    for (const query of [
      'ŽOFIE',
      'zofie',
      'angstrom',
      'ångström',
      'STRASSE',
      'paulo sao',
      'Straße zofie',
      'lives paulo zofie',
    ])
      assert.deepEqual(await found(query), [lead.id], query);
    assert.deepEqual(await found('zofie london'), []);
  });

  test('other alphabets', async () => {
    const lead = await addLead(list, { name: 'Владимир Позже' });
    for (const query of ['владимир', 'ПОЗЖЕ', 'vladimir']) assert.deepEqual(await found(query), [lead.id], query);
  });

  test('the last word also as a prefix, the others only whole', async () => {
    const lead = await addLead(list, { name: 'Quentin Quibble' });
    for (const query of ['quent', 'quentin qui', 'quibble q']) assert.deepEqual(await found(query), [lead.id], query);
    assert.deepEqual(await found('quent quibble'), []);
    assert.deepEqual(await found('uentin'), []);
  });

  test('an e-mail address and its parts', async () => {
    const lead = await addLead(list, { notes: 'pelle.svan@firma-nord.example' });
    for (const query of ['pelle.svan@firma-nord.example', 'svan', 'firma-nord', 'nord pelle'])
      assert.deepEqual(await found(query), [lead.id], query);
  });

  test('phone numbers by their digits: international, national with or without the trunk zero, the last seven or more', async () => {
    const lead = await addLead(list, { name: 'Telephone', tel: '+44 20 7946 0958' });
    for (const query of [
      '+44 20 7946 0958',
      '+442079460958',
      '0044 20 7946 0958',
      '442079460958',
      '020 7946 0958',
      '02079460958',
      '2079460958',
      '(020) 7946-0958',
      '79460958',
      '9460958',
      'telephone 020 7946 0958',
    ])
      assert.deepEqual(await found(query), [lead.id], query);
    for (const query of ['+44 20 7946 0959', '+45 20 7946 0958']) assert.deepEqual(await found(query), [], query);
  });

  test('a number of the account’s country, and one within a text', async () => {
    const [phone, text] = [
      await addLead(list, { tel: '(212) 736-5000' }),
      await addLead(list, { notes: 'Call the office at +45 33 11 22 44 after lunch' }),
    ];
    for (const query of ['212 736 5000', '+12127365000', '7365000'])
      assert.deepEqual(await found(query), [phone.id], query);
    for (const query of ['+4533112244', '33 11 22 44', 'lunch 33112244'])
      assert.deepEqual(await found(query), [text.id], query);
  });

  test('dates and other numbers by what is written', async () => {
    const dated = await addList({ columns_attributes: [{ label: 'Signed', kind: 'date' }, { label: 'Order no' }] });
    const lead = await addLead(dated, { signed: '2019-03-27', order_no: 'A-1234567/89' });
    for (const query of ['2019-03-27', 'A-1234567/89', '1234567', '89 1234567'])
      assert.deepEqual(await found(query, `&list_ids=${dated.id}`), [lead.id], query);
  });

  test('over the texts of the activity log', async () => {
    const lead = await addLead(list, { name: 'Silent' });
    await ask('POST', `/leads/${lead.id}/call_back`, { lead: { comment: 'Wants a Flügelhorn on Tuesday' } });
    await ask('POST', `/leads/${lead.id}/loser`, { lead: { comment: 'Bought a xylophone' } });
    for (const query of ['flugelhorn', 'xylo', 'tuesday xylophone', 'silent flügelhorn'])
      assert.deepEqual(await found(query), [lead.id], query);
  });

  test('what was said goes along when the lead is moved or changed', async () => {
    const lead = await addLead(list, { name: 'Mover' });
    await ask('POST', `/leads/${lead.id}/winner`, { lead: { comment: 'Theremin' } });
    const to = await addList();
    await ask('PATCH', `/leads/${lead.id}/migrate`, { lead: { to_list_id: to.id } });
    await ask('PATCH', `/leads/${lead.id}`, { lead: { company_name: 'Moved' } });
    assert.deepEqual(await found('theremin', `&list_ids=${to.id}`), [lead.id]);
    assert.deepEqual(await found('theremin moved'), [lead.id]);
  });

  test('sees a change at once; what was before is found no longer', async () => {
    const lead = await addLead(list, { name: 'Bassoonist' });
    await ask('PATCH', `/leads/${lead.id}`, { lead: { name: 'Oboist' } });
    assert.deepEqual([await found('bassoonist'), await found('oboist')], [[], [lead.id]]);
  });

  test('list_ids scope the search; unknown and another account’s lists match nothing', async () => {
    const { ask: theirs } = await addNeighbour(house);
    const foreign = await stepsOf(theirs).addList();
    const outside = await stepsOf(theirs).addLead(foreign, { company_name: 'Marimba' });
    const [first, second, third] = [await addList(), await addList(), await addList()];
    const [a, b, c] = [
      await addLead(first, { company_name: 'Marimba' }),
      await addLead(second, { company_name: 'Marimba' }),
      await addLead(third, { company_name: 'Marimba' }),
    ];
    assert.deepEqual(await found('marimba'), [c.id, b.id, a.id]);
    assert.deepEqual(await found('marimba', `&list_ids=${first.id}`), [a.id]);
    assert.deepEqual(await found('marimba', `&list_ids=${first.id},${third.id}`), [c.id, a.id]);
    assert.deepEqual(await found('marimba', `&list_ids[0]=${first.id}&list_ids[1]=${third.id}`), [c.id, a.id]);
    assert.deepEqual(await found('marimba', `&list_ids=${first.id}, ${third.id}`), [c.id, a.id]);
    assert.deepEqual(await found('marimba', `&list_ids=${foreign.id},999999,x`), []);
    assert.deepEqual(await found('marimba', `&list_ids=${foreign.id},${second.id}`), [b.id]);
    const { body } = await theirs('GET', '/leads/search?query=marimba');
    assert.deepEqual(idsOf(body.leads), [outside.id]);
  });

  test('best match first: a whole word before the beginning of one', async () => {
    const whole = await addLead(list, { name: 'Cello' });
    const begun = await addLead(list, { name: 'Cellophane' });
    assert.deepEqual(await found('cello'), [whole.id, begun.id]);
  });

  test('total is exact on every page', async () => {
    const ids: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) ids.unshift((await addLead(list, { name: 'Ukulele' })).id);
    const { total, leads } = await search('ukulele', '&per_page=2&page=3');
    assert.deepEqual([total, idsOf(leads)], [5, ids.slice(4)]);
  });

  test('missing or empty query: 422 naming it', async () => {
    for (const path of ['/leads/search', '/leads/search?query=', '/leads/search?list_ids=1'])
      assert.deepEqual(blame(await ask('GET', path)), [422, ['query']], path);
  });

  test('any operators or quotes are plain text', async () => {
    const lead = await addLead(list, { name: "O'Harpsichord & Sons (Ltd)" });
    for (const query of [
      '"harpsichord"',
      "o'harpsichord",
      'harpsichord & sons',
      'harpsichord | sons',
      '!harpsichord',
      'harpsichord:*',
      '(harpsichord',
      'sons <-> harpsichord',
      '-harpsichord',
      "harpsichord'; --",
      'harpsichord \\',
    ])
      assert.deepEqual(await found(query), [lead.id], query);
    assert.deepEqual(blame(await ask('GET', '/leads/search?query=a%00b')), [422, ['query']]);
    for (const query of ['&', '!!', '" "', ':*', "'", '\\', '%'])
      assert.deepEqual(await search(query), { total: 0, leads: [] }, query);
  });
});
