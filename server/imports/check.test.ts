import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HowRead, Match, Plan } from '../../contract/imports.ts';
import type { ColumnKind } from '../../contract/lists.ts';
import { checkRow, checkRows, type CheckedRow } from './check.ts';
import { lookOf, YES_NO } from './files/looks.ts';
import { planChecking } from './plan-checking.ts';
import { provisionalList } from './shape.ts';

const field = (label: string, kind: ColumnKind, more: Partial<Match> = {}): Match => ({
  columns: [0],
  new_field: { label, kind },
  ...more,
});

const planOf = (matches: Match[]): Plan => ({
  list_id: null,
  new_list: { name: 'New' },
  matches,
  duplicates: 'skip',
  within: 'list',
  state: 'new',
  category: null,
  people: [],
});

const open = (matches: Match[], format: HowRead['format'] = 'csv') => {
  const plan = planOf(matches);
  const list = provisionalList(plan, null, 'GB');
  return planChecking({ plan, list, people: { 'ann@example.com': 7 }, timeZone: 'Europe/Berlin', format });
};

const told = (checked: CheckedRow) =>
  checked.fault === undefined ? { ...JSON.parse(checked.data), ...checked.besides } : checked.fault;
/** What one cell becomes. */
const read = (match: Match, text: string, format?: HowRead['format']) =>
  told(checkRow(open([match], format), [text], null));

test('dates are read in the order that is said, or in the only one that makes sense', () => {
  const at = (text: string, dates?: Match['dates']) => read(field('Due', 'date', { ...(dates && { dates }) }), text);
  for (const [text, dates, expected] of [
    ['2026-03-31', undefined, '2026-03-31 00:00:00'],
    ['2026-03-31T14:05:00Z', 'day_first', '2026-03-31 14:05:00'],
    ['2026-03-31 14:05:00 +02:00', undefined, '2026-03-31 12:05:00'],
    ['31/03/2026', undefined, '2026-03-31 00:00:00'],
    ['3/31/2026', undefined, '2026-03-31 00:00:00'],
    ['4.3.26', 'day_first', '2026-03-04 00:00:00'],
    ['4-3-1999 9:05', 'month_first', '1999-04-03 09:05:00'],
    ['4/3/2026 9:05 pm', 'month_first', '2026-04-03 21:05:00'],
    ['12/31/2026 12:15 AM', undefined, '2026-12-31 00:15:00'],
    ['26/04/03', 'year_first', '2026-04-03 00:00:00'],
    ['2026/4/3', undefined, '2026-04-03 00:00:00'],
    ['20260403', undefined, '2026-04-03 00:00:00'],
  ] as const)
    assert.deepEqual(at(text, dates), { due: expected }, text);
  for (const text of ['31/02/2027', '00/00/0000', '2026-02-30', '32.1.2026'])
    assert.equal(at(text, 'day_first'), 'Due: no such date', text);
  for (const text of ['soon', '31 March', '1/2', 'x'.repeat(5_000)]) assert.equal(at(text), 'Due must be a date');
  assert.equal(at('4/3/2026'), 'Due: day or month first? Say how its dates are written');
});

test('whole numbers may be grouped, and nothing is rounded', () => {
  const at = (text: string) => read(field('Vans', 'integer'), text);
  for (const [text, expected] of Object.entries({
    '112': '112',
    '-5': '-5',
    '1 234': '1234',
    '1.234': '1234',
    '1,234,567': '1234567',
    "1'234": '1234',
    '12.0': '12',
    '12,00': '12',
    '1.2E+1': '12',
  }))
    assert.deepEqual(at(text), { vans: expected }, text);
  for (const text of ['12,5', '1.2345', '1.234,567', '0.125', '-0,125'])
    assert.equal(at(text), 'Vans must be a whole number', text);
  for (const text of ['n/a', '~80', '4.5E+10']) assert.equal(at(text), 'Vans must be a number', text);
});

test('a number of a workbook that is not whole is none in groups', () => {
  const at = (text: string) => read(field('Vans', 'integer'), text, 'xlsx');
  for (const text of ['1.125', '-12.5', '999.999']) assert.equal(at(text), 'Vans must be a whole number', text);
  for (const [text, expected] of Object.entries({ '1.230': '1230', '1,125': '1125', '1.234.567': '1234567' }))
    assert.deepEqual(at(text), { vans: expected }, text);
});

test('telephone numbers that a spreadsheet shortened come back where no digit is lost', () => {
  const at = (text: string) => read(field('Phone', 'phone'), text);
  assert.deepEqual(at('4.4207946012E+10'), { phone: '44207946012' });
  assert.equal(
    at('4.5E+10'),
    'Phone lost its digits in a spreadsheet; format the column as text there and save it again',
  );
  assert.deepEqual(at("'+44 20 7946 0118"), { phone: '+44 20 7946 0118' });
  assert.deepEqual(at(' (020) 7946 0119 '), { phone: '(020) 7946 0119' });
});

