import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import { writeToken, type Token } from '../../contract/filters.ts';
import { readTime } from '../../contract/times.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { serviceActor } from '../platform/actor.ts';
import { countMatching, gather, readMatching, stillMatch } from './matching.ts';
import { readFilter } from './read.ts';
import { readTable, type Asked } from './table.ts';
import { BOUNDS, type Bounds } from './walk.ts';

const house = await openHouse();
const reading = { db: house.db, secrets: house.secrets };
const actor = serviceActor(house.account, 'test');
const key = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
await owner('PATCH', '/account', { account: { country: 'DK', time_zone: 'Europe/Copenhagen' } });

const seed = Number(process.env.FILTER_SEED ?? randomInt(1_000_000_000));
console.log(`FILTER_SEED=${seed}`);
let state = seed;
const random = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((state / 0x80000000) * below);
};
const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;

const columns = (...kinds: [label: string, kind: string][]) => kinds.map(([label, kind]) => ({ label, kind }));
const newList = async (name: string, columns_attributes: object[]) =>
  (await key('POST', '/lists', { list: { name, columns_attributes } })).body.id as number;
const large = await newList(
  'Depots',
  columns(
    ['Company', 'none'],
    ['City', 'text'],
    ['Seats', 'integer'],
    ['Since', 'date'],
    ['Open', 'boolean'],
    ['Phone', 'phone'],
  ),
);
const small = await newList('Others', columns(['Company', 'none'], ['Seats', 'text'], ['Phone', 'phone']));
const people = await Promise.all(
  ['ann', 'bo'].map((name) => house.join({ email: `${name}@example.com`, first_name: name, listing_ids: [small] })),
);

const CITIES = ['Ghent', 'Bruges', 'gHENT west', `100%`, `a_b`, `O'Brien \\ "x"`, 'Århus', ''];
const lead = (list: number) => ({
  company: pick(['Alfa', 'beta', 'Gamma 7', `Delta, Ltd`, '']),
  ...(list === large && {
    city: pick(CITIES),
    since: pick(['2026-01-31', '2026-02-01 10:00:00', '2025-12-31 23:59:59', '']),
    open: pick(['true', 'false', '']),
  }),
  seats: pick(list === large ? ['5', '-3', '+7', '007', '1000', ''] : ['5', 'about 9', '12', '']),
  phone: pick(['+45 33 11 22 33', '+45 33 11 22 44', '', '', '']),
});

type Row = {
  id: number;
  list_id: number;
  state: string;
  category: string | null;
  scheduled_for: Date | null;
  claimed_by: number | null;
  created_at: Date;
  last_updated: Date;
  turn_at: Date;
  rank: number | null;
  data: Record<string, string>;
  marks: string[];
  attempts: number;
  last_outcome: Date | null;
  imported_by: number | null;
};

const DAYS = 86_400_000;
const NOW = Date.UTC(2026, 10, 16, 12);

/** As the days leave them: in every state, claimed or not, called and decided on. */
async function age(ids: number[]): Promise<void> {
  for (const id of ids) {
    const to = pick(['new', 'new', 'call_back', 'call_back', 'won', 'lost', 'archived']);
    const due = to === 'call_back' && random(4) > 0 ? new Date(NOW + (random(20) - 10) * DAYS) : null;
    // Some at the same time as others, so that ids decide.
    const created = new Date(NOW - random(12) * DAYS);
    await house.pool.query(
      `update leads set state = $2, category = $3, scheduled_for = $4::timestamptz, exactly = $5, claimed_by = $6, created_at = $7::timestamptz,
              last_updated = $8, turn_at = coalesce($4::timestamptz, $7::timestamptz) where id = $1`,
      [
        id,
        to,
        pick([null, 'Sale', 'Meeting']),
        due,
        random(2) === 0,
        pick([null, null, people[0]!.id, people[1]!.id]),
        created,
        new Date(created.getTime() + random(5) * DAYS),
      ],
    );
    await house.pool.query('update lead_data d set created_at = $2 where lead_id = $1', [id, created]);
    for (let calls = random(4); calls > 0; calls -= 1)
      await house.pool.query(
        `insert into calls (account_id, lead_id, direction, state) values ($1, $2, $3, 'completed')`,
        [house.account.id, id, pick(['outbound', 'outbound', 'inbound'])],
      );
    for (const kind of ['lead_created', ...(random(2) ? [pick(['winner', 'skip', 'comment'])] : [])])
      await house.pool.query(
        `insert into events (account_id, lead_id, list_id, kind, user_id, via, created_at)
         select account_id, id, list_id, $2, $3, 'app', $4 from leads where id = $1`,
        [id, kind, pick([null, people[0]!.id]), new Date(NOW - random(9) * DAYS)],
      );
  }
  await house.pool.query('delete from lead_counts');
  await house.pool.query(
    `insert into lead_counts (account_id, list_id, state, category, shard, leads)
     select account_id, list_id, state, coalesce(category, ''), id % 3, count(*) from leads group by 1, 2, 3, 4, 5`,
  );
}

