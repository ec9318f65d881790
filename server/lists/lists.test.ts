import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Lists } from '../../db/schema.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { query } from '../platform/db.ts';
import { asIs } from '../../test/database.ts';

const house = await openHouse();
const ask = house.withKey(house.key);

const create = (list: Record<string, unknown>) => ask('POST', '/lists', { list });
async function columnsOf(list: Record<string, unknown>) {
  const { status, body } = await create({ name: 'Columns', ...list });
  assert.equal(status, 201, JSON.stringify(body));
  return (await ask('GET', `/lists/${body.id}/columns`)).body as {
    id: number;
    key: string;
    label: string;
    type: string;
    input_type: string;
    required: boolean;
  }[];
}
const keysOf = async (list: Record<string, unknown>) => (await columnsOf(list)).map(({ key }) => key);

const DEFAULT_KEYS = [
  'company_name',
  'first_name',
  'last_name',
  'title',
  'work_office_phone',
  'mobile_phone',
  'e_mail',
  'website',
];

describe('POST /api/v2/lists', () => {
  test('answers 201 with the documented fields, the categories and its address', async () => {
    const { status, body, headers } = await create({
      name: 'Autumn',
      call_back_categories: 'Bad time, Positive,, Bad time , ',
      winner_categories: 'Sale',
    });
    assert.equal(status, 201);
    const { id, created_at, ...rest } = body;
    assert.ok(Number.isInteger(id));
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      name: 'Autumn',
      location: `/api/v2/lists/${id}`,
      locked_on_defaults: false,
      leads_count: 0,
      categories: { call_back: ['Bad time', 'Positive'], winner: ['Sale'] },
    });
    assert.equal(headers.get('location'), `/api/v2/lists/${id}`);
    assert.deepEqual((await ask('GET', `/lists/${id}`)).body, body);
  });

  test('without categories they are an empty object; all five kinds are known, and told in their order', async () => {
    assert.deepEqual((await create({ name: 'None' })).body.categories, {});
    const all = {
      call_back_categories: 'a',
      winner_categories: 'b',
      loser_categories: 'c',
      archive_categories: 'd',
      skip_categories: 'e',
    };
    const { body } = await create({ name: 'All', ...all });
    assert.deepEqual(body.categories, { call_back: ['a'], winner: ['b'], loser: ['c'], archive: ['d'], skip: ['e'] });
    assert.deepEqual(Object.keys(body.categories), ['call_back', 'winner', 'loser', 'archive', 'skip']);
  });

  test('without columns it has the default fields', async () => {
    assert.deepEqual(await keysOf({}), DEFAULT_KEYS);
  });

  test('columns are ordered by their position as a number; an array is taken as it stands', async () => {
    const columns_attributes = { '10': { label: 'Last' }, '2': { label: 'Second' }, '0': { label: 'First' } };
    assert.deepEqual(await keysOf({ columns_attributes }), ['first', 'second', 'last']);
    assert.deepEqual(await keysOf({ columns_attributes: [{ label: 'B' }, { label: 'A' }] }), ['b', 'a']);
  });

  test('keys come from labels: folded, told apart, and clear of the parameters of find', async () => {
    const labels = ['Įmonė', 'Phone', 'Phone', 'Phone 2', 'phone', '!!!', 'Page', 'matchall', 'Per page'];
    const columns_attributes = labels.map((label) => ({ label }));
    assert.deepEqual(await keysOf({ columns_attributes }), [
      'imone',
      'phone',
      'phone_2',
      'phone_2_2',
      'phone_3',
      'field',
      'page_field',
      'matchall_field',
      'per_page_field',
    ]);
  });

  test('a label that grows in ASCII still makes a key', async () => {
    const [key] = await keysOf({ columns_attributes: [{ label: '﷽'.repeat(255) }] });
    assert.match(key!, /^[a-z0-9_]{1,100}$/);
  });

  test('each kind has its type and input type; hidden columns are listed too', async () => {
    const kinds = ['none', 'phone', 'email', 'url', 'boolean', 'integer', 'date', 'text', 'options', 'address'];
    const columns_attributes = kinds.map((kind) => ({ label: kind, kind, visible: '0', required: '1' }));
    const columns = await columnsOf({ columns_attributes });
    assert.deepEqual(Object.keys(columns[0]!), ['id', 'key', 'label', 'type', 'input_type', 'required']);
    assert.deepEqual(
      columns.map(({ type, input_type }) => `${type},${input_type}`),
      [
        'unicode,string',
        'unicode,tel',
        'unicode,email',
        'unicode,url',
        'boolean,boolean',
        'integer,integer',
        'datetime,date',
        'unicode,text',
        'unicode,select',
        'unicode,text',
      ],
    );
    assert.ok(columns.every(({ required }) => required));
  });

  test('lock_on_defaults: the default fields come first, and one whose key equals a default is that default', async () => {
    const { body } = await create({
      name: 'Locked',
      lock_on_defaults: 'true',
      columns_attributes: [{ label: 'Extra' }, { label: 'First name', kind: 'text' }],
    });
    assert.equal(body.locked_on_defaults, true);
    const columns = (await ask('GET', `/lists/${body.id}/columns`)).body;
    assert.deepEqual(
      columns.map(({ key }: { key: string }) => key),
      [...DEFAULT_KEYS, 'extra'],
    );
    assert.equal(columns[1].input_type, 'string');
  });

  test('wrong parameters are named and nothing is stored', async () => {
    const before = (await ask('GET', '/lists')).body.length;
    const cases: [Record<string, unknown>, string][] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: '   ' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ name: 5 }, 'name'],
      [{ name: 'x', columns_attributes: { '0': { label: 'A', kind: 'colour' } } }, 'columns_attributes.0.kind'],
      [{ name: 'x', columns_attributes: { '0': {} } }, 'columns_attributes.0.label'],
      [{ name: 'x', columns_attributes: { first: { label: 'A' } } }, 'columns_attributes.first'],
      [{ name: 'x', columns_attributes: 5 }, 'columns_attributes'],
      [{ name: 'x', show_avatars: 'perhaps' }, 'show_avatars'],
      [{ name: 'x', prepend_phone: '45' }, 'prepend_phone'],
      [{ name: 'x', user_ids: [999_999] }, 'user_ids'],
      [{ name: 'x', winner_categories: ['a'] }, 'winner_categories'],
      [{ name: 'x', winner_categories: 'y'.repeat(256) }, 'winner_categories'],
      [
        { name: 'x', columns_attributes: [{ label: 'A', kind: 'options', options: ['y'.repeat(256)] }] },
        'columns_attributes.0.options.0',
      ],
    ];
    for (const [list, name] of cases) {
      const { status, body } = await create(list);
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [name]], JSON.stringify(list));
    }
    assert.deepEqual(Object.keys((await ask('POST', '/lists', { name: 'x' })).body.errors), ['list']);
    assert.equal((await ask('GET', '/lists')).body.length, before);
  });

  test('all parameters are stored', async () => {
    const { id: user } = (await house.invite({ email: 'agent@example.com' })).body;
    const given = {
      description: '# Hello {{first_name}}',
      inline_identifiers: true,
      show_avatars: 1,
      queue_new_before_call_backs: '1',
      queue_new_before_due: 'true',
      duplicates_match_on_phone: false,
      duplicates_match_on_email: '0',
      duplicates_match_on: 'Company name',
      prepend_phone: '+45',
    };
    const { body } = await create({ name: 'Stored', ...given, user_ids: [String(user)] });
    const readRow = async (id: number) =>
      (await query<Lists>(house.db, asIs('select * from lists where id = $1'), [id]))[0]!;
    const row = await readRow(body.id);
    assert.deepEqual(
      [
        row.description,
        row.inline_identifiers,
        row.show_avatars,
        row.queue_new_before_call_backs,
        row.queue_new_before_due,
      ],
      ['# Hello {{first_name}}', true, true, true, true],
    );
    assert.deepEqual(
      [row.duplicates_match_on_phone, row.duplicates_match_on_email, row.duplicates_match_on, row.prepend_phone],
      [false, false, 'Company name', '+45'],
    );
    const people = await query(house.db, asIs('select user_id from list_people where list_id = $1'), [body.id]);
    assert.deepEqual(people, [{ user_id: user }]);
    const plain = await readRow((await create({ name: 'Plain', prepend_phone: true })).body.id);
    assert.deepEqual(
      [plain.duplicates_match_on_phone, plain.duplicates_match_on_email, plain.prepend_phone],
      [true, true, 'account'],
    );
  });
});

