import { LONGEST_ROW, type RawRow } from '../csv.ts';
import { sayNumber, Unreadable } from '../source.ts';
import { showNumber } from './numbers.ts';
import { listenForText, unescapeText, type Texts } from './texts.ts';
import type { Sheet, Workbook } from './workbook.ts';
import { walkXml, type Handlers } from './xml.ts';
import { isBomb, tooLarge } from './zip.ts';

const LAST_ROW = 1_048_576;
const LAST_COLUMN = 16_384;
const LONGEST_ERROR = 50;
const ROWS_AT_ONCE = 1_000;
const TEXT_AT_ONCE = 1024 * 1024;

/** The rows of a sheet that have any text in them, by their own numbers. */
export async function* readSheet(workbook: Workbook, sheet: Sheet, texts: Texts): AsyncGenerator<RawRow[]> {
  let ready: RawRow[] = [];
  let waiting = 0;
  let total = 0;
  const handlers = listenForRows(workbook, texts, (row, length) => {
    ready.push(row);
    waiting += length;
    total += length;
    // A short sheet can name a long text any number of times.
    if (isBomb(total, workbook.packed)) throw tooLarge(total, workbook.packed);
  });
  for await (const _ of walkXml(workbook.archive.read(sheet.part), handlers)) {
    if (ready.length < ROWS_AT_ONCE && waiting < TEXT_AT_ONCE) continue;
    yield ready;
    ready = [];
    waiting = 0;
  }
  if (ready.length > 0) yield ready;
}

type Cell = { column: number; type: string; style: number };

function listenForRows(
  { formats, since1904 }: Workbook,
  texts: Texts,
  tell: (row: RawRow, length: number) => void,
): Handlers {
  let row = 0;
  let length = 0;
  let cells: string[] = [];
  let fault: string | undefined;
  let cell: Cell | undefined;
  let column = 0;
  let value: string | undefined;
  let isValue = false;
  let isFormula = false;
  const inline = listenForText('is', (text) => {
    value = text;
  });

  const read = ({ type, style }: Cell, written: string): string => {
    switch (type) {
      case 's':
        return texts(Number(written)) ?? '';
      case 'b':
        return written.trim() === '1' ? 'true' : 'false';
      case 'e':
        // As long as `#GETTING_DATA` in a file that a program wrote; it is counted and told as a reason.
        fault ??= `${written.trim().slice(0, LONGEST_ERROR).toWellFormed()} in a cell`;
        return written;
      case 'd':
        return written.replace(/T00:00:00(\.0+)?$/, '');
      case 'inlineStr':
        return written;
      case 'str':
        return unescapeText(written);
      default:
        return showNumber(written, formats[style], since1904);
    }
  };

  const keep = ({ column: at }: Cell, text: string): void => {
    if (text === '') return;
    while (cells.length < at - 1) cells.push('');
    cells[at - 1] = text;
    length += text.length;
    if (length > LONGEST_ROW)
      throw new Unreadable(
        `Row ${sayNumber(row)} has more than ${sayNumber(LONGEST_ROW)} characters. Remove what no lead needs, and upload the workbook again.`,
      );
  };

  return {
    open(name, attributes) {
      if (name === 'c') {
        column = attributes.r ? columnOf(attributes.r) : column + 1;
        if (column < 1 || column > LAST_COLUMN) throw new Error('a cell lies beyond the last column');
        cell = { column, type: attributes.t ?? 'n', style: Number(attributes.s ?? 0) };
        value = undefined;
        isFormula = false;
      } else if (name === 'row') {
        // Some programs write no numbers, and none goes back.
        row = Math.max(row + 1, Number(attributes.r ?? 0) || 0);
        if (row > LAST_ROW) throw new Error('a row lies beyond the last one');
        [column, length, cells, fault] = [0, 0, [], undefined];
      } else if (name === 'v') {
        isValue = cell !== undefined;
        value = '';
      } else if (name === 'f') isFormula = true;
      else if (cell) inline.open(name, attributes);
    },
    text(text) {
      if (isValue) value += text;
      else if (cell) inline.text(text);
    },
    close(name) {
      if (name === 'v') isValue = false;
      else if (name === 'c') {
        if (cell && value) keep(cell, read(cell, value));
        // One that says nothing has an empty text. Programs that do not reckon save none at all.
        else if (isFormula && cell?.type === 'n') fault ??= 'A formula without its value';
        cell = undefined;
      } else if (name === 'row') {
        if (cells.some((text) => text.trim() !== ''))
          tell(fault === undefined ? { row, cells } : { row, cells, fault }, length);
      } else if (cell) inline.close(name);
    },
  };
}

/** `C5` is in the third. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) & ~32;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column;
}
