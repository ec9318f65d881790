import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { NewExport } from '../../contract/exports.ts';
import { unguard } from '../../contract/formulas.ts';
import { openHouse, OWNER, type Ask } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { readWorkbook } from '../../test/workbook.ts';
import { findLeadList } from '../leads/access.ts';
import { loadLeads } from '../leads/load.ts';
import { createList } from '../lists/lists.ts';
import { serviceActor } from '../platform/actor.ts';
import { ASKED_AGAIN_MS } from '../platform/pieces.ts';

const house = await openHouse();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const manager = await house.join({ email: 'manager@example.com', agent: false, lists_admin: true });
const other = await house.join({ email: 'other@example.com', agent: false, lists_admin: true });

const newList = async (name: string, kinds: [label: string, kind: string][]) =>
  (await api('POST', '/lists', { list: { name, columns_attributes: kinds.map(([label, kind]) => ({ label, kind })) } }))
    .body.id as number;
const load = (list: number, rows: Record<string, string>[], account = house.account): Promise<number[]> => {
  const actor = serviceActor(account, 'test');
  return house.transact(async (work) =>
    loadLeads(work, actor, await findLeadList(work, actor, list, 'leads.write'), rows),
  );
};

type Given = Partial<NewExport>;
const askFor = (who: { ask: Ask }, given: Given) =>
  who.ask('POST', '/exports', { export: { format: 'csv', ...given } });