test('yes and no are known in several languages, options however they are written', () => {
  const yes = (text: string) => read(field('Vip', 'boolean'), text);
  for (const text of ['yes', 'JA', 'x', '1', 'true']) assert.deepEqual(yes(text), { vip: 'true' }, text);
  for (const text of ['no', 'Nein', '0', 'FALSE']) assert.deepEqual(yes(text), { vip: 'false' }, text);
  for (const [word, meant] of YES_NO) {
    assert.equal(lookOf(word), 'boolean', word);
    assert.deepEqual(yes(word.toUpperCase()), { vip: String(meant) }, word);
  }
  assert.equal(yes('maybe'), 'Vip must be yes or no');
});

test('a row needs what the list requires, and something at all', () => {
  const plan = {
    ...planOf([
      { columns: [0], field: 'name' },
      { columns: [1], field: 'size' },
    ]),
    list_id: 1,
  };
  const list = {
    ...provisionalList(planOf([]), null, 'GB'),
    columns: [
      { key: 'name', label: 'Name', kind: 'none' as const, required: true, options: [] },
      { key: 'size', label: 'Size', kind: 'options' as const, required: false, options: ['Small', 'Large'] },
    ],
  };
  const checking = planChecking({ plan, list, people: {}, timeZone: 'UTC', format: 'csv' });
  assert.deepEqual(told(checkRow(checking, ['Ann', 'small'], null)), { name: 'Ann', size: 'Small' });
  assert.deepEqual(checkRow(checking, ['  ', 'Small'], null), { fault: 'Name is required', faultyAt: 0 });
  assert.equal(told(checkRow(checking, ['', ''], null)), 'Nothing stands in the columns that are matched');
  assert.equal(told(checkRow(checking, ['Ann', 'Medium'], null)), 'Size must be one of Small, Large');
  assert.equal(told(checkRow(checking, ['Ann', ''], '9 columns, 2 expected')), '9 columns, 2 expected');
  assert.equal(told(checkRow(checking, ['x'.repeat(10_001), ''], null)), 'Name must have at most 10,000 characters');
});

test('columns are joined, and what else of a lead a file says is read', () => {
  const checking = open([
    { columns: [0, 1], new_field: { label: 'Name', kind: 'none' } },
    { columns: [2], part: 'state' },
    { columns: [3], part: 'category' },
    { columns: [4], part: 'due', dates: 'day_first' },
    { columns: [5], part: 'claimed_by' },
    { columns: [6], part: 'comment' },
    { columns: [7], part: 'id' },
  ]);
  const row = ['Ann', 'Lee', 'Call back', 'Busy', '1.7.2026 9:30', 'Ann@Example.com', ' hm ', '12'];
  assert.deepEqual(told(checkRow(checking, row, null)), {
    name: 'Ann Lee',
    id: 12,
    state: 'call_back',
    category: 'Busy',
    due: '2026-07-01T07:30:00.000Z',
    claimed_by: 7,
    comment: 'hm',
    said: 'hm',
  });
  const withCell = (place: number, text: string) => told(checkRow(checking, row.with(place, text), null));
  assert.equal(withCell(2, 'gone'), 'The state must be new, call back, won, lost or archived');
  assert.equal(withCell(2, 'new'), 'The category is none that the list has for leads that are new');
  assert.equal(withCell(4, '31.2.2026'), 'The due time: no such date');
  assert.equal(withCell(5, 'bob@example.com'), 'Claimed by must be the e-mail address of someone who works here');
  assert.equal(withCell(5, 'constructor'), 'Claimed by must be the e-mail address of someone who works here');
  assert.equal(withCell(7, 'x'), 'The number of the lead must be a number such as 4711');
});

test('what our own files put before formulas is taken off again', () => {
  assert.deepEqual(read(field('Note', 'none'), "'=SUM(A1)"), { note: '=SUM(A1)' });
  assert.deepEqual(read(field('Note', 'none'), '=SUM(A1)'), { note: '=SUM(A1)' });
});

test('rows that are faulty are counted by reason, sound ones that can be recognised too', () => {
  const rows = checkRows(open([field('Phone', 'phone')]), [
    [2, ['020 7946 0118'], null],
    [3, ['x'], null],
    [4, ['4.5E+10'], null],
    [5, [], '0 columns, 1 expected'],
  ]);
  assert.deepEqual([rows.faulty, rows.marked, rows.faultyRows], [2, 1, [4, 5]]);
  assert.equal(rows.reasons.length, 2);
  assert.deepEqual(JSON.parse(rows.json)[0], [
    2,
    { phone: '020 7946 0118' },
    JSON.parse(rows.json)[0][2],
    ['phone +442079460118'],
    null,
    null,
    null,
  ]);
});