const fill = (list: number, count: number) =>
  house.transact(async (work) =>
    loadLeads(
      work,
      actor,
      await findLeadList(work, actor, list, 'leads.write'),
      Array.from({ length: count }, () => lead(list)),
    ),
  );
await age([...(await fill(large, 70)), ...(await fill(small, 40))]);

const readAll = async (): Promise<Row[]> =>
  (
    await house.pool.query(
      `select l.*, d.data, d.marks,
              (select count(*)::int from calls c where c.lead_id = l.id and c.direction = 'outbound') as attempts,
              (select max(created_at) from events e where e.lead_id = l.id and e.kind in ('winner', 'skip')) as last_outcome,
              (select user_id from events e where e.lead_id = l.id and e.kind = 'lead_created') as imported_by
         from leads l join lead_data d on d.lead_id = l.id order by l.id`,
    )
  ).rows;
const rows = await readAll();

/** The same language, as plainly as it can be said. */
function holds(row: Row, { name, operator, values }: Token): boolean {
  const field = name.startsWith('field.') ? name.slice(6) : undefined;
  const value = field === undefined ? subjectOf(row, name) : (row.data[field] ?? null);
  const [first, second] = values;
  switch (operator) {
    case 'is_set':
      return value !== null;
    case 'empty':
      return value === null;
    case 'contains':
      return typeof value === 'string' && value.toLowerCase().includes(first!.toLowerCase());
    case 'starts_with':
      return typeof value === 'string' && value.toLowerCase().startsWith(first!.toLowerCase());
    case 'is':
    case 'in':
      return values.some((one) => same(value, one));
    case 'is_not':
      return !same(value, first!);
    default: {
      const own = measure(value);
      const from = operator === 'at_most' ? -Infinity : measure(first!)!;
      const to = operator === 'at_least' ? Infinity : endOf(operator === 'between' ? second! : first!);
      return own !== undefined && own >= from && own <= to;
    }
  }
}

const same = (value: unknown, asked: string) => (typeof value === 'number' ? value === Number(asked) : value === asked);
const DAY = /^\d{4}-\d\d-\d\d$/;
const measure = (value: unknown): number | undefined => {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  if (/^\d{4}-/.test(value)) return readTime(value)!.getTime();
  return /^[+-]?\d+$/.test(value) ? Number(value) : undefined;
};
const endOf = (text: string) => measure(text)! + (DAY.test(text) ? DAYS - 1 : 0);

function subjectOf(row: Row, name: string): unknown {
  switch (name) {
    case 'due':
      return row.state === 'call_back' ? row.scheduled_for : null;
    case 'created':
      return row.created_at;
    case 'updated':
      return row.last_updated;
    case 'duplicate':
      return rows.some((other) => other.id !== row.id && other.marks.some((mark) => row.marks.includes(mark)))
        ? 'yes'
        : 'no';
    default:
      return row[name as keyof Row];
  }
}

const token = (name: string, operator: Token['operator'], ...values: string[]): Token => ({ name, operator, values });
const AT = ['2026-11-10T00:00:00Z', '2026-11-14 12:00:00 UTC'] as const;
const ranges = (name: string, low: string, high: string) => [
  token(name, 'at_least', low),
  token(name, 'at_most', high),
  token(name, 'between', low, high),
];
const EVERY: Token[] = [
  token('state', 'is', 'new'),
  token('state', 'is_not', 'new'),
  token('state', 'in', 'call_back', 'new'),
  token('state', 'in', 'new', 'archived'),
  token('category', 'is', 'Sale'),
  token('category', 'is_not', 'Sale'),
  token('category', 'in', 'Sale', 'Meeting'),
  token('category', 'is_set'),
  token('category', 'empty'),
  ...['claimed_by', 'imported_by'].flatMap((name) => [
    token(name, 'is', String(people[0]!.id)),
    token(name, 'is_not', String(people[0]!.id)),
    token(name, 'in', String(people[0]!.id), String(people[1]!.id)),
    token(name, 'is_set'),
    token(name, 'empty'),
  ]),
  ...['due', 'created', 'updated', 'last_outcome'].flatMap((name) => [
    ...ranges(name, ...AT),
    token(name, 'is_set'),
    token(name, 'empty'),
  ]),
  token('attempts', 'is', '2'),
  ...ranges('attempts', '1', '2'),
  token('duplicate', 'is', 'yes'),
  token('duplicate', 'is', 'no'),
  ...CITIES.slice(0, -1).flatMap((city) => [
    token('field.city', 'is', city),
    token('field.city', 'is_not', city),
    token('field.city', 'contains', city.slice(1)),
    token('field.city', 'starts_with', city.slice(0, 2).toUpperCase()),
  ]),
  token('field.city', 'in', 'Ghent', `O'Brien \\ "x"`),
  token('field.city', 'contains', '%'),
  token('field.city', 'contains', '_'),
  token('field.city', 'contains', '\\'),
  token('field.city', 'is_set'),
  token('field.city', 'empty'),
  token('field.company', 'is', 'Delta, Ltd'),
  token('field.open', 'is', 'true'),
  token('field.since', 'is', '2026-01-31 00:00:00'),
  ...ranges('field.since', '2025-12-31', '2026-01-31'),
  token('field.seats', 'is', '007'),
  ...ranges('field.seats', '-3', '12'),
];

