import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';
import { findLeadList } from './access.ts';
import { loadLeads } from './load.ts';
import { serviceActor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { asIs } from '../../test/database.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
await query(house.db, asIs(`update accounts set country = 'DK'`), []);

const newList = async (more: Record<string, unknown> = {}) =>
  (await ask('POST', '/lists', { list: { name: 'Duplicates', ...more } })).body.id as number;
const create = async (list: number, lead: Record<string, string>) =>
  (await ask('POST', `/lists/${list}/leads`, { lead })).body.id as number;
const detected = async (id: number) => (await ask('GET', `/leads/${id}`)).body.detected_duplicates as number[];

type Told = { id: number; detected_duplicates: number[]; ignored_duplicates: number[] };

/** So many leads of the same values. */
const fill = (list: number, count: number, lead: Record<string, string>) =>
  house.transact(async (work) => {
    const actor = serviceActor(house.account, 'test');
    const found = await findLeadList(work, actor, list, 'leads.write');
    return loadLeads(
      work,
      actor,
      found,
      Array.from({ length: count }, () => lead),
    );
  });

describe('duplicates', () => {
  test('the same phone number, however it is written, in any phone column of any list, both ways round', async () => {
    const [list, other] = [await newList(), await newList()];
    const first = await create(list, { mobile_phone: '+45 33 11 22 33' });
    const second = await create(other, { work_office_phone: '33112233' });
    const third = await create(list, { mobile_phone: '0045 33-11-22-33' });
    assert.deepEqual(await detected(first), [second, third]);
    assert.deepEqual(await detected(second), [first, third]);
    assert.deepEqual(await detected(third), [first, second]);
    const { body } = await ask('GET', `/lists/${list}/leads`);
    assert.deepEqual(
      body.map((lead: { detected_duplicates: number[] }) => lead.detected_duplicates),
      [
        [first, second],
        [second, third],
      ],
    );
  });

  test('the same e-mail, whatever its case', async () => {
    const list = await newList();
    const first = await create(list, { e_mail: 'Bo@Example.com ' });
    const second = await create(list, { e_mail: 'bo@example.com' });
    assert.deepEqual([await detected(first), await detected(second)], [[second], [first]]);
  });

  test('the chosen column, by its key or its label; a name that is no column matches nothing', async () => {
    const [byLabel, byKey] = [
      await newList({ duplicates_match_on: 'Company name' }),
      await newList({ duplicates_match_on: 'company_name' }),
    ];
    const none = await newList({ duplicates_match_on: 'Colour' });
    const first = await create(byLabel, { company_name: 'Acme' });
    const second = await create(byKey, { company_name: 'Acme' });
    const third = await create(none, { company_name: 'Acme' });
    const fourth = await create(byKey, { company_name: 'acme' });
    assert.deepEqual(
      [await detected(first), await detected(second), await detected(third), await detected(fourth)],
      [[second], [first], [], []],
    );
  });

  test('a pair in two lists counts only where both match on it', async () => {
    const [both, noPhone] = [await newList(), await newList({ duplicates_match_on_phone: false })];
    const first = await create(both, { mobile_phone: '+4533445566', e_mail: 'x1@example.com' });
    const second = await create(noPhone, { mobile_phone: '+4533445566', e_mail: 'x2@example.com' });
    assert.deepEqual([await detected(first), await detected(second)], [[], []]);
    await ask('PATCH', `/leads/${second}`, { lead: { e_mail: 'X1@example.com' } });
    assert.deepEqual([await detected(first), await detected(second)], [[second], [first]]);
  });

  test('a change and a move settle it anew, and leave last_updated of the other lead alone', async () => {
    const [list, silent] = [await newList(), await newList({ duplicates_match_on_email: false })];
    const first = await create(list, { e_mail: 'c@example.com' });
    const { last_updated } = (await ask('GET', `/leads/${first}`)).body;
    const second = await create(list, { e_mail: 'd@example.com' });
    await ask('PATCH', `/leads/${second}`, { lead: { e_mail: 'c@example.com' } });
    assert.deepEqual(await detected(first), [second]);
    await ask('PATCH', `/leads/${second}/migrate`, { lead: { to_list_id: silent } });
    assert.deepEqual([await detected(first), await detected(second)], [[], []]);
    await ask('PATCH', `/leads/${second}/migrate`, { lead: { to_list_id: list } });
    assert.deepEqual(await detected(first), [second]);
    await ask('PATCH', `/leads/${second}`, { lead: { e_mail: '' } });
    assert.deepEqual(await detected(first), []);
    assert.equal((await ask('GET', `/leads/${first}`)).body.last_updated, last_updated);
  });

  test('many leads loaded at once have theirs', async () => {
    const list = await newList();
    const actor = serviceActor(house.account, 'test');
    const single = await create(list, { e_mail: 'load1@example.com' });
    const ids = await house.transact(async (work) =>
      loadLeads(
        work,
        actor,
        await findLeadList(work, actor, list, 'leads.write'),
        Array.from({ length: 10 }, (_, index) => ({
          e_mail: `load${index % 5}@example.com`,
          first_name: String(index),
        })),
      ),
    );
    assert.deepEqual(await detected(single), [ids[1], ids[6]]);
    assert.deepEqual(await detected(ids[0]!), [ids[5]]);
    assert.equal((await ask('GET', `/leads/${ids[7]}`)).body.primary_identifier, '');
    assert.equal((await ask('GET', `/leads/${ids[7]}`)).body.secondary_identifier, '7');
  });

  test('however many share a value, the hundred lowest are told, by a page and by a lead alike', async () => {
    const list = await newList();
    const ids = await fill(list, 130, { mobile_phone: '0000000' });
    const lowest = (of: number) => ids.filter((id) => id !== of).slice(0, 100);
    for (const id of [ids[0]!, ids[60]!, ids[129]!]) assert.deepEqual(await detected(id), lowest(id));
    const page = (await ask('GET', `/lists/${list}/leads?per_page=1000`)).body as Told[];
    assert.equal(page.length, 130);
    for (const { id, detected_duplicates } of page) assert.deepEqual(detected_duplicates, lowest(id));
    const { body } = await ask('POST', `/lists/${list}/leads`, { lead: { mobile_phone: '0000000' } });
    assert.deepEqual(body.detected_duplicates, ids.slice(0, 100));
    // Those that somebody found to be two are made up for.
    const owner = await house.signIn(OWNER.email, OWNER.password);
    await owner('POST', `/leads/${ids[0]}/ignore`, { duplicate_id: ids[1] });
    const { detected_duplicates, ignored_duplicates } = (await ask('GET', `/leads/${ids[0]}`)).body;
    assert.deepEqual([detected_duplicates, ignored_duplicates], [ids.slice(2, 102), [ids[1]]]);
    const [first] = ((await ask('GET', `/lists/${list}/leads?per_page=1000`)).body as Told[]).slice(-1);
    assert.deepEqual([first!.id, first!.detected_duplicates], [ids[0], ids.slice(2, 102)]);
  });

  test('whoever sees some lists alone hears of duplicates there and of what they hold, everywhere', async () => {
    const [own, other] = [await newList(), await newList()];
    const agent = await house.join({ email: 'some@example.com', listing_ids: [own] });
    const [hidden, held, ignored] = await fill(other, 3, { e_mail: 'same@example.com' });
    const [mine, twin, ...many] = await fill(own, 14, { e_mail: 'same@example.com' });
    await ask('PATCH', `/leads/${held}/delegate`, { lead: { delegate_to: 'some@example.com' } });
    const owner = await house.signIn(OWNER.email, OWNER.password);
    for (const one of [ignored, many[0]]) await owner('POST', `/leads/${mine}/ignore`, { duplicate_id: one });
    const seen = [held, twin, ...many.slice(1)];
    const byKey = house.withKey(agent.key);
    const told = ({ id, detected_duplicates, ignored_duplicates }: Told) => [
      id,
      detected_duplicates,
      ignored_duplicates,
    ];
    const expected = [mine, seen, [many[0]]];
    for (const someone of [byKey, agent.ask]) {
      assert.deepEqual(told((await someone('GET', `/leads/${mine}`)).body), expected);
      const pages = ['leads', 'leads/find?e_mail=same@example.com'].map((path) => `/lists/${own}/${path}`);
      for (const path of pages) assert.deepEqual(told((await someone('GET', path)).body.at(-1)), expected, path);
      const { body } = await someone('GET', '/leads/search?query=same');
      assert.deepEqual(told(body.leads.find(({ id }: Told) => id === mine)), expected);
    }
    const { body } = await byKey('POST', `/lists/${own}/leads`, { lead: { e_mail: 'same@example.com' } });
    assert.deepEqual(body.detected_duplicates, [held, mine, twin, ...many]);
    assert.deepEqual(await detected(twin!), [hidden, held, ignored, mine, ...many, body.id]);
  });

  test('however many share a value in lists of others, one hears of those in one’s own, also after a move', async () => {
    const [own, other] = [await newList(), await newList()];
    const agent = await house.join({ email: 'last@example.com', listing_ids: [own] });
    const [held, moved] = await fill(other, 5_100, { mobile_phone: '1111111' });
    const [mine, twin, ...many] = await fill(own, 130, { mobile_phone: '1111111' });
    await ask('PATCH', `/leads/${held}/delegate`, { lead: { delegate_to: 'last@example.com' } });
    await ask('PATCH', `/leads/${moved}/migrate`, { lead: { to_list_id: own } });
    const expected = [held, moved, twin, ...many].slice(0, 100);
    for (const someone of [house.withKey(agent.key), agent.ask]) {
      assert.deepEqual((await someone('GET', `/leads/${mine}`)).body.detected_duplicates, expected);
      const page = (await someone('GET', `/lists/${own}/leads?per_page=1000`)).body as Told[];
      assert.deepEqual(page.find(({ id }) => id === mine)!.detected_duplicates, expected);
    }
    const created = await agent.ask('POST', `/lists/${own}/leads`, { lead: { mobile_phone: '1111111' } });
    assert.deepEqual(created.body.detected_duplicates, [held, moved, mine, twin, ...many].slice(0, 100));
    await ask('PATCH', `/leads/${moved}/migrate`, { lead: { to_list_id: other } });
    assert.deepEqual(
      (await agent.ask('GET', `/leads/${twin}`)).body.detected_duplicates,
      [held, mine, ...many].slice(0, 100),
    );
  });

  test('a very long value is compared whole', async () => {
    const list = await newList({ duplicates_match_on: 'title' });
    const [first, second, third] = [
      await create(list, { title: `${'å'.repeat(9_000)}a` }),
      await create(list, { title: `${'å'.repeat(9_000)}a` }),
      await create(list, { title: `${'å'.repeat(9_000)}b` }),
    ];
    assert.deepEqual([await detected(first), await detected(second), await detected(third)], [[second], [first], []]);
  });

  test('other accounts have none of it', async () => {
    const other = await house.addAccount('Other', 'http://other.example.com');
    const first = await create(await newList(), { e_mail: 'both@example.com' });
    const headers = { host: 'other.example.com', authorization: `Token "${other.key}"` };
    const post = async (url: string, payload: object) =>
      (await house.app.inject({ method: 'POST', url: `/api/v2${url}`, headers, payload })).json<{
        id: number;
        detected_duplicates: number[];
      }>();
    const { id } = await post('/lists', { list: { name: 'Theirs' } });
    assert.deepEqual(
      (await post(`/lists/${id}/leads`, { lead: { e_mail: 'both@example.com' } })).detected_duplicates,
      [],
    );
    assert.deepEqual(await detected(first), []);
  });
});
