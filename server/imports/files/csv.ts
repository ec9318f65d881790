import type { Delimiter } from '../../../contract/imports.ts';
import { sayNumber, Unreadable } from './source.ts';

/** A row as it stands in the file, before anyone knows how many columns there should be. Rows without any text are counted and left out. */
export type RawRow = { row: number; cells: string[]; fault?: string };

export const LONGEST_ROW = 1024 * 1024;

/**
 * Text, in pieces that end anywhere, becomes rows. A line without quotation marks, as most are, is split by the platform; only the others are
 * walked through cell by cell. Nothing is held but the row that is not complete yet. Not a library: a million rows of ten cells
 * took csv-parse eleven seconds of a processor, and this takes two.
 */
export function openCsv(delimiter: Delimiter): (piece: string, isLast: boolean) => RawRow[] {
  let rest = '';
  let row = 0;
  return (piece, isLast) => {
    const text = rest === '' ? piece : rest + piece;
    const marks = findMarks(text, delimiter);
    const rows: RawRow[] = [];
    let at = 0;
    while (at < text.length) {
      const line = readLine(text, at, marks, delimiter, isLast);
      if (typeof line === 'string') {
        if (isLast || text.length - at > LONGEST_ROW) throw line === 'quote' ? neverCloses(row + 1) : tooLong(row + 1);
        break;
      }
      if (line.end - at > LONGEST_ROW) throw tooLong(row + 1);
      row += 1;
      at = line.end;
      if (line.cells.some((cell) => cell.trim() !== ''))
        rows.push(
          line.fault === undefined ? { row, cells: line.cells } : { row, cells: line.cells, fault: line.fault },
        );
    }
    rest = text.slice(at);
    return rows;
  };
}

const tooLong = (row: number): Unreadable =>
  new Unreadable(
    `Row ${sayNumber(row)} has more than ${sayNumber(LONGEST_ROW)} characters, as if the file had no line breaks. Export it again, as CSV with one lead a line.`,
  );

const neverCloses = (row: number): Unreadable =>
  new Unreadable(
    `A quotation mark opens in row ${sayNumber(row)} and never closes, so everything after it would be one cell. Mend that row, and upload the file again.`,
  );

type Line = { cells: string[]; end: number; fault?: string };
/** What has not come yet, without which nobody knows where the row ends. */
type Missing = 'break' | 'quote';

type Marks = Record<'quote' | 'delimiter' | 'break', (from: number) => number>;

/** Each is looked for from where it was found last, so that a text is walked through once, and not once a line. None: the text's length. */
function findMarks(text: string, delimiter: string): Marks {
  const find = (mark: string) => {
    let found = -1;
    return (from: number): number => {
      if (found < from) found = text.indexOf(mark, from);
      if (found < 0) found = text.length;
      return found;
    };
  };
  const feed = find('\n');
  const carriage = find('\r');
  return {
    quote: find('"'),
    delimiter: find(delimiter),
    break: (from) => Math.min(feed(from), carriage(from)),
  };
}

function readLine(text: string, from: number, marks: Marks, delimiter: string, isLast: boolean): Line | Missing {
  const stop = marks.break(from);
  if (marks.quote(from) < stop) return readQuoted(text, from, marks, isLast);
  const end = afterBreak(text, stop, isLast);
  return end === undefined ? 'break' : { cells: text.slice(from, stop).split(delimiter), end };
}

/** A line ends with LF, CRLF or CR alone, all in one file if need be. */
function afterBreak(text: string, stop: number, isLast: boolean): number | undefined {
  if (stop === text.length) return isLast ? stop : undefined;
  if (text.charCodeAt(stop) === FEED) return stop + 1;
  // Whether a line feed follows is in the next piece.
  if (stop + 1 === text.length && !isLast) return undefined;
  return text.charCodeAt(stop + 1) === FEED ? stop + 2 : stop + 1;
}

const FEED = 10;
const QUOTE = 34;

function readQuoted(text: string, from: number, marks: Marks, isLast: boolean): Line | Missing {
  const cells: string[] = [];
  let fault: string | undefined;
  for (let at = from; ;) {
    // A quotation mark within a cell that does not begin with one is text.
    const isQuoted = text.charCodeAt(at) === QUOTE;
    const quoted = isQuoted ? readUntilClosed(text, at + 1, isLast) : undefined;
    if (isQuoted && !quoted) return 'quote';
    const after = quoted?.end ?? at;
    const lineEnd = marks.break(after);
    const stop = Math.min(marks.delimiter(after), lineEnd);
    const plain = text.slice(after, stop);
    if (quoted && plain.trim() !== '') fault = 'Text after a closing quotation mark';
    cells.push(quoted ? quoted.cell + (plain.trim() === '' ? '' : plain) : plain);
    if (stop < lineEnd) {
      at = stop + 1;
      continue;
    }
    const end = afterBreak(text, stop, isLast);
    if (end === undefined) return 'break';
    return fault === undefined ? { cells, end } : { cells, end, fault };
  }
}

/** Quotation marks are doubled within; line breaks and delimiters are text. */
function readUntilClosed(text: string, from: number, isLast: boolean): { cell: string; end: number } | undefined {
  let cell = '';
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || (quote + 1 === text.length && !isLast)) return undefined;
    if (text.charCodeAt(quote + 1) !== QUOTE) return { cell: cell + text.slice(at, quote), end: quote + 1 };
    cell += text.slice(at, quote + 1);
    at = quote + 2;
  }
}
