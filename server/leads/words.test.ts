import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { fold } from '../../contract/fold.ts';
import { openHouse } from '../../test/house.ts';
import { serviceActor } from '../platform/actor.ts';
import { findLeadList } from './access.ts';
import { findLeadByNumber } from './by-number.ts';
import { loadLeads } from './load.ts';

const house = await openHouse();
const ask = house.withKey(house.key);

const list = (await ask('POST', '/lists', { list: { name: 'Search' } })).body.id as number;
const create = async (lead: Record<string, string>) =>
  (await ask('POST', `/lists/${list}/leads`, { lead })).body.id as number;
const search = async (query: string, more = '') => {
  const { status, body } = await ask('GET', `/leads/search?query=${encodeURIComponent(query)}${more}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as { total: number; leads: { id: number }[] };
};
const nextOf = (headers: Headers) => /<[^>]*\/api\/v2([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
const found = async (query: string) => (await search(query)).leads.map(({ id }) => id);

describe('search', () => {
  test('words in any order, whatever their case and accents, the last also as a prefix', async () => {
    const id = await create({ company_name: 'Café Ærøskøbing', first_name: 'Łukasz', last_name: 'Müller-Groß' });
    for (const query of [
      'cafe aeroskobing',
      'ÆRØSKØBING café',
      'łuk',
      'muller lukasz',
      'gross',
      'CAFE mul',
      'groß café',
    ])
      assert.deepEqual(await found(query), [id], query);
    for (const query of ['caf lukasz', 'cafe nobody', 'afe']) assert.deepEqual(await found(query), [], query);
  });

  test('other scripts', async () => {
    const id = await create({ company_name: 'Позже 电话' });
    for (const query of ['Позже', 'позж', '电话', 'dianhua pozzhe']) assert.deepEqual(await found(query), [id], query);
  });

  test('operators and quotes are plain text', async () => {
    const id = await create({ company_name: "O'Brien & Sons | (Ltd) !x: *" });
    for (const query of ["o'brien & sons", 'sons | ltd', '!x', '"brien ltd"', "brien:*'); --", '(((sons']) {
      assert.deepEqual(await found(query), [id], query);
    }
    assert.deepEqual(await search('!!! & | ()'), { total: 0, leads: [] });
  });

  test('phone numbers by their digits: international, national with or without the trunk zero, the last seven or more', async () => {
    const id = await create({ mobile_phone: '+44 20 7946 0958' });
    const asked = [
      '+442079460958',
      '+44 (0)20 7946 0958',
      '0044 20 7946 0958',
      '442079460958',
      '020 7946 0958',
      '(020) 7946-0958',
      '2079460958',
      '79460958',
      '946 0958',
      '+44 20 79',
    ];
    for (const query of asked) assert.deepEqual(await found(query), [id], query);
    for (const query of ['460958', '20794609581', '+45 20 7946 0958']) assert.deepEqual(await found(query), [], query);
    const local = await create({ work_office_phone: '(415) 555-0132' });
    for (const query of ['4155550132', '+1 415 555 0132', '5550132', '415 555 0132'])
      assert.deepEqual(await found(query), [local], query);
  });

  test('whoever calls is found however their number is written', async () => {
    for (const [number, written] of [
      ['+12125553311', '001 (212) 555 33-11 ext. 20'],
      ['+12125553322', '+1.212.555.3322'],
    ] as const) {
      const id = await create({ mobile_phone: written });
      assert.equal((await findLeadByNumber(house, house.account.id, number))?.id, id, written);
    }
  });

  test('what was said about a lead finds it too, together with its data, at once', async () => {
    const id = await create({ first_name: 'Zebedee' });
    await ask('POST', `/leads/${id}/call_back`, { lead: { comment: 'Wants a trampoline on 79460111' } });
    for (const query of ['trampoline', 'zebedee trampoline', 'trampo', '7946 0111'])
      assert.deepEqual(await found(query), [id], query);
    await ask('PATCH', `/leads/${id}`, { lead: { first_name: 'Florence' } });
    assert.deepEqual([await found('zebedee'), await found('florence trampoline')], [[], [id]]);
  });

  test('the best match comes first: in the data before what was said, a whole word before the beginning of one', async () => {
    const said = await create({ first_name: 'Quiet' });
    await ask('POST', `/leads/${said}/winner`, { lead: { comment: 'xylophone' } });
    const beginning = await create({ first_name: 'Xylophonetta' });
    const whole = await create({ first_name: 'Xylophone' });
    assert.deepEqual(await found('xylophone'), [whole, beginning, said]);
  });

  test('Link walks through all hits, and the total is exact', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 7; count += 1) ids.push(await create({ title: count % 2 ? 'Walrus' : 'Walruses' }));
    const seen: number[] = [];
    let next: string | undefined = '/leads/search?query=walrus&per_page=3';
    while (next) {
      const { body, headers } = await ask('GET', next);
      assert.equal(body.total, 7);
      seen.push(...body.leads.map(({ id }: { id: number }) => id));
      next = nextOf(headers);
    }
    assert.deepEqual([seen.length, seen.toSorted((a, b) => a - b)], [7, ids]);
  });

  test('Link walks through all hits once when they become more than are ranked meanwhile, or fewer', async () => {
    const actor = serviceActor(house.account, 'test');
    for (const [word, before, change] of [
      ['Gnu', 1_001, 'remove'],
      ['Yak', 999, 'add'],
    ] as const) {
      const rows = Array.from({ length: before }, (_, index) => ({ title: index % 2 ? word : `${word}s` }));
      const ids = await house.transact(async (work) =>
        loadLeads(work, actor, await findLeadList(work, actor, list, 'leads.write'), rows),
      );
      const seen: number[] = [];
      let next: string | undefined = `/leads/search?query=${word}&per_page=400`;
      while (next) {
        const { body, headers } = await ask('GET', next);
        if (seen.length === 0 && change === 'add')
          for (let more = 0; more < 3; more += 1) await create({ title: word });
        seen.push(...body.leads.map(({ id }: { id: number }) => id));
        if (seen.length === 400 && change === 'remove')
          await house.pool.query('delete from leads where id = any ($1::bigint[])', [seen.slice(0, 3)]);
        next = nextOf(headers);
      }
      assert.deepEqual(
        seen.toSorted((a, b) => a - b),
        ids,
        `${change} some`,
      );
    }
  });

  test('list_ids scope it; lists that do not exist match nothing', async () => {
    const id = await create({ title: 'Ocelot' });
    const hits = async (ids: string) => (await search('ocelot', `&list_ids=${ids}`)).leads.map((lead) => lead.id);
    assert.deepEqual(
      [await hits(String(list)), await hits(`999999,${list}`), await hits('999999'), await hits('x')],
      [[id], [id], [], []],
    );
  });

  test('agents find leads of the lists they work and those they hold', async () => {
    const [free, held] = [await create({ title: 'Pangolin' }), await create({ title: 'Pangolin' })];
    const agent = await house.join({ email: 'agent@example.com' });
    const theirs = async () =>
      (await house.withKey(agent.key)('GET', '/leads/search?query=pangolin')).body.leads.map(
        ({ id }: { id: number }) => id,
      );
    assert.deepEqual(await theirs(), []);
    await ask('PATCH', `/leads/${held}/delegate`, { lead: { delegate_to: agent.id } });
    assert.deepEqual(await theirs(), [held]);
    await house.pool.query('insert into list_people values ($1, $2, $3)', [house.account.id, list, agent.id]);
    assert.deepEqual(await theirs(), [held, free]);
  });

  test('any text can be stored and asked for', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const { status } = await ask('POST', `/lists/${list}/leads`, { lead: { company_name: given } });
        if (given.includes('\0')) return assert.equal(status, 422);
        assert.equal(status, 201);
        if (given !== '') assert.ok((await search(given)).total >= (fold(given) === '' ? 0 : 1), given);
      }),
      { numRuns: 100, seed: 4711 },
    );
  });

  test('after a comment was reworded, a lead about which much was said is still found by what was said first', async () => {
    const agent = await house.join({ email: 'talks@example.com', listing_ids: [list] });
    const id = await create({ first_name: 'Florian' });
    const say = (comment: string) => agent.ask('POST', `/leads/${id}/comments`, { comment });
    assert.equal((await say('Wants a zeppelin')).status, 201);
    await house.pool.query(
      `insert into events (account_id, lead_id, list_id, kind, comment, via)
       select account_id, lead_id, list_id, kind, repeat('word ', 2000) || 'late', via
         from events, generate_series(1, 150) where lead_id = $1 and comment <> ''`,
      [id],
    );
    const { body } = await say('Wants a balloon');
    assert.equal((await agent.ask('PATCH', `/comments/${body.id}`, { comment: 'Wants a kite' })).status, 204);
    assert.deepEqual([await found('zeppelin'), await found('late')], [[id], [id]]);
  });

  test('a lead with more words than can be searched is stored all the same', async () => {
    const columns_attributes = Array.from({ length: 60 }, (_, index) => ({ label: `Field ${index}`, kind: 'text' }));
    const wide = (await ask('POST', '/lists', { list: { name: 'Wide', columns_attributes } })).body.id as number;
    const words = (field: number) =>
      Array.from({ length: 1_000 }, (_, word) => `w${field}x${word}`)
        .join(' ')
        .slice(0, 10_000);
    const lead = Object.fromEntries(columns_attributes.map((_, field) => [`field_${field}`, words(field)]));
    const { status, body } = await ask('POST', `/lists/${wide}/leads`, { lead });
    assert.equal(status, 201);
    assert.equal((await search('w0x1')).total, 1);
    for (let field = 0; field < 12; field += 1) {
      const { status: told } = await ask('POST', `/leads/${body.id}/archive`, {
        lead: { comment: words(100 + field) },
      });
      assert.equal(told, 204);
    }
  });
});