const read = (list_ids: number[] | undefined, filter: Token[]) =>
  readFilter(reading, actor, { ...(list_ids && { list_ids }), filter });

const table = async (lists: number[] | undefined, filter: Token[], asked: Partial<Asked>, bounds?: Partial<Bounds>) => {
  const field = /^-?field\.(.+)$/.exec(asked.order ?? '')?.[1];
  const known = await readFilter(reading, actor, { ...(lists && { list_ids: lists }), filter }, field ? [field] : []);
  return readTable(reading, actor, known, { size: 20, fields: [], order: 'queue', ...asked }, { ...BOUNDS, ...bounds });
};

/** As if these few were too many: every page is walked to, in small rounds. */
const MANY: Partial<Bounds> = { counted: 0, firstRound: 7 };

async function walkAll(
  lists: number[] | undefined,
  filter: Token[],
  order: string,
  way: 'after' | 'before',
  bounds?: Partial<Bounds>,
): Promise<number[]> {
  const ids: number[] = [];
  let page = await table(lists, filter, { order, ...(way === 'before' && { at: 1_000_000 }) }, bounds);
  for (;;) {
    const own = page.leads.map(({ id }) => id);
    if (way === 'after') {
      assert.equal(page.place, ids.length, 'its place');
      ids.push(...own);
    } else ids.unshift(...own);
    const mark = page[way];
    if (mark === null) return ids;
    page = await table(lists, filter, { order, [way]: mark }, bounds);
  }
}

const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);

describe('tokens', () => {
  for (const [name, lists, own] of [
    ['one list', [large], [large]],
    ['all lists', undefined, [large, small]],
  ] as const) {
    test(`each finds in ${name} what it says, whether few match or many`, async () => {
      for (const one of EVERY) {
        const expected = rows.filter((row) => own.includes(row.list_id) && holds(row, one)).map(({ id }) => id);
        const said = `${writeToken(one)} (FILTER_SEED=${seed})`;
        const filter = await read(lists && [...lists], [one]);
        assert.deepEqual((await gather(reading, actor, filter, 0, 1_000)).ids, expected, said);
        assert.equal(await countMatching(reading, actor, filter), expected.length, said);
        const { total } = await table(lists && [...lists], [one], { size: 1 });
        assert.deepEqual(total, { number: expected.length, about: false }, said);
        for (const bounds of [undefined, MANY]) {
          const found = await walkAll(lists && [...lists], [one], 'queue', 'after', bounds);
          assert.deepEqual(sorted(found), expected, `${said}, ${bounds ? 'many' : 'few'}`);
        }
      }
    });
  }

  test('all of them have to hold, with words besides', async () => {
    for (let time = 0; time < 40; time += 1) {
      const filter = [pick(EVERY), pick(EVERY), pick(EVERY)];
      const expected = rows.filter((row) => filter.every((one) => holds(row, one))).map(({ id }) => id);
      const said = `${filter.map(writeToken).join(' ')} (FILTER_SEED=${seed})`;
      for (const bounds of [undefined, MANY])
        assert.deepEqual(sorted(await walkAll(undefined, filter, 'created', 'after', bounds)), expected, said);
      const words = await readMatching(reading, actor, { filter, query: 'alfa' });
      const both = rows.filter(({ id, data }) => expected.includes(id) && data.company === 'Alfa');
      assert.deepEqual(
        (await gather(reading, actor, words, 0, 1_000)).ids,
        both.map(({ id }) => id),
        said,
      );
    }
  });

  test('gathering goes on where it ended, and what matches no more is told apart', async () => {
    const filter = await read(undefined, [token('state', 'is', 'new')]);
    const ids: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const step: { ids: number[]; after: number | null } = await gather(reading, actor, filter, after, 9);
      assert.ok(step.ids.length <= 9);
      ids.push(...step.ids);
      ({ after } = step);
    }
    const expected = rows.filter((row) => row.state === 'new').map(({ id }) => id);
    assert.deepEqual(ids, expected);
    const still = await stillMatch(
      reading,
      actor,
      filter,
      rows.map(({ id }) => id),
    );
    assert.deepEqual(sorted([...still]), expected);
  });
});