describe('GET /api/v2/lists', () => {
  test('newest first, without categories; only `true` or `1` filters', async () => {
    const old = (await create({ name: 'Old' })).body.id;
    const locked = (await create({ name: 'New', lock_on_defaults: true })).body.id;
    const { body } = await ask('GET', '/lists');
    const ids = body.map(({ id }: { id: number }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a: number, b: number) => b - a),
    );
    assert.deepEqual(Object.keys(body[0]), [
      'id',
      'name',
      'location',
      'created_at',
      'locked_on_defaults',
      'leads_count',
    ]);
    for (const value of ['true', '1']) {
      const filtered = (await ask('GET', `/lists?locked_on_defaults=${value}`)).body;
      assert.ok(
        filtered.some(({ id }: { id: number }) => id === locked) &&
          !filtered.some(({ id }: { id: number }) => id === old),
      );
    }
    for (const value of ['false', '0', 'x', '']) {
      assert.equal((await ask('GET', `/lists?locked_on_defaults=${value}`)).body.length, body.length);
    }
  });

  test('agents see the lists they work; another list is as if it did not exist', async () => {
    const mine = (await create({ name: 'Mine' })).body.id;
    const other = (await create({ name: 'Not mine' })).body.id;
    const agent = await house.join({ email: 'ann@example.com', listing_ids: [mine] });
    const byKey = house.withKey(agent.key);
    assert.deepEqual(
      (await byKey('GET', '/lists')).body.map(({ id }: { id: number }) => id),
      [mine],
    );
    assert.equal((await byKey('GET', `/lists/${mine}/columns`)).status, 200);
    for (const path of [`/lists/${other}`, `/lists/${other}/columns`, '/lists/999999', '/lists/x'])
      assert.equal((await byKey('GET', path)).status, 404);
    // User managers see the index and nothing more.
    const manager = await house.join({ email: 'manager@example.com', agent: false, users_admin: true });
    assert.ok((await house.withKey(manager.key)('GET', '/lists')).body.length > 1);
    assert.equal((await house.withKey(manager.key)('GET', `/lists/${mine}`)).status, 403);
  });
});

