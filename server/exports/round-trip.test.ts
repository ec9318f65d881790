import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, type Answer } from '../../test/house.ts';
import type { NewExport } from '../../contract/exports.ts';
import { openUploads } from '../../test/uploads.ts';

const house = await openHouse({ RATE_LIMITS: 'off' });
const api = house.withKey(house.key);
const manager = await house.join({ email: 'manager@example.com', agent: false, lists_admin: true });
const ann = await house.join({ email: 'ann@example.com', first_name: 'Ann', last_name: 'Berg' });
const { bring } = openUploads(manager.ask);

const ok = ({ status, body }: Answer) => {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body;
};

const COLUMNS = [
  { label: 'Name', kind: 'text' },
  { label: 'Mobile', kind: 'phone' },
  { label: 'Mail', kind: 'email' },
  { label: 'Ships', kind: 'integer' },
  { label: 'Since', kind: 'date' },
  { label: 'Insured', kind: 'boolean' },
  { label: 'State', kind: 'text' },
];

const newList = async (name: string): Promise<number> =>
  ok(
    await api('POST', '/lists', {
      list: {
        name,
        user_ids: [ann.id],
        columns_attributes: COLUMNS,
        call_back_categories: 'Busy, In spring',
        winner_categories: 'Signed',
      },
    }),
  ).id;

/** Whatever a cell can be misread as. */
const NAMES = [
  'Ann',
  'Joe "the boat" Smith',
  'Harbour, Pier; 4\tEast',
  'two\nlines',
  'two\r\nlines',
  '=SUM(A1:A9)',
  '+1+1',
  '-2+3',
  '@here',
  "'=1",
  "''",
  "'tis",
  ' before',
  'after ',
  ' ',
  '007',
  '4.5E+10',
  '1e3',
  '2026-01-31',
  '31/01/2026',
  'TRUE',
  '1,234.50',
  '#N/A',
  '�',
  'Ø æ ß 北京 🚢 e\u0301',
  'sep=;',
  'Lead id',
  'null',
  'a'.repeat(5_000),
];

/** Of a list, without what a new lead has anew. */
const leadsOf = async (list: number) =>
  (
    await house.pool.query(
      `select d.data, l.state, l.category, l.scheduled_for, u.email as claimed_by
         from leads l join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
         left join users u on u.account_id = l.account_id and u.id = l.claimed_by
        where l.list_id = $1 order by l.id`,
      [list],
    )
  ).rows;

const from = await newList('Harbour');
for (const [index, name] of NAMES.entries()) {
  const data = {
    name,
    mobile: ['+45 33 12 34 56', '004533123456', '+1 (555) 010-9999', '555-CALL', '', '0123'][index % 6],
    mail: `a${index}@example.com`,
    ships: ['12', '-3', '', '0'][index % 4],
    since: ['2026-01-31 14:30:00', '', '1999-12-31'][index % 3],
    insured: ['true', 'false', ''][index % 3],
    state: ['new', 'Lithuania', ''][index % 3],
  };
  const lead = ok(await api('POST', `/lists/${from}/leads`, { lead: data }));
  const give = (outcome: string, event: object) => api('POST', `/leads/${lead.id}/${outcome}`, { lead: event });
  if (index % 5 === 1) ok(await give('call_back', { category: 'In spring', scheduled_for: '2030-03-01 09:00:00 UTC' }));
  if (index % 5 === 2) ok(await give('winner', { category: 'Signed' }));
  if (index % 5 === 3)
    ok(await api('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: 'ann@example.com' } }));
}

async function fetchFile(given: Partial<NewExport>): Promise<Buffer> {
  const asked = { matching: { list_ids: [from] }, order: 'created', ...given };
  const { id } = ok(await manager.ask('POST', '/exports', { export: asked }));
  const answer = await fetch(`${house.address}/app/exports/${id}`, { headers: { cookie: manager.cookie } });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

const FORMS: [name: string, given: Partial<NewExport>][] = [
  ['CSV', { format: 'csv' }],
  ['CSV for Excel', { format: 'csv', bom: true }],
  ['a workbook', { format: 'xlsx' }],
];
for (const [name, given] of FORMS)
  test(`leads that were exported as ${name} and imported again are the same leads`, async () => {
    const into = await newList(`From ${name}`);
    const done = await bring(await fetchFile(given), into, { duplicates: 'add' });
    assert.equal(done.counts.faulty, 0);
    assert.deepEqual(await leadsOf(into), await leadsOf(from));
  });
