import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { blame, idsOf, keysOf, stepsOf, TIME } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead } = stepsOf(ask);

describe('POST /api/v2/lists', () => {
  test('answers 201 with the list, its categories, leads_count 0 and Location', async () => {
    const given = { name: 'Spring', call_back_categories: 'Bad time, Positive,, Bad time', winner_categories: 'Sale' };
    const { status, headers, body } = await ask('POST', '/lists', { list: given });
    const { id, created_at, ...rest } = body;
    assert.equal(status, 201);
    assert.match(created_at, TIME);
    assert.deepEqual(rest, {
      name: 'Spring',
      location: `/api/v2/lists/${id}`,
      locked_on_defaults: false,
      leads_count: 0,
      categories: { call_back: ['Bad time', 'Positive'], winner: ['Sale'] },
    });
    assert.equal(headers.get('location'), `/api/v2/lists/${id}`);
  });

  test('categories hold only the kinds that have any; an empty object when the list has none', async () => {
    assert.deepEqual((await addList({ loser_categories: ' , ' })).categories, {});
    const { categories } = await addList({
      archive_categories: 'Bounced',
      loser_categories: 'Price',
      skip_categories: 'Later',
    });
    assert.deepEqual(categories, { archive: ['Bounced'], loser: ['Price'], skip: ['Later'] });
  });

  test('name is 1 to 255 characters, and without it nothing is stored', async () => {
    const { length } = (await ask('GET', '/lists')).body;
    for (const name of [undefined, '', 'x'.repeat(256)])
      assert.deepEqual(blame(await ask('POST', '/lists', { list: { name } })), [422, ['name']]);
    assert.equal((await ask('GET', '/lists')).body.length, length);
    assert.equal((await addList({ name: 'x'.repeat(255) })).name, 'x'.repeat(255));
  });

  test('user_ids give agents access; unknown ones are refused by name', async () => {
    const agent = await house.join({ email: 'agent@example.com' });
    const list = await addList({ user_ids: [agent.id] });
    assert.deepEqual(idsOf((await house.withKey(agent.key)('GET', '/lists')).body), [list.id]);
    assert.deepEqual(blame(await ask('POST', '/lists', { list: { name: 'x', user_ids: [0] } })), [422, ['user_ids']]);
  });

  test('at most 500 columns, those that a locked list has besides among them', async () => {
    const add = (count: number, lock_on_defaults: boolean) => {
      const columns_attributes = Array.from({ length: count }, (_, place) => ({ label: `Field ${place}` }));
      return ask('POST', '/lists', { list: { name: 'Wide', columns_attributes, lock_on_defaults } });
    };
    assert.equal((await add(500, false)).status, 201);
    assert.deepEqual(blame(await add(501, false)), [422, ['columns_attributes']]);
    assert.deepEqual(blame(await add(500, true)), [422, ['columns_attributes']]);
  });

  test('every documented parameter is accepted together', async () => {
    const { status } = await ask('POST', '/lists', {
      list: {
        name: 'All',
        columns_attributes: { '0': { label: 'Name', kind: 'none', visible: true } },
        description: 'Hello {{name}}',
        user_ids: [],
        call_back_categories: 'a',
        winner_categories: 'b',
        loser_categories: 'c',
        archive_categories: 'd',
        skip_categories: 'e',
        prepend_phone: true,
        inline_identifiers: true,
        show_avatars: true,
        lock_on_defaults: true,
        queue_new_before_call_backs: true,
        queue_new_before_due: true,
        duplicates_match_on_phone: true,
        duplicates_match_on_email: true,
        duplicates_match_on: 'name',
      },
    });
    assert.equal(status, 201);
  });
});

describe('GET /api/v2/lists and /api/v2/lists/:id', () => {
  test('the index has the documented fields without categories, newest first', async () => {
    const older = await addList();
    const newer = await addList();
    const { body } = await ask('GET', '/lists');
    assert.deepEqual(idsOf(body.slice(0, 2)), [newer.id, older.id]);
    const { categories: _, ...fields } = newer;
    assert.deepEqual(body[0], fields);
    assert.deepEqual(keysOf(body[0]), ['created_at', 'id', 'leads_count', 'location', 'locked_on_defaults', 'name']);
  });

  test('locked_on_defaults: `true` or `1` returns only lists that guarantee the default fields', async () => {
    const locked = await addList({ lock_on_defaults: true });
    const all = idsOf((await ask('GET', '/lists')).body);
    for (const value of ['true', '1']) {
      const { body } = await ask('GET', `/lists?locked_on_defaults=${value}`);
      assert.ok(body.length < all.length && idsOf(body).includes(locked.id));
      assert.ok(body.every((list: { locked_on_defaults: boolean }) => list.locked_on_defaults));
    }
    for (const value of ['false', '0', 'x', ''])
      assert.deepEqual(idsOf((await ask('GET', `/lists?locked_on_defaults=${value}`)).body), all);
  });

  test('the index is not paged', async () => {
    await addList();
    const { body } = await ask('GET', '/lists?per_page=1&page=2');
    assert.deepEqual(body, (await ask('GET', '/lists')).body);
    assert.ok(body.length > 1);
  });

  test('one list is told with its categories and leads_count', async () => {
    const list = await addList({ winner_categories: 'Sale' });
    await addLead(list);
    await addLead(list);
    assert.deepEqual((await ask('GET', `/lists/${list.id}`)).body, { ...list, leads_count: 2 });
  });
});

