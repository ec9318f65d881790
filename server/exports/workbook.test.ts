import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWorkbook, unzip } from '../../test/workbook.ts';
import type { ExportedLead } from './rows.ts';
import { lettersOf, writeWorkbook } from './workbook.ts';

const columns = [
  { heading: 'Lead id', isNumber: true, text: ({ id }: ExportedLead) => String(id) },
  { heading: 'List', text: ({ list }: ExportedLead) => list },
];
const leads = (number: number, list = 'Depots') =>
  Array.from({ length: number }, (_, at) => ({ id: at + 1, list }) as ExportedLead);

async function* inPages(all: ExportedLead[], size: number) {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
const write = async (all: ExportedLead[], most?: number) =>
  Buffer.concat(await Array.fromAsync(writeWorkbook(columns, inPages(all, 2), most)));

test('what has no more room on a sheet stands on the next, under the same heading', async () => {
  const sheets = readWorkbook(await write(leads(7), 4));
  assert.deepEqual(
    [...sheets].map(([name, rows]) => [name, rows[0], rows.slice(1).map(([id]) => id)]),
    [
      ['Leads', ['Lead id', 'List'], [1, 2, 3]],
      ['Leads 2', ['Lead id', 'List'], [4, 5, 6]],
      ['Leads 3', ['Lead id', 'List'], [7]],
    ],
  );
  assert.deepEqual([...readWorkbook(await write(leads(3), 4)).keys()], ['Leads'], 'a sheet that is just full is alone');
});

test('without a lead there is a sheet with the heading', async () => {
  const file = await write([]);
  assert.deepEqual([...readWorkbook(file)], [['Leads', [['Lead id', 'List']]]]);
  assert.equal([...unzip(file).keys()][0], '[Content_Types].xml', 'by which programs know what it is');
});

test('a text that is too long for a cell is cut, and the workbook says so', async () => {
  const sheets = readWorkbook(await write(leads(2, 'x'.repeat(40_000))));
  const told = sheets.get('Leads')![1]![1];
  assert.equal(String(told).length, 32_767);
  assert.match(String(sheets.get('Notes')![0]![0]), /^2 cells had more than 32767 characters/);
});

test('whoever stops reading ends what is read for them', async () => {
  let ended = false;
  const endless = async function* () {
    try {
      for (;;) yield leads(1_000);
    } finally {
      ended = true;
    }
  };
  let bytes = 0;
  for await (const piece of writeWorkbook(columns, endless())) if ((bytes += piece.length) > 100_000) break;
  assert.ok(ended);
});

test('what fails while leads are read fails the file', async () => {
  const failing = async function* () {
    yield leads(2);
    throw new Error('The database is away.');
  };
  await assert.rejects(Array.fromAsync(writeWorkbook(columns, failing())), /The database is away/);
});

test('columns are named as spreadsheets do', () => {
  assert.deepEqual([0, 25, 26, 51, 701, 702, 16_383].map(lettersOf), ['A', 'Z', 'AA', 'AZ', 'ZZ', 'AAA', 'XFD']);
});