const ranked: Record<string, number> = { won: 4, lost: 5, archived: 6 };
const ORDERED: Record<string, (row: Row) => (number | string)[]> = {
  queue: (row) => [
    row.rank ?? ranked[row.state]!,
    row.rank === null ? -row.last_updated.getTime() : +row.turn_at,
    row.id,
  ],
  created: (row) => [+row.created_at, row.id],
  updated: (row) => [+row.last_updated, row.id],
  due: (row) => [+row.scheduled_for!, row.id],
  'field.city': (row) => [row.data.city ? 0 : 1, (row.data.city ?? '').toLowerCase(), row.id],
  'field.seats': (row) => [row.data.seats ? 0 : 1, Number(row.data.seats ?? 0), row.id],
};

const compare = (one: (number | string)[], other: (number | string)[]): number => {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : one[at]! < other[at]! ? -1 : 1;
};

function inOrder(name: string, of: Row[]): number[] {
  const [, back, order] = /^(-?)(.+)$/.exec(name)!;
  const keys = ORDERED[order!]!;
  const there = order === 'due' ? of.filter((row) => row.state === 'call_back' && row.scheduled_for) : of;
  const forwards = there.toSorted((a, b) => compare(keys(a), keys(b)));
  if (!back) return forwards.map(({ id }) => id);
  const nothing = order!.startsWith('field.') ? (row: Row) => keys(row)[0] === 1 : () => false;
  const turned = forwards.toReversed();
  return [...turned.filter((row) => !nothing(row)), ...turned.filter(nothing)].map(({ id }) => id);
}

describe('orders', () => {
  for (const order of Object.keys(ORDERED).flatMap((name) => [name, `-${name}`])) {
    const byField = order.includes('field.');
    test(`by ${order} every lead comes once, forwards, backwards and from any place`, async () => {
      const lists = byField ? [large] : undefined;
      const of = rows.filter((row) => !byField || row.list_id === large);
      const expected = inOrder(order, of);
      for (const bounds of byField ? [undefined] : [undefined, MANY]) {
        const said = `${order} ${bounds ? 'many' : 'few'} (FILTER_SEED=${seed})`;
        assert.deepEqual(await walkAll(lists, [], order, 'after', bounds), expected, said);
        assert.deepEqual(await walkAll(lists, [], order, 'before', bounds), expected, `${said} backwards`);
        for (const at of [0, 1, 13, 30]) {
          const page = await table(lists, [], { order, at, size: 7 }, bounds);
          assert.equal(page.place, at < expected.length ? at : expected.length - 7, `${said} at ${at}`);
          assert.deepEqual(
            page.leads.map(({ id }) => id),
            expected.slice(page.place, page.place + 7),
            `${said} at ${at}`,
          );
        }
      }
    });
  }

  test('far from both ends a place is about right, and the rows from there are those that follow', async () => {
    const expected = inOrder('created', rows);
    const page = await table(undefined, [], { order: 'created', at: 50, size: 10 }, { ...MANY, near: 1 });
    const ids = page.leads.map(({ id }) => id);
    const from = expected.indexOf(ids[0]!);
    assert.deepEqual(ids, expected.slice(from, from + ids.length));
    assert.equal(page.place, 50);
    const end = await table(
      undefined,
      [],
      { order: 'created', at: expected.length - 10, size: 10 },
      { ...MANY, near: 1 },
    );
    assert.deepEqual(
      end.leads.map(({ id }) => id),
      expected.slice(-10),
    );
    assert.equal(end.after, null);
  });

  test('by a field it is refused where there are too many', async () => {
    await assert.rejects(table([large], [], { order: 'field.city' }, { counted: 5 }), {
      message: 'Too many for this order: add a token until at most 5 are left.',
    });
  });

  test('where enough was looked at, the page says so, which token to add, and goes on from there', async () => {
    const filter = [token('field.company', 'contains', 'alfa')];
    const bounds = { ...MANY, lookedInto: 25 };
    const page = await table(undefined, filter, { size: 100 }, bounds);
    assert.ok(page.looked_at! >= 25 && page.looked_at! < 70, String(page.looked_at));
    assert.match(page.hint!, /leads were looked at for this page, as no index has field\.company contains/);
    assert.match(page.hint!, /state is new/);
    assert.notEqual(page.after, null);
    assert.ok(page.total.about);
    const expected = inOrder(
      'queue',
      rows.filter((row) => row.data.company === 'Alfa'),
    );
    assert.deepEqual(await walkAll(undefined, filter, 'queue', 'after', bounds), expected);
    assert.deepEqual(await walkAll(undefined, filter, 'queue', 'before', bounds), expected);
  });
});