describe('GET /api/v2/lists/:id/stats', () => {
  test('the list fields plus leads_counts: integers per category, uncategorised and total', async () => {
    const list = await addList({
      call_back_categories: 'Bad time, No answer',
      winner_categories: 'Sale',
      loser_categories: 'Total, !!!',
    });
    const outcome = async (kind: string, category?: string) => {
      const { id } = await addLead(list);
      assert.equal((await ask('POST', `/leads/${id}/${kind}`, { lead: { category } })).status, 204);
    };
    await addLead(list);
    await outcome('call_back', 'Bad time');
    await outcome('call_back', 'Bad time');
    await outcome('call_back');
    await outcome('winner', 'Sale');
    await outcome('loser', 'Total');
    await outcome('archive');
    const { categories: _, ...fields } = list;
    assert.deepEqual((await ask('GET', `/lists/${list.id}/stats`)).body, {
      ...fields,
      leads_count: 7,
      leads_counts: {
        new: { uncategorised: 1, total: 1 },
        call_back: { bad_time: 2, no_answer: 0, uncategorised: 1, total: 3 },
        won: { sale: 1, uncategorised: 0, total: 1 },
        lost: { total_category: 1, field: 0, uncategorised: 0, total: 1 },
        archived: { uncategorised: 1, total: 1 },
        total: 7,
      },
    });
  });

  test('the five totals add up to leads_count, also when much happens at once', async () => {
    const list = await addList({ winner_categories: 'Sale' });
    const leads = await Promise.all(Array.from({ length: 12 }, () => addLead(list)));
    const acts = leads.flatMap(({ id }) => [
      ask('POST', `/leads/${id}/winner`, { lead: { category: 'Sale' } }),
      ask('POST', `/leads/${id}/loser`),
      ask('POST', `/leads/${id}/winner`),
    ]);
    for (const { status } of await Promise.all(acts)) assert.equal(status, 204);
    const { leads_count, leads_counts: counts } = (await ask('GET', `/lists/${list.id}/stats`)).body;
    const { body: rows } = await ask('GET', `/lists/${list.id}/leads`);
    const having = (state: string, category: string | null) =>
      rows.filter((row: { state: string; category: string | null }) => row.state === state && row.category === category)
        .length;
    const sale = having('won', 'Sale');
    const plain = having('won', null);
    assert.deepEqual(counts.won, { sale, uncategorised: plain, total: sale + plain });
    assert.deepEqual([counts.lost.total, counts.new.total], [having('lost', null), 0]);
    assert.deepEqual([counts.won.total + counts.lost.total, counts.total, leads_count], [12, 12, 12]);
  });

  test('a lead counts where it is now: after another outcome, and after a move', async () => {
    const from = await addList({ winner_categories: 'Sale' });
    const to = await addList();
    const { id } = await addLead(from);
    await ask('POST', `/leads/${id}/winner`, { lead: { category: 'Sale' } });
    await ask('POST', `/leads/${id}/loser`);
    await ask('POST', `/leads/${id}/winner`, { lead: { category: 'Sale' } });
    await ask('PATCH', `/leads/${id}/migrate`, { lead: { to_list_id: to.id } });
    const counts = async (list: { id: number }) => (await ask('GET', `/lists/${list.id}/stats`)).body;
    const [left, right] = [await counts(from), await counts(to)];
    const none = { uncategorised: 0, total: 0 };
    assert.deepEqual(left.leads_counts, {
      new: none,
      call_back: none,
      won: { sale: 0, ...none },
      lost: none,
      archived: none,
      total: 0,
    });
    // The category is not one of this list's, and still on the lead.
    assert.deepEqual(right.leads_counts, {
      new: none,
      call_back: none,
      won: { sale: 1, uncategorised: 0, total: 1 },
      lost: none,
      archived: none,
      total: 1,
    });
    assert.deepEqual([left.leads_count, right.leads_count], [0, 1]);
  });
});