describe('GET /api/v2/lists/:id/stats', () => {
  const categories = {
    call_back_categories: 'Bad time, Positive, bad-time',
    winner_categories: 'Total, Uncategorised',
  };

  test('an empty list: every category of its kinds, `uncategorised` and `total`, all 0', async () => {
    const { body: list } = await create({ name: 'Stats', ...categories });
    const { status, body } = await ask('GET', `/lists/${list.id}/stats`);
    assert.equal(status, 200);
    const { categories: _, ...fields } = list;
    const none = { uncategorised: 0, total: 0 };
    assert.deepEqual(body, {
      ...fields,
      leads_counts: {
        new: none,
        call_back: { bad_time: 0, positive: 0, ...none },
        won: { total_category: 0, uncategorised_category: 0, ...none },
        lost: none,
        archived: none,
        total: 0,
      },
    });
  });

  test('counts add up over shards; categories that fold alike, or are no longer on the list, are counted too', async () => {
    const { body: list } = await create({ name: 'Counted', ...categories });
    const row = (state: string, category: string, shard: number, leads: number) => ({
      account_id: house.account.id,
      list_id: list.id,
      state,
      category,
      shard,
      leads,
    });
    const insert = `insert into lead_counts (account_id, list_id, state, category, shard, leads)
      select account_id, list_id, state, category, shard, leads from jsonb_populate_recordset(null::lead_counts, $1)`;
    await query(house.db, asIs(insert), [
      JSON.stringify([
        row('new', '', 0, 10),
        row('new', '', 1, -3),
        row('call_back', 'Bad time', 0, 2),
        row('call_back', 'bad-time', 0, 3),
        row('call_back', '', 0, 1),
        row('won', 'Total', 0, 4),
        row('lost', 'Long gone', 0, 5),
        row('lost', 'Moved away', 0, 1),
        row('lost', 'Moved away', 1, -1),
        row('archived', 'constructor', 0, 2),
      ]),
    ]);
    const { body } = await ask('GET', `/lists/${list.id}/stats`);
    const { leads_counts: counts } = body;
    assert.deepEqual(counts.call_back, { bad_time: 5, positive: 0, uncategorised: 1, total: 6 });
    assert.deepEqual(counts.won, { total_category: 4, uncategorised_category: 0, uncategorised: 0, total: 4 });
    assert.deepEqual(counts.lost, { long_gone: 5, uncategorised: 0, total: 5 });
    assert.deepEqual(
      [counts.new.total, counts.archived, counts.total, body.leads_count],
      [7, { constructor: 2, uncategorised: 0, total: 2 }, 24, 24],
    );
  });

  test('agents see those of the lists they work', async () => {
    const { body: list } = await create({ name: 'Not theirs' });
    const agent = await house.join({ email: 'stats@example.com' });
    assert.equal((await house.withKey(agent.key)('GET', `/lists/${list.id}/stats`)).status, 404);
  });
});

