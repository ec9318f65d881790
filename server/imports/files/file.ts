import type { HowRead } from '../../../contract/imports.ts';
import { LONGEST_ROW, type RawRow } from './csv.ts';
import { openDecoder } from './decode.ts';
import { guessDelimiter } from './delimiter.ts';
import { guessEncoding } from './encoding.ts';
import { isZip, refuseForeign, refuseMarkedUp } from './foreign.ts';
import { hasHeading } from './header.ts';
import { shapeRows, type FileRow } from './rows.ts';
import { Unreadable, type FileSource } from './source.ts';
import { cleanText, readCsv } from './text.ts';
import { lookIntoWorkbook, readWorkbook } from './xlsx/read.ts';

/** A file with leads, from any corner of the world: what it is, and its rows. It knows nothing of lists, and nothing of a database. */
export { Unreadable, type FileSource } from './source.ts';
export type { FileRow } from './rows.ts';

export type Looked = { how: HowRead; sheets: string[] };

/** A row that is too long is to be seen as such. */
const LOOKED_AT = LONGEST_ROW + 64 * 1024;

const READ_AS_TEXT = { format: 'csv', sheet: 0 } as const;
const READ_AS_WORKBOOK = { format: 'xlsx', encoding: 'utf-8', delimiter: ',' } as const;

/** How it is to be read, as far as its beginning tells. Of a workbook: its directory, and the first rows. */
export async function look(file: FileSource): Promise<Looked> {
  if (file.bytes === 0) throw new Unreadable('The file is empty.');
  const head = await file.read(0, Math.min(file.bytes, LOOKED_AT));
  if (isZip(head)) {
    const { sheets, sheet, first } = await lookIntoWorkbook(file);
    return { how: { ...READ_AS_WORKBOOK, sheet, header: hasHeading(first) }, sheets };
  }
  await refuseForeign(head, file);
  const isWhole = head.length === file.bytes;
  const encoding = guessEncoding(head);
  const text = cleanText(openDecoder(encoding)(head, isWhole));
  if (isWhole && text.trim() === '') throw new Unreadable('The file is empty.');
  refuseMarkedUp(text);
  const { delimiter, rows } = guessDelimiter(text, isWhole);
  return { how: { ...READ_AS_TEXT, encoding, delimiter, header: hasHeading(rows[0]) }, sheets: [] };
}

/** Its rows in the order of the file, a thousand or so at a time. The heading, where there is one, comes first. */
export function readRows(file: FileSource, how: HowRead): AsyncGenerator<FileRow[]> {
  const batches: AsyncIterable<RawRow[]> = how.format === 'xlsx' ? readWorkbook(file, how) : readCsv(file, how);
  return shapeRows(batches, how);
}