/** The file as it comes, from the moment its head is there. */
async function open(who: { cookie: string }, id: number, method = 'GET'): Promise<IncomingMessage> {
  const asking = request(`${house.address}/app/exports/${id}`, { method, headers: { cookie: who.cookie } }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return answer;
}

async function fetchBytes(who: typeof manager, given: Given): Promise<Buffer> {
  const { status, body } = await askFor(who, given);
  assert.equal(status, 201, JSON.stringify(body));
  const answer = await open(who, body.id);
  assert.equal(answer.statusCode, 200);
  return Buffer.concat(await answer.toArray());
}

/** Rows of CSV; nothing in these tests has a line break in it but what is quoted. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(unguard(quoted?.replaceAll('""', '"') ?? plain!));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}
const fetchCsv = async (given: Given, who = manager) => readCsv((await fetchBytes(who, given)).toString());

const HOSTILE = [
  '=HYPERLINK("http://evil.example.com","x")',
  `'=1`,
  '-2+3',
  '+45 33 11 22 33',
  '-12',
  'a "b", c\r\nd\te',
  ' leading',
  '_x0041_',
  '<&>',
  '😀 Århus',
];
const depots = await newList('Depots/North', [
  ['Company', 'none'],
  ['Phone', 'phone'],
  ['Seats', 'integer'],
  ['Since', 'date'],
  ['State', 'none'],
]);
const shops = await newList('Shops', [
  ['Company', 'none'],
  ['Note', 'text'],
]);
const hostile = await load(
  depots,
  HOSTILE.map((company, at) => ({ company, seats: ['12', '007', '-0', ''][at % 4]!, since: '2026-01-31 14:30:00' })),
);
const agent = await house.join({ email: 'agent@example.com', listing_ids: [depots, shops] });
const [shop] = await load(shops, [{ company: 'Barrow', note: '\x01' }]);

test('what the table shows, in its columns and its order, as CSV', async () => {
  await api('POST', `/leads/${hostile[3]}/winner`, { lead: { comment: 'Yes' } });
  const matching = {
    list_ids: [depots],
    filter: [{ name: 'state', operator: 'is' as const, values: ['new'] }],
  };
  const columns = ['field.company', 'field.seats', 'state', 'calls'];
  const [head, ...rows] = await fetchCsv({ matching, columns, order: '-created' });
  assert.deepEqual(head, ['Company', 'Seats', 'State', 'Category', 'Calls']);
  assert.deepEqual(
    rows.map(([company]) => company),
    HOSTILE.toSpliced(3, 1).toReversed(),
  );
  assert.deepEqual(rows.at(-1)!.slice(1), ['12', 'new', '', '0']);
  const text = (await fetchBytes(manager, { matching, columns: ['field.company'], bom: true })).toString();
  assert.ok(text.startsWith('\uFEFFCompany\r\n'));
  assert.doesNotMatch(text, /(?:^|\r\n)"?[=@]/, 'no formula stands at the beginning of a cell');
  assert.match(text, /\r\n'-2\+3\r\n/);
  assert.match(text, /\r\n-12\r\n/);
});

test('everything: all fields of the lists, those of the same key in one column, times that can be read again', async () => {
  const [head, ...rows] = await fetchCsv({ matching: { list_ids: [depots, shops] }, order: 'created' });
  assert.equal(
    head!.join(),
    'Lead id,List,Company,Phone,Seats,Since,State (state),Note,State,Category,Due,Reminder,Claimed by,Created,Updated',
  );
  assert.deepEqual(
    rows.map(([id]) => Number(id)),
    [...hostile, shop],
  );
  const { created_at, last_updated } = (await api('GET', `/leads/${shop}`)).body;
  const last = rows.at(-1)!;
  assert.equal(last.slice(0, -2).join(), `${shop},Shops,Barrow,,,,,\x01,new,,,,`);
  assert.deepEqual(last.slice(-2), [created_at, last_updated]);
  assert.equal(rows[0]![5], '2026-01-31 14:30:00');
  await api('POST', `/leads/${shop}/call_back`, { lead: { scheduled_for: '2030-01-02 03:04:05 UTC' } });
  await api('PATCH', `/leads/${shop}/delegate`, { lead: { delegate_to: 'agent@example.com' } });
  const standing = async () => (await fetchCsv({ matching: { list_ids: [shops] } }))[1]!.slice(4, 9);
  assert.deepEqual(await standing(), ['call_back', '', '2030-01-02T03:04:05.000Z', '', 'agent@example.com']);
  await api('POST', `/leads/${shop}/winner`, { lead: { scheduled_for: '2031-01-02 03:04:05 UTC' } });
  assert.deepEqual(await standing(), ['won', '', '', '2031-01-02T03:04:05.000Z', 'agent@example.com']);
});

test('a workbook says the same: texts as texts, whole numbers as numbers, nothing as a formula', async () => {
  const given = { matching: { list_ids: [depots, shops] }, order: 'created' };
  const sheets = readWorkbook(await fetchBytes(manager, { ...given, format: 'xlsx' }));
  assert.deepEqual([...sheets.keys()], ['Leads']);
  const [head, ...rows] = sheets.get('Leads')!;
  const [csvHead, ...csv] = await fetchCsv(given);
  assert.deepEqual(head, csvHead);
  assert.deepEqual(
    rows.map((row) => row.map((cell) => unguard(String(cell)))),
    csv,
  );
  assert.deepEqual(
    rows.slice(0, 3).map(([id, , , , seats]) => [typeof id, seats]),
    [
      ['number', 12],
      ['number', '007'],
      ['number', '-0'],
    ],
  );
});

test('leads that are chosen, or all but some; those of others are never in it', async () => {
  const { account } = await house.addAccount('Elsewhere', 'http://elsewhere.example.com');
  const stranger = serviceActor(account, 'test');
  const { id: list } = await house.transact((work) => createList(work, stranger, { name: 'Elsewhere' }));
  const [theirs] = await load(list, [{ first_name: 'Secret' }], account);
  const columns = ['field.company'];
  const named = await fetchCsv({ lead_ids: [hostile[4]!, theirs!, hostile[0]!, 999_999], columns });
  assert.deepEqual(named, [['Company'], [HOSTILE[0]], [HOSTILE[4]]]);
  const but = await fetchCsv({ matching: { list_ids: [depots] }, except_ids: hostile.slice(1), columns });
  assert.deepEqual(but, [['Company'], [HOSTILE[0]]]);
  const all = await fetchCsv({ matching: {} });
  assert.equal(all.length, 1 + hostile.length + 1);
  // The table of all lists shows fields that theirs does not have.
  const shown = ['field.note', 'field.phone', 'field.company'];
  assert.deepEqual(await fetchCsv({ lead_ids: [shop!], columns: shown }), [
    ['Note', 'Phone', 'Company'],
    ['\x01', '', 'Barrow'],
  ]);
  assert.equal((await askFor(manager, { lead_ids: [shop!], columns: ['field.first_name'] })).status, 422, 'of others');
  assert.equal((await askFor(manager, { matching: { list_ids: [list] } })).status, 422);
});

test('those who may not are refused, and what is asked is fetched by whoever asked alone', async () => {
  const supervisor = await house.join({ email: 'supervisor@example.com', agent: false, supervisor: true });
  for (const who of [agent, supervisor])
    assert.equal((await askFor(who, { matching: { list_ids: [depots] } })).status, 403);
  const { id } = (await askFor(manager, { matching: { list_ids: [depots] } })).body;
  assert.deepEqual([(await open(other, id)).statusCode, (await open(agent, id)).statusCode], [404, 403]);
  const head = await open(manager, id, 'HEAD');
  assert.deepEqual(
    [head.statusCode, head.headers['content-disposition']?.replace(/\d{4}-\d\d-\d\d/, 'DAY')],
    [200, 'attachment; filename="Depots-North DAY.csv"'],
  );
  assert.deepEqual(await head.toArray(), []);
  await house.pool.query(`update exports set created_at = now() - interval '61 minutes' where id = $1`, [id]);
  assert.equal((await open(manager, id)).statusCode, 404);
});

test('what is wrong is named before anything begins', async () => {
  const faults = async (given: Given) => Object.keys((await askFor(manager, given)).body.errors ?? {});
  assert.deepEqual(await faults({}), ['lead_ids']);
  assert.deepEqual(await faults({ matching: {}, lead_ids: [1] }), ['lead_ids']);
  assert.deepEqual(await faults({ lead_ids: [1e30] }), ['lead_ids.0']);
  assert.deepEqual(await faults({ lead_ids: [9.3e18] }), ['lead_ids.0']);
  assert.deepEqual(await faults({ matching: {}, columns: ['colour'] }), ['columns']);
  assert.deepEqual(await faults({ matching: {}, columns: ['field.colour'] }), ['columns']);
  assert.deepEqual(await faults({ matching: {}, columns: ['constructor'] }), ['columns']);
  assert.deepEqual(await faults({ matching: {}, order: 'colour' }), ['order']);
});

test('of lists with more fields than a file has columns some are named', async (context) => {
  const list = await newList('Wide', [['Name', 'none']]);
  context.after(() => house.pool.query('delete from list_columns where list_id = $1 and position > 0', [list]));
  const [lead] = await load(list, [{ name: 'Ann' }]);
  await house.pool.query(
    `insert into list_columns (account_id, list_id, position, key, label, kind, visible, required, options)
     select account_id, list_id, n, 'field_' || n, 'Field ' || n, kind, visible, required, options
       from list_columns, generate_series(1, 16384) n where list_id = $1`,
    [list],
  );
  const all = await askFor(manager, { lead_ids: [lead!] });
  const sentence = 'must be named: a file has at most 16,384, and these are more';
  assert.deepEqual([all.status, all.body.errors], [422, { columns: [sentence] }]);
  const columns = ['field.field_16384', 'field.name'];
  assert.deepEqual(await fetchCsv({ lead_ids: [lead!], columns }), [
    ['Field 16384', 'Name'],
    ['', 'Ann'],
  ]);
});

test('the audit log has who took how many, of which leads', async () => {
  await fetchCsv({ matching: { list_ids: [depots] }, columns: ['lead'] });
  const { body } = await owner('GET', '/audit');
  const taken = body.find(({ action }: { action: string }) => action === 'leads.exported');
  assert.deepEqual([taken.actor, taken.subject], ['manager@example.com', `${hostile.length} leads`]);
  assert.deepEqual(taken.detail, { format: 'csv', columns: ['lead'], lists: [depots], filter: [], complete: true });
});

const LONG = 'long '.repeat(2_000);
/** A list of more than lies in the buffers between two programs. */
async function loadLarge(): Promise<number> {
  const places = Array.from({ length: 20 }, (_, at) => at);
  const list = await newList(
    'Large',
    places.map((at) => [`Text ${at}`, 'text']),
  );
  await load(
    list,
    Array.from({ length: 90 }, () => ({ text_0: LONG })),
  );
  await house.pool.query(
    `update lead_data set data = (select jsonb_object_agg('text_' || at, $2::text) from generate_series(0, 19) as at)
      where list_id = $1`,
    [list, LONG],
  );
  return list;
}

test('whoever reads slowly holds up nobody, not even themselves; whoever goes away leaves nothing behind', async () => {
  const large = await loadLarge();
  const matching = { list_ids: [large] };
  const { id } = (await askFor(manager, { matching })).body;
  const answer = await open(manager, id);
  await once(answer, 'readable');
  // Their one place for what reads a lot is free.
  assert.equal((await manager.ask('GET', `/leads/count?lists=${large}`)).body.number, 90);
  const second = await askFor(manager, { matching });
  assert.deepEqual([second.status, second.body.code], [409, 'export_under_way']);
  assert.equal((await fetchCsv({ matching: { list_ids: [depots] } }, other)).length, 1 + hostile.length);
  const busy = `select count(*)::int as number from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state like '%transaction%'`;
  assert.equal((await house.pool.query(busy)).rows[0].number, 0, 'no transaction waits for the reader');
  answer.destroy();
  await eventually('another can be asked for', async () => (await askFor(manager, { matching })).status === 201);
  await eventually('that it was broken off is written down', async () => {
    const { body } = await owner('GET', '/audit');
    const last = body.find(({ action }: { action: string }) => action === 'leads.exported');
    return /^\d+ leads, then broken off$/.test(last.subject) && last.detail.complete === false;
  });
  // More than should lie in memory at once is read in parts, and all of it arrives.
  const rows = await fetchCsv({ matching });
  assert.equal(rows.length, 1 + 90);
  assert.ok(rows.slice(1).every((row) => row[2] === LONG));
});

test('whoever is signed out, or may not any more, gets no more of a file that is under way', async () => {
  const matching = { list_ids: [await loadLarge()] };
  const endings = [
    (who: typeof manager) => who.ask('DELETE', '/session'),
    async (who: typeof manager) => {
      const { id } = (await who.ask('GET', '/me')).body.user;
      return owner('PATCH', `/users/${id}`, { user: { lists_admin: false, agent: true } });
    },
  ];
  await Promise.all(
    endings.map(async (end, at) => {
      const who = await house.join({ email: `leaves-${at}@example.com`, agent: false, lists_admin: true });
      const answer = await open(who, (await askFor(who, { matching })).body.id);
      await once(answer, 'readable');
      assert.ok((await end(who)).status < 300);
      // Nothing is read until they are looked at again: then no more of it has gone out than lies in buffers.
      await wait(ASKED_AGAIN_MS + 1_000);
      await assert.rejects(answer.toArray(), /aborted/);
    }),
  );
});

test('a file that nobody could note, or that fails on the way, does not look whole', async () => {
  await house.pool.query(`alter table audit_log add constraint unnoted check (action <> 'leads.exported') not valid`);
  after(() => house.pool.query('alter table audit_log drop constraint unnoted'));
  for (const format of ['csv', 'xlsx'] as const) {
    const { id } = (await askFor(manager, { matching: { list_ids: [depots] }, format })).body;
    const answer = await open(manager, id);
    await assert.rejects(answer.toArray(), /aborted/);
    await eventually('the next may come', async () => (await askFor(manager, { matching: {} })).status === 201);
  }
});
