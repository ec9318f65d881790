import { ENCODINGS, type HowRead } from '../../../contract/imports.ts';
import { openCsv, type RawRow } from './csv.ts';
import { openDecoder } from './decode.ts';
import { readBlocks, Unreadable, type FileSource } from './source.ts';

/** A file of text, piece by piece. */
export async function* readText(file: FileSource, { encoding }: Pick<HowRead, 'encoding'>): AsyncGenerator<string> {
  const decode = openDecoder(encoding);
  let bytes = 0;
  for await (const block of readBlocks(file)) {
    bytes += block.length;
    const text = cleanText(decode(block, bytes >= file.bytes));
    yield bytes > block.length ? text : withoutSeparatorLine(text);
  }
}

/** Marks of the byte order also stand where files were put together; nobody sees them, and no phone number is one with them. */
export function cleanText(text: string): string {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const line = text.slice(0, nul).split('\n').at(-1)!;
    throw new Unreadable(
      `There are NUL bytes in it, which no text has${line.trim() ? `, after “${line.trim().slice(-40)}”` : ''}. Export it again, as CSV.`,
    );
  }
  return text.replaceAll('\uFEFF', '');
}

const SEPARATOR_LINE = /^"?sep=([^\r\n]?)"?(\r\n|\n|\r)/i;

/** Excel's own way to say the delimiter. No row of the table. */
export const separatorOf = (text: string): string | undefined => SEPARATOR_LINE.exec(text)?.[1];
export const withoutSeparatorLine = (text: string): string => text.replace(SEPARATOR_LINE, '');

export async function* readCsv(file: FileSource, how: HowRead): AsyncGenerator<RawRow[]> {
  const parse = openCsv(how.delimiter);
  const unfit = `Bytes that are not ${ENCODINGS[how.encoding].split(',')[0]}`;
  let isUnfit = false;
  for await (const piece of readText(file, how)) {
    const isNow = !piece.isWellFormed();
    const rows = parse(piece, false);
    if (rows.length > 0) yield isUnfit || isNow ? rows.map((row) => refuseUnfit(row, unfit)) : rows;
    // A row that began in this piece ends in a later one.
    isUnfit = isNow || (isUnfit && rows.length === 0);
  }
  const rows = parse('', true);
  yield isUnfit ? rows.map((row) => refuseUnfit(row, unfit)) : rows;
}

function refuseUnfit(row: RawRow, fault: string): RawRow {
  if (row.cells.every((cell) => cell.isWellFormed())) return row;
  return { row: row.row, cells: row.cells.map((cell) => cell.toWellFormed()), fault };
}
