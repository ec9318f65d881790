import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Delimiter } from '../../../contract/imports.ts';
import { LONGEST_ROW, openCsv, type RawRow } from './csv.ts';
import { Unreadable } from './source.ts';

function parse(pieces: string[], delimiter: Delimiter = ','): RawRow[] {
  const read = openCsv(delimiter);
  return [...pieces.flatMap((piece) => read(piece, false)), ...read('', true)];
}

/** Character by character, as slow as it likes. Undefined where a quotation mark never closes. */
function parseSlowly(text: string, delimiter: string): string[][] | undefined {
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let after = '';
  const endCell = () => {
    cells.push(after.trim() === '' ? cell : cell + after);
    [cell, after, state] = ['', '', 'start'];
  };
  const endRow = () => {
    endCell();
    rows.push(cells);
    cells = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (state === 'quoted') {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else state = 'closed';
    } else if (char === delimiter) endCell();
    else if (char === '\n' || char === '\r') {
      if (char === '\r' && text[at + 1] === '\n') at += 1;
      endRow();
    } else if (state === 'start' && char === '"') state = 'quoted';
    else if (state === 'closed') after += char;
    else {
      state = 'plain';
      cell += char;
    }
  }
  if (state === 'quoted') return undefined;
  if (cell !== '' || after !== '' || cells.length > 0 || state !== 'start') endRow();
  return rows.filter((row) => row.some((one) => one.trim() !== ''));
}

function cut(text: string, places: number[]): string[] {
  const at = places.map((place) => place % (text.length + 1)).toSorted((one, other) => one - other);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

test('any text is read as a slow reader would read it, wherever it is cut', () => {
  const texts = fc.string({
    unit: fc.constantFrom('a', 'é', '"', '"', ',', ';', '\n', '\r', '\r\n', ' ', '""'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom<Delimiter[]>(',', ';'),
      fc.array(fc.nat(), { maxLength: 8 }),
      (text, delimiter, places) => {
        const slowly = parseSlowly(text, delimiter);
        if (!slowly) assert.throws(() => parse(cut(text, places), delimiter), Unreadable);
        else
          assert.deepEqual(
            parse(cut(text, places), delimiter).map(({ cells }) => cells),
            slowly,
          );
      },
    ),
    { numRuns: 5_000 },
  );
});

test('whatever was written comes back, quoted where it has to be and where not', () => {
  const table = fc.array(
    fc.array(fc.string({ unit: fc.constantFrom('a', '\u00a0', '😀', '"', ',', '\n', '\r'), maxLength: 8 }), {
      minLength: 1,
      maxLength: 5,
    }),
    {
      maxLength: 10,
    },
  );
  const write = (text: string, always: boolean) =>
    always || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  fc.assert(
    fc.property(
      table,
      fc.boolean(),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat()),
      (rows, always, end, places) => {
        const text = rows.map((row) => row.map((one) => write(one, always)).join(',') + end).join('');
        const expected = rows.filter((row) => row.some((one) => one.trim() !== ''));
        assert.deepEqual(
          parse(cut(text, places)).map(({ cells }) => cells),
          expected,
        );
      },
    ),
  );
});

test('rows are numbered as a spreadsheet would, empty ones too', () => {
  const rows = parse(['a\n\n"b\nb"\r\n,,\rc']);
  assert.deepEqual(
    rows.map(({ row, cells }) => [row, cells[0]]),
    [
      [1, 'a'],
      [3, 'b\nb'],
      [5, 'c'],
    ],
  );
});

test('a row is refused only once it is too long', () => {
  const long = 'x'.repeat(LONGEST_ROW - 2);
  assert.equal(parse([`a\n${long}`, '\nb']).length, 3);
  assert.throws(() => parse([`a\n${long}`, long]), /Row 2 has more than 1,048,576 characters/);
  assert.throws(() => parse([`a\n"${long}`, long]), /opens in row 2 and never closes/);
  assert.throws(() => parse([`a\n"b",${long}`, long]), /Row 2 has more than/);
  assert.throws(() => parse(['a\nb\n"c,d\ne']), /opens in row 3 and never closes/);
});
