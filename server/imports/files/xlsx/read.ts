import type { HowRead } from '../../../../contract/imports.ts';
import type { RawRow } from '../csv.ts';
import { Unreadable, type FileSource } from '../source.ts';
import { readSheet } from './sheet.ts';
import type { Texts } from './texts.ts';
import { openWorkbook, type Sheet, type Workbook } from './workbook.ts';

export async function* readWorkbook(file: FileSource, { sheet }: Pick<HowRead, 'sheet'>): AsyncGenerator<RawRow[]> {
  const workbook = await openWorkbook(file);
  try {
    const asked = workbook.sheets[sheet];
    if (!asked)
      throw new Unreadable(`The workbook has ${workbook.sheets.length} sheets, and none with number ${sheet + 1}.`);
    yield* readSheet(workbook, asked, await workbook.texts());
  } finally {
    workbook.archive.close();
  }
}

/** Its sheets, and the first row of the first one that has any; those that are hidden come last. */
export async function lookIntoWorkbook(
  file: FileSource,
): Promise<{ sheets: string[]; sheet: number; first: string[] }> {
  const workbook = await openWorkbook(file);
  try {
    for (const sheet of workbook.sheets.toSorted((one, other) => Number(one.hidden) - Number(other.hidden))) {
      const first = await readFirst(workbook, sheet);
      if (!first) continue;
      return { sheets: workbook.sheets.map(({ name }) => name), sheet: workbook.sheets.indexOf(sheet), first };
    }
    throw new Unreadable('No sheet of this workbook has anything in it.');
  } finally {
    workbook.archive.close();
  }
}

const MOST_TEXTS_LOOKED_AT = 50_000;

/** Texts are kept apart from the sheet, millions of them perhaps: which are needed is found first, and only so many are read. */
async function readFirst(workbook: Workbook, sheet: Sheet): Promise<string[] | undefined> {
  let last = -1;
  const note: Texts = (number) => {
    last = Math.max(last, number);
    return '?';
  };
  if (!(await firstRow(readSheet(workbook, sheet, note)))) return undefined;
  const texts = await workbook.texts(Math.min(last, MOST_TEXTS_LOOKED_AT));
  return firstRow(readSheet(workbook, sheet, (number) => texts(number) ?? '?'));
}

async function firstRow(batches: AsyncIterable<RawRow[]>): Promise<string[] | undefined> {
  for await (const [row] of batches) return row?.cells;
  return undefined;
}
