import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWorkbook, rowOf, type MadeWorkbook } from '../../../../test/workbooks.ts';
import { look, readRows, type FileSource } from '../file.ts';
import { formatOf } from './formats.ts';
import { showNumber } from './numbers.ts';

const sourceOf = (bytes: Buffer): FileSource => ({
  name: 'leads.xlsx',
  bytes: bytes.length,
  read: async (from, length) => bytes.subarray(from, from + length),
});

async function read(made: MadeWorkbook, sheet?: number) {
  const file = sourceOf(makeWorkbook(made));
  const { how, sheets } = await look(file);
  const rows = (await Array.fromAsync(readRows(file, { ...how, sheet: sheet ?? how.sheet }))).flat();
  return { how, sheets, rows, cells: rows.map(({ cells }) => cells) };
}

const HEADING = rowOf('Name', 'Phone', 'Since');

test('cells stand where their references say, and follow one another where they have none', async () => {
  const { rows } = await read({
    sheets: [
      {
        rows: `<row r="3">${HEADING.slice(5)}<row r="5"><c r="C5"><v>7</v></c><c r="A5" t="str"><v>Anna</v></c></row><row><c t="str"><v>Bob</v></c><c><v>1</v></c></row>`,
      },
    ],
  });
  assert.deepEqual(rows, [
    { row: 1, cells: ['Name', 'Phone', 'Since'] },
    { row: 5, cells: ['Anna', '', '7'] },
    { row: 6, cells: ['Bob', '1', ''] },
  ]);
});

test('texts are shared, rich, within their cell, or escaped', async () => {
  const { cells } = await read({
    texts: [
      '<t>Name</t>',
      '<r><t>An</t></r><r><rPr><b/></rPr><t xml:space="preserve">na </t></r><rPh sb="0" eb="1"><t>anna</t></rPh>',
      '<t>a_x000D_&amp;_x005F_x000D_ _x0000_</t>',
      '<t/>',
    ],
    sheets: [
      {
        rows: '<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row><row><c t="inlineStr"><is><r><t>Bo</t></r><r><t>b</t></r></is></c></row><row><c t="str"><f>A1&amp;"x"</f><v>Carl</v></c></row><row><c t="s"><v>2</v></c></row><row><c t="s"><v>3</v></c></row><row><c t="s"><v>99</v></c></row><row><c t="str"><v><![CDATA[<Dora>]]></v></c></row>',
      },
    ],
  });
  assert.deepEqual(cells, [['Name'], ['Anna '], ['Bob'], ['Carl'], ['a\r&_x000D_ _x0000_'], ['<Dora>']]);
});

test('numbers are as people read them', () => {
  const shown: [written: string, code: string, text: string][] = [
    ['4.5E+10', 'General', '45000000000'],
    ['4.9123456789E10', 'General', '49123456789'],
    ['0.1', '0.00', '0.1'],
    ['0.30000000000000004', 'General', '0.3'],
    ['12345678901234567', 'General', '12345678901234567'],
    ['1.2345678901234567E+25', 'General', '12345678901234600000000000'],
    ['1E-7', 'General', '0.0000001'],
    ['-5', 'General', '-5'],
    ['1234', '00000', '01234'],
    ['46112', 'dd.mm.yyyy', '2026-03-31'],
    ['46112.604166666664', 'yyyy-mm-dd hh:mm', '2026-03-31T14:30:00'],
    ['46112.604166666664', '[$-407]d. mmmm yyyy;@', '2026-03-31'],
    ['46112', 'd/m/yy h:mm', '2026-03-31'],
    ['0.604166666666667', 'hh:mm', '14:30'],
    ['1.5', '[h]:mm:ss', '36:00'],
    ['1', 'yyyy', '1900-01-01'],
    ['59', 'yyyy', '1900-02-28'],
    ['61', 'yyyy', '1900-03-01'],
    ['3000000', 'dd.mm.yyyy', '3000000'],
    ['-1', 'dd.mm.yyyy', '-1'],
    ['112', '0 "days"', '112'],
    ['112', '#,##0.00 [$€-407]', '112'],
    ['45000000000', '0.00E+00', '45000000000'],
  ];
  for (const [written, code, text] of shown)
    assert.equal(showNumber(written, formatOf(code), false), text, `${written} ${code}`);
  assert.equal(showNumber('44650', formatOf('yyyy-mm-dd'), true), '2026-03-31');
});