describe('trying again', () => {
  const CATEGORIES = { name: 'Tried', call_back_categories: 'No answer, Busy, VOICEMAIL, Bad time, constructor' };
  const DEFAULTS = {
    'No answer': { comes_back_after: 120, archived_after: null },
    Busy: { comes_back_after: 15, archived_after: null },
    VOICEMAIL: { comes_back_after: 'next_day', archived_after: null },
    'Bad time': { comes_back_after: 60, archived_after: null },
    constructor: { comes_back_after: 60, archived_after: null },
  };

  test('is told of every call-back category, by the folded name where nobody said anything, at /app alone', async () => {
    const { body: list } = await create(CATEGORIES);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const { body } = await owner('GET', `/lists/${list.id}`);
    assert.deepEqual([body.name, body.retries, body.caller_number], ['Tried', DEFAULTS, null]);
    assert.equal('retries' in (await ask('GET', `/lists/${list.id}`)).body, false);
  });

  test('is changed a category and a setting at a time, which the audit log shows, and null takes it back', async () => {
    const { body: list } = await create(CATEGORIES);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const change = async (retries: object) => {
      const { status, body } = await owner('PATCH', `/lists/${list.id}`, { list: { retries } });
      assert.equal(status, 200, JSON.stringify(body));
      return body.retries;
    };
    await change({ Busy: { archived_after: 8, color: 'x'.repeat(1_000) } });
    const [entry] = (await owner('GET', '/audit')).body;
    assert.deepEqual([entry.action, entry.detail], ['list.changed', { retries: { Busy: { archived_after: 8 } } }]);
    await owner('PATCH', `/lists/${list.id}`, { list: { caller_name: 'Acme' } });
    const told = await change({ Busy: { comes_back_after: 30 }, 'Bad time': { comes_back_after: 'next_day' } });
    const expected = {
      ...DEFAULTS,
      Busy: { comes_back_after: 30, archived_after: 8 },
      'Bad time': { comes_back_after: 'next_day', archived_after: null },
    };
    assert.deepEqual(told, expected);
    assert.deepEqual((await owner('GET', `/lists/${list.id}`)).body.retries, expected);
    await change({ Busy: { comes_back_after: null, archived_after: null }, 'Bad time': { comes_back_after: null } });
    assert.deepEqual((await owner('GET', `/lists/${list.id}`)).body.retries, DEFAULTS);
  });

  test('two managers who change different categories at once both have their way', async () => {
    const { body: list } = await create(CATEGORIES);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    const names = ['No answer', 'Busy', 'VOICEMAIL', 'Bad time'];
    await Promise.all(
      names.map((name) =>
        owner('PATCH', `/lists/${list.id}`, { list: { retries: { [name]: { archived_after: 5 } } } }),
      ),
    );
    const { retries } = (await owner('GET', `/lists/${list.id}`)).body;
    assert.deepEqual(
      names.map((name) => retries[name].archived_after),
      [5, 5, 5, 5],
    );
  });

  test('refuses what is no category or no delay, by name', async () => {
    const { body: list } = await create(CATEGORIES);
    const owner = await house.signIn(OWNER.email, OWNER.password);
    for (const retries of [
      { Lunch: { archived_after: 5 } },
      { busy: { archived_after: 5 } },
      { Busy: { archived_after: 0 } },
      { Busy: { archived_after: 51 } },
      { Busy: { comes_back_after: 0 } },
      { Busy: { comes_back_after: 43_201 } },
      { Busy: { comes_back_after: 'tomorrow' } },
      { Busy: null },
      Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`c${index}`, {}])),
      [],
      'Busy',
    ]) {
      const { status, body } = await owner('PATCH', `/lists/${list.id}`, { list: { retries } });
      assert.equal(status, 422, JSON.stringify(retries).slice(0, 100));
      assert.match(JSON.stringify(body.errors), /retries/);
    }
    const agent = await house.join({ email: 'tried@example.com', listing_ids: [list.id] });
    assert.equal((await agent.ask('PATCH', `/lists/${list.id}`, { list: { retries: {} } })).status, 403);
    assert.equal((await agent.ask('GET', `/lists/${list.id}`)).status, 200);
  });
});
