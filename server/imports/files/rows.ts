import { MOST_FILE_COLUMNS, type HowRead } from '../../../contract/imports.ts';
import type { RawRow } from './csv.ts';
import { sayNumber, Unreadable } from './source.ts';

/** `fault`: why the row as such cannot be read. */
export type FileRow = { row: number; cells: string[]; fault?: string };

const LONGEST_NAME = 255;
const ROWS_AT_ONCE = 300;

/** Rows get the width of the table, or their fault. The heading is the first row with any text in it, and comes first, as row 1. */
export async function* shapeRows(batches: AsyncIterable<RawRow[]>, how: HowRead): AsyncGenerator<FileRow[]> {
  let table: Table | undefined;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const isFirst = table === undefined;
    table ??= measureTable(batch, how);
    const known = table;
    const rows = batch.slice(isFirst && how.header ? 1 : 0).map((raw) => shapeRow(raw, known));
    if (isFirst && table.heading) rows.unshift({ row: 1, cells: nameColumns(table.heading, table.width) });
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) yield rows.slice(from, from + ROWS_AT_ONCE);
  }
}

/** Rows have at least as many cells as columns have names; cells beyond the width have to be empty. */
type Table = { width: number; least: number; heading?: string[] };

function measureTable(rows: RawRow[], { header, format }: HowRead): Table {
  const heading = rows[0]!.cells;
  // Workbooks leave out cells that are empty, so that no row tells how wide they are.
  const isSparse = format === 'xlsx';
  const widest = isSparse ? rows.reduce((most, { cells }) => Math.max(most, countFilled(cells)), 0) : 0;
  if (!header) {
    const width = isSparse ? widest : mostFrequent(rows.map(({ cells }) => cells.length));
    refuseTooWide(width);
    return { width, least: isSparse ? 0 : width };
  }
  const named = countFilled(heading);
  refuseTooWide(named);
  const width = Math.min(isSparse ? widest : heading.length, MOST_FILE_COLUMNS);
  return { width, least: isSparse ? 0 : named, heading };
}

function refuseTooWide(columns: number): void {
  if (columns <= MOST_FILE_COLUMNS) return;
  throw new Unreadable(
    `It has ${sayNumber(columns)} columns; ${sayNumber(MOST_FILE_COLUMNS)} can be read. Remove those that no lead needs, and upload it again.`,
  );
}

function countFilled(cells: string[]): number {
  let { length } = cells;
  while (length > 0 && cells[length - 1]!.trim() === '') length -= 1;
  return length;
}

function mostFrequent(lengths: number[]): number {
  const times = new Map<number, number>();
  for (const length of lengths) times.set(length, (times.get(length) ?? 0) + 1);
  return [...times].toSorted(([, one], [, other]) => other - one)[0]![0];
}

const nameColumns = (heading: string[], width: number): string[] =>
  Array.from({ length: width }, (_, place) =>
    (heading[place] ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_NAME).toWellFormed(),
  );

function shapeRow({ row, cells, fault }: RawRow, table: Table): FileRow {
  const why = fault ?? findFault(cells, table);
  // As it stands, so that whoever mends it finds everything.
  if (why !== undefined) return { row, cells: cells.slice(0, MOST_FILE_COLUMNS), fault: why };
  if (cells.length === table.width) return { row, cells };
  return { row, cells: Array.from({ length: table.width }, (_, place) => cells[place] ?? '') };
}

function findFault(cells: string[], { width, least, heading }: Table): string | undefined {
  const has = cells.length > width ? countFilled(cells) : cells.length;
  if (has > width) return `${sayNumber(has)} columns, ${width} expected`;
  if (has < least) return `${has} ${has === 1 ? 'column' : 'columns'}, ${least} expected`;
  // Files that were put together have it once for each of them.
  if (heading && cells[0] === heading[0] && cells.every((cell, place) => cell === (heading[place] ?? '')))
    return 'The headings again';
  return undefined;
}