test('dates, truth, errors and formulas of a sheet', async () => {
  const { rows } = await read({
    formats: ['dd.mm.yyyy'],
    since1904: true,
    sheets: [
      {
        rows: `${HEADING}<row><c t="b"><v>1</v></c><c><f>1+1</f><v>2</v></c><c s="1"><v>44650</v></c></row><row><c t="str"><v>x</v></c><c t="e"><v>#N/A</v></c><c s="2"><v>44650</v></c></row><row><c t="d"><v>2026-03-31T00:00:00</v></c></row><row><c t="str"><v>y</v></c><c t="str"><f>IF(1,"")</f><v></v></c></row><row><c t="str"><v>z</v></c><c><f>A1</f><v/></c></row>`,
      },
    ],
  });
  assert.deepEqual(rows.slice(1), [
    { row: 2, cells: ['true', '2', '2026-03-31'] },
    { row: 3, cells: ['x', '#N/A', '2026-03-31'], fault: '#N/A in a cell' },
    { row: 4, cells: ['2026-03-31', '', ''] },
    { row: 5, cells: ['y', '', ''] },
    { row: 6, cells: ['z'], fault: 'A formula without its value' },
  ]);
});

test('an error of any length is told in some of its characters, none of them cut through', async () => {
  const { rows } = await read({
    sheets: [{ rows: `${HEADING}<row><c t="e"><v>${'x'.repeat(49)}😀${'x'.repeat(100)}</v></c></row>` }],
  });
  const fault = rows[1]?.fault ?? '';
  assert.ok(fault.isWellFormed());
  assert.match(fault, /^x{49}. in a cell$/u);
});

test('sheets are named, hidden ones too, and the first with anything in it is read', async () => {
  const sheets = [
    { name: 'Cover', rows: '' },
    { name: 'Secret', hidden: true, rows: rowOf('hidden') },
    { name: 'Leads &amp; more', rows: HEADING + rowOf('Anna', '1', '') },
  ];
  const first = await read({ sheets });
  assert.deepEqual([first.sheets, first.how.sheet, first.how.header], [['Cover', 'Secret', 'Leads & more'], 2, true]);
  assert.deepEqual(first.cells, [
    ['Name', 'Phone', 'Since'],
    ['Anna', '1', ''],
  ]);
  assert.deepEqual((await read({ sheets }, 1)).cells, [['hidden']]);
  assert.deepEqual((await read({ sheets }, 0)).cells, []);
  await assert.rejects(read({ sheets }, 3), /^Error: The workbook has 3 sheets, and none with number 4\./);
});

test('what is kept of a workbook besides its rows stays short, however long it was made', async () => {
  const long = 'A'.repeat(500_000);
  const { sheets, rows } = await read({
    sheets: [{ name: long, rows: `${HEADING}<row><c t="str"><v>x</v></c><c t="e"><v>${long}</v></c></row>` }],
  });
  assert.equal(sheets[0]!.length, 255);
  assert.equal(rows[1]!.fault, `${'A'.repeat(50)} in a cell`);
  const many = Array.from({ length: 1_001 }, () => ({ rows: '' }));
  await assert.rejects(read({ sheets: many }), /^Error: This workbook has more than 1,000 sheets\./);
});

test('a small file that names a long text in every row is no table', async () => {
  const named = '<row><c t="s"><v>0</v></c></row>'.repeat(300);
  await assert.rejects(
    read({ texts: [`<t>${'long '.repeat(200_000)}</t>`], sheets: [{ rows: HEADING + named }] }),
    /^Error: Unpacked, this workbook would have \d+ MB, of 1 MB now/,
  );
});

test('values beside the heading widen the table, or are faulty where the first rows had none', async () => {
  const many = Array.from({ length: 1_500 }, () => rowOf('Anna', '1')).join('');
  const { rows } = await read({
    sheets: [{ rows: rowOf('Name', 'Phone') + rowOf('Anna', '1', 'x') + many + rowOf('Bob', '2', 'x', 'y') }],
  });
  assert.deepEqual(rows[0]!.cells, ['Name', 'Phone', '']);
  assert.deepEqual(rows[2]!.cells, ['Anna', '1', '']);
  assert.equal(rows.at(-1)!.fault, '4 columns, 3 expected');
});

test('prefixes of namespaces, as some programs write them, mean nothing', async () => {
  const { cells } = await read({
    sheets: [{ rows: '' }],
    more: {
      'xl/worksheets/sheet1.xml':
        '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="str"><x:v>Name</x:v></x:c></x:row></x:sheetData></x:worksheet>',
    },
  });
  assert.deepEqual(cells, [['Name']]);
});
