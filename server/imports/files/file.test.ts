import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { HowRead } from '../../../contract/imports.ts';
import { cellOf, makeWorkbook, makeZip, rowOf } from '../../../test/workbooks.ts';
import { look, readRows, Unreadable, type FileRow, type FileSource } from './file.ts';

/** Files as they come: from everywhere, and named anyhow. */

function sourceOf(bytes: Buffer | string, name = 'leads.csv'): FileSource {
  const all = Buffer.from(bytes);
  return { name, bytes: all.length, read: async (from, length) => all.subarray(from, from + length) };
}

type Read = {
  how: HowRead;
  sheets: string[];
  names: string[] | undefined;
  rows: FileRow[];
  sound: FileRow[];
  faulty: FileRow[];
};

async function read(file: FileSource, as: Partial<HowRead> = {}): Promise<Read> {
  const looked = await look(file);
  const how = { ...looked.how, ...as };
  const rows = (await Array.fromAsync(readRows(file, how))).flat();
  const names = how.header ? rows.shift()?.cells : undefined;
  const faulty = rows.filter(({ fault }) => fault !== undefined);
  return { how, sheets: looked.sheets, names, rows, sound: rows.filter(({ fault }) => fault === undefined), faulty };
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const BOM = '\uFEFF';
const LEADS = 'Company,Phone,City\nAcme,+44 20 7946 0118,London\nBolt,+44 20 7946 0119,Leeds\n';
const HEADING = rowOf('Company', 'Phone');

function oldWorkbook(entry: string): Buffer {
  const file = Buffer.alloc(4_096);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(9, 0x1e);
  file.writeUInt32LE(1, 0x30);
  file.write(entry, 1_024, 'utf16le');
  return file;
}

/** Nothing of it lies anywhere, so that a test can have a large one. */
const endless = (line: string, bytes: number): FileSource => ({
  name: 'leads.csv',
  bytes,
  read: async (from, length) => Buffer.alloc(Math.min(length, bytes - from), line),
});

const REFUSED: [title: string, file: FileSource, sentence: RegExp][] = [
  ['an empty file', sourceOf(''), /^The file is empty\.$/],
  ['nothing but line breaks', sourceOf(`${BOM}\r\n\r\n  \n`), /^The file is empty\.$/],
  ['a gigabyte on one line', endless('a', 1e9), /^Row 1 has more than 1,048,576 characters/],
  ['a gigabyte of commas', endless(',', 1e9), /^Row 1 has more than 1,048,576 characters/],
  ['a gigabyte of quotation marks', endless('"', 1e9), /never closes|has more than/],
  [
    'quotation marks that never close',
    sourceOf(`name,phone\nAnna,1\n"Bob,2\n${'Carl,3\n'.repeat(10)}`),
    /opens in row 3 and never closes/,
  ],
  ['NUL bytes', sourceOf('name,phone\nAn\0na,1\n'), /^There are NUL bytes in it, which no text has, after “An”/],
  ['nothing but NUL bytes', sourceOf(Buffer.alloc(5_000)), /^There are NUL bytes in it/],
  [
    '5,000 columns',
    sourceOf(`${Array.from({ length: 5_000 }, (_, at) => `c${at}`).join(',')}\n1\n`),
    /^It has 5,000 columns; 500 can be read/,
  ],
  ['a picture named .csv', sourceOf(PNG), /^This is a picture \(PNG\)\. Leads are read from CSV and \.xlsx files\.$/],
  ['a PDF', sourceOf('%PDF-1.7\n…'), /^This is a PDF\. Ask for the same as a spreadsheet\.$/],
  ['a compressed file', sourceOf(gzipSync(LEADS)), /^This is compressed \(gzip\)\. Unpack it/],
  ['a web page named .csv', sourceOf('\n<!DOCTYPE html><html><table><tr><td>Acme'), /^This is a web page/],
  ['a table of a web page named .xls', sourceOf('<table border=1><tr><td>Acme'), /^This is a web page/],
  ['an XML file', sourceOf('<?xml version="1.0"?><leads/>'), /^This is an XML file/],
  ['a JSON file', sourceOf('[{"name": "Acme"}]'), /^This is a JSON file/],
  ['an old workbook', sourceOf(oldWorkbook('Workbook'), 'leads.xls'), /^This is a workbook of the old kind \(\.xls\)/],
  [
    'a workbook with a password',
    sourceOf(oldWorkbook('EncryptedPackage'), 'leads.xlsx'),
    /^This workbook is protected by a password/,
  ],
  [
    'an archive with a CSV file in it',
    sourceOf(makeZip({ 'leads.csv': LEADS })),
    /^This is an archive \(ZIP\)\. Unpack it/,
  ],
  ['an archive of nothing', sourceOf(makeZip({})), /^This is an archive \(ZIP\)/],
  [
    'a cut archive',
    sourceOf(makeWorkbook({ sheets: [{ rows: HEADING }] }).subarray(0, 900)),
    /^This workbook is damaged/,
  ],
  [
    'an OpenDocument spreadsheet',
    sourceOf(
      makeZip({
        mimetype: { data: 'application/vnd.oasis.opendocument.spreadsheet', stored: true },
        'content.xml': '',
      }),
    ),
    /^This is an OpenDocument spreadsheet \(\.ods\)\. Open it and save it as \.xlsx or CSV/,
  ],
  ['a binary workbook', sourceOf(makeZip({ 'xl/workbook.bin': '' })), /^This is a binary workbook \(\.xlsb\)/],
  ['a text document', sourceOf(makeZip({ 'word/document.xml': '' })), /^This is a text document/],
  [
    'a workbook with nothing in it',
    sourceOf(makeWorkbook({ sheets: [{ rows: '' }, { rows: '<row r="7"><c r="A7" s="1"/></row>' }] })),
    /^No sheet of this workbook has anything in it/,
  ],
  [
    'a zip bomb named .xlsx',
    sourceOf(
      makeWorkbook({
        sheets: [{ rows: '' }],
        more: { 'xl/worksheets/sheet1.xml': { data: ' '.repeat(1e6), saysSize: 3e9 } },
      }),
    ),
    /^Unpacked, this workbook would have 3,000 MB, of 1 MB now/,
  ],
  [
    'a bomb that lies about its size',
    sourceOf(
      makeWorkbook({
        sheets: [{ rows: '' }],
        more: {
          'xl/worksheets/sheet1.xml': {
            data: `<worksheet><sheetData>${' '.repeat(1e7)}</sheetData></worksheet>`,
            saysSize: 100,
          },
        },
      }),
    ),
    /^This workbook is damaged/,
  ],
  [
    'a workbook with a cell of no end',
    sourceOf(makeWorkbook({ sheets: [{ rows: `<row>${cellOf('x'.repeat(5e6))}</row>` }] })),
    /^This workbook is damaged/,
  ],
  [
    'a workbook that is nested without end',
    sourceOf(makeWorkbook({ sheets: [{ rows: '<a>'.repeat(1e5) }] })),
    /^This workbook is damaged/,
  ],
  [
    'a workbook that declares entities',
    sourceOf(
      makeWorkbook({
        sheets: [{ rows: '' }],
        more: {
          'xl/worksheets/sheet1.xml':
            '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>',
        },
      }),
    ),
    /^This workbook is damaged/,
  ],
  [
    'a workbook whose sheet is locked',
    sourceOf(
      makeWorkbook({ sheets: [{ rows: '' }], more: { 'xl/worksheets/sheet1.xml': { data: 'x', encrypted: true } } }),
    ),
    /^This workbook is protected by a password/,
  ],
  [
    'a workbook with 5,000 columns',
    sourceOf(makeWorkbook({ sheets: [{ rows: rowOf(...Array.from({ length: 5_000 }, (_, at) => `c${at}`)) }] })),
    /^It has 5,000 columns; 500 can be read/,
  ],
];

for (const [title, file, sentence] of REFUSED) {
  test(`${title}: refused with a sentence`, { timeout: 60_000 }, async () => {
    await assert.rejects(read(file), (error: Error) => {
      assert.ok(error instanceof Unreadable, error.stack);
      assert.match(error.message, sentence);
      return true;
    });
  });
}

type Expected = {
  sound: number;
  faulty?: number;
  first?: string[];
  faults?: string[];
  names?: string[];
  how?: Partial<HowRead>;
  as?: Partial<HowRead>;
};

const rows10 = (end: string) =>
  ['Name;Phone;City', ...Array.from({ length: 10 }, (_, at) => `Anna ${at};+49 89 12345${at};Köln`)].join(end) + end;

const READ: [title: string, bytes: Buffer | string, Expected][] = [
  [
    'CR only',
    rows10('\r'),
    { sound: 10, names: ['Name', 'Phone', 'City'], first: ['Anna 0', '+49 89 123450', 'Köln'] },
  ],
  ['CRLF, and empty lines at the end', `${rows10('\r\n')}\r\n\r\n;;\r\n`, { sound: 10, how: { delimiter: ';' } }],
  ['line ends of all kinds', 'a,b\r1,2\n3,4\r\n5,6', { sound: 3 }],
  [
    'UTF-16 with a mark',
    Buffer.from(`${BOM}${rows10('\r\n').replaceAll(';', '\t')}`, 'utf16le'),
    { sound: 10, how: { encoding: 'utf-16le', delimiter: '\t' }, first: ['Anna 0', '+49 89 123450', 'Köln'] },
  ],
  [
    'UTF-16, big endian, without a mark',
    Buffer.from(rows10('\n'), 'utf16le').swap16(),
    { sound: 10, how: { encoding: 'utf-16be' } },
  ],
  [
    'Windows-1252',
    Buffer.from(rows10('\r\n'), 'latin1'),
    { sound: 10, how: { encoding: 'windows-1252' }, first: ['Anna 0', '+49 89 123450', 'Köln'] },
  ],
  [
    'one row of another encoding',
    Buffer.concat([Buffer.from(rows10('\n')), Buffer.from('Jörg;1;Köln\n', 'latin1')]),
    { sound: 10, faulty: 1, faults: ['Bytes that are not UTF-8'], how: { encoding: 'utf-8' } },
  ],
  ['U+FFFD that is in the file itself', `${rows10('\n')}J\uFFFDrg;1;x\n`, { sound: 11 }],
  [
    'the wrong encoding chosen',
    Buffer.from(`n,b\nMüller,1\nMeier,2\n`, 'latin1'),
    { sound: 1, faulty: 1, as: { encoding: 'utf-8' } },
  ],
  [
    'a byte order mark at the beginning and within',
    `${BOM}${LEADS}${BOM}Cole,+44 20 7946 0120,Bath\n`,
    { sound: 3, names: ['Company', 'Phone', 'City'] },
  ],
  [
    'files put together, heading and all',
    `${BOM}${LEADS}${BOM}${LEADS}`,
    { sound: 4, faulty: 1, faults: ['The headings again'] },
  ],
  [
    'two columns of one name',
    'Name,Phone,Phone\nAnna,1,2\n',
    { sound: 1, names: ['Name', 'Phone', 'Phone'], first: ['Anna', '1', '2'] },
  ],
  [
    'formulas',
    'Name,Phone\n"=HYPERLINK(""http://x"",""y"")",+1\n@SUM(A1),-1\n',
    { sound: 2, first: ['=HYPERLINK("http://x","y")', '+1'] },
  ],
  [
    'ragged rows',
    'Name,Phone,City\nAnna,1\nBob,2,Rome,\nCarl,3,Oslo,x\nDora,4,Paris\n',
    { sound: 2, faulty: 2, faults: ['2 columns, 3 expected', '4 columns, 3 expected'], first: ['Bob', '2', 'Rome'] },
  ],
  [
    'a heading with delimiters behind it',
    'Name;Phone;;\nAnna;1\nBob;2;;\nCarl;3;x;\n',
    { sound: 3, names: ['Name', 'Phone', '', ''], first: ['Anna', '1', '', ''] },
  ],
  [
    'a row of a million cells',
    `Name,Phone\nAnna,1\n${'x,'.repeat(400_000)}\n`,
    { sound: 1, faulty: 1, faults: ['400,000 columns, 2 expected'] },
  ],
  [
    'line breaks, quotation marks and delimiters in cells',
    'Name,Note\n"Smith, John","He said ""no"".\r\nTwice."\n5" pipe,plain\n',
    { sound: 2, first: ['Smith, John', 'He said "no".\r\nTwice.'] },
  ],
  [
    'text after a closing quotation mark',
    'Name,Note\n"Joe" Smith,x\n"Ann" ,y\n',
    { sound: 1, faulty: 1, faults: ['Text after a closing quotation mark'] },
  ],
  [
    'phone numbers that a spreadsheet shortened',
    'Name,Phone\nAnna,4.5E+10\n',
    { sound: 1, first: ['Anna', '4.5E+10'] },
  ],
  [
    'Excel’s own line about the delimiter',
    'sep=;\r\nName;Phone, office\r\nAnna;1,2\r\n',
    { sound: 1, names: ['Name', 'Phone, office'], how: { delimiter: ';' } },
  ],
  ['pipes', 'Name|Phone\nAnna, Dr.|1\nBob, Dr.|2\n', { sound: 2, how: { delimiter: '|' } }],
  ['semicolons, and commas in every row', 'Name;Preis\nAnna;1,50\nBob;2,75\n', { sound: 2, how: { delimiter: ';' } }],
  ['one column', 'Phone\n+44 20 7946 0118\n+44 20 7946 0119\n', { sound: 2, how: { delimiter: ',', header: true } }],
  [
    'no heading',
    'Acme,+44 20 7946 0118,ann@acme.example\nBolt,+44 20 7946 0119,bob@bolt.example\n',
    { sound: 2, how: { header: false } },
  ],
  ['a heading and no rows', 'Company,Phone\n', { sound: 0, names: ['Company', 'Phone'] }],
  [
    'a heading of 300 characters',
    `${'x'.repeat(300)},b\n1,2\n`,
    { sound: 1, as: { header: true }, names: ['x'.repeat(255), 'b'] },
  ],
  ['a name that begins as a bitmap does', 'BMW,1\nAcme,2\n', { sound: 2, as: { header: false } }],
];

for (const [title, bytes, expected] of READ) {
  test(`${title}: read, row by row`, { timeout: 60_000 }, async () => {
    const { how, names, sound, faulty } = await read(sourceOf(bytes), expected.as);
    assert.deepEqual(
      [sound.length, faulty.length],
      [expected.sound, expected.faulty ?? 0],
      JSON.stringify(faulty[0]?.fault),
    );
    if (expected.faults)
      assert.deepEqual(
        faulty.map(({ fault }) => fault),
        expected.faults,
      );
    if (expected.first) assert.deepEqual(sound[0]!.cells, expected.first);
    if (expected.names) assert.deepEqual(names, expected.names);
    assert.deepEqual({ ...how, ...expected.how }, how);
    for (const { cells } of [...sound, ...faulty]) assert.ok(cells.length <= 500 && cells.join('').isWellFormed());
  });
}

test('a gigabyte on one line is refused after a megabyte', async () => {
  let asked = 0;
  const file = endless('a', 1e9);
  const counting: FileSource = { ...file, read: (from, length) => ((asked += length), file.read(from, length)) };
  await assert.rejects(look(counting), Unreadable);
  assert.ok(asked < 2 * 1024 * 1024, String(asked));
});

test('faulty rows keep what stands in them and their number in the file', async () => {
  const { faulty } = await read(sourceOf('Name,Phone,City\nAnna,1,Rome\n\n"two\nlines",2\n'));
  assert.deepEqual(faulty, [{ row: 4, cells: ['two\nlines', '2'], fault: '2 columns, 3 expected' }]);
});

test('rows come some at a time, and none is lost where pieces of the file meet', async () => {
  const lines = Array.from({ length: 30_000 }, (_, at) => `Müller ${at},"a ""b"" ${at}",+49 ${at}`);
  const file = sourceOf(`Name,Note,Phone\n${lines.join('\r\n')}`);
  const batches = await Array.fromAsync(readRows(file, (await look(file)).how));
  assert.ok(batches.length > 10 && batches.every((batch) => batch.length <= 1_000));
  const rows = batches.flat().slice(1);
  assert.deepEqual(
    rows.map(({ row }) => row),
    lines.map((_, at) => at + 2),
  );
  assert.ok(
    rows.every(
      ({ cells }, at) => cells[0] === `Müller ${at}` && cells[1] === `a "b" ${at}` && cells[2] === `+49 ${at}`,
    ),
  );
});

test('a file whose bytes cannot be had just now is not refused for it', async () => {
  for (const bytes of [Buffer.from(LEADS), makeWorkbook({ sheets: [{ rows: HEADING }] })]) {
    const whole = sourceOf(bytes);
    const { how } = await look(whole);
    const failing: FileSource = { ...whole, read: () => Promise.reject(new Error('the line is dead')) };
    await assert.rejects(Array.fromAsync(readRows(failing, how)), (error: Error) => !(error instanceof Unreadable));
  }
});

test('whatever bytes are changed in a file, it is read or refused with a sentence', { timeout: 120_000 }, async () => {
  const formats = ['dd.mm.yyyy'];
  const dated = '<row><c t="s"><v>0</v></c><c s="1"><v>45000</v></c></row>';
  const workbook = makeWorkbook({ texts: ['<t>Anna</t>'], formats, sheets: [{ rows: HEADING + dated }] });
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(workbook, Buffer.from(LEADS)), changes, async (whole, changed) => {
      const bytes = Buffer.from(whole);
      for (const [place, byte] of changed) bytes[place % bytes.length] = byte;
      await read(sourceOf(bytes)).catch((error: Error) => assert.ok(error instanceof Unreadable, error.stack));
    }),
    { numRuns: 200 },
  );
});
