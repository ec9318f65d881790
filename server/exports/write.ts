import type { NewExport } from '../../contract/exports.ts';
import { findAll, type Bit } from '../filters/all.ts';
import { openGiveWay, type GiveWay } from '../leads/give-way.ts';
import type { InTurn } from '../platform/work.ts';
import { besidesOf, type ExportColumn } from './columns.ts';
import { writeCsv } from './csv.ts';
import { FIRST_ORDER } from './exports.ts';
import { readExported, type ExportedLead } from './rows.ts';
import { writeWorkbook } from './workbook.ts';

/** A file with leads, bit by bit: each bit is a statement or two, and nothing is held between them. */

/** Read in one bit. */
const AT_ONCE = 1_000;

type Course = {
  bit: Bit;
  /** How many went into the file; told before its last bytes go out, so that none is whole that nobody noted. */
  note: (end: { sent: number; isWhole: boolean }) => Promise<void>;
  /** After each page, how many so far. */
  step?: (sent: number) => void;
};

export async function* writeExport(
  { bit, note, step }: Course,
  asked: NewExport,
  columns: ExportColumn[],
): AsyncGenerator<string | Buffer, void> {
  let [sent, isWhole] = [0, false];
  const pages = async function* (): AsyncGenerator<ExportedLead[], void> {
    for await (const page of readPages(bit, asked)) {
      sent += page.length;
      step?.(sent);
      yield page;
    }
    await note({ sent, isWhole: true });
    isWhole = true;
  };
  try {
    if (asked.format === 'csv') yield* writeCsv(columns, pages(), asked.bom ?? false);
    else yield* writeWorkbook(columns, pages());
  } finally {
    if (!isWhole) await note({ sent, isWhole });
  }
}

async function* readPages(bit: Bit, asked: NewExport): AsyncGenerator<ExportedLead[], void> {
  const besides = besidesOf(asked.columns);
  const except = new Set(asked.except_ids);
  for await (const ids of findIds(bit, asked)) {
    let rest = ids.filter((id) => !except.has(id));
    while (rest.length > 0) {
      const some = rest.slice(0, AT_ONCE);
      const read = await bit((reading, actor) => readExported(reading, actor, some, besides));
      if (read.leads.length > 0) yield read.leads;
      rest = [...read.rest, ...rest.slice(AT_ONCE)];
    }
  }
}

async function* findIds(bit: Bit, { lead_ids, matching, order = FIRST_ORDER }: NewExport) {
  if (lead_ids) yield [...new Set(lead_ids)].toSorted((a, b) => a - b);
  else yield* findAll(bit, matching!, order);
}

/** Each bit in its turn, with a rest after it while people are at their desks. */
export function openBits(inTurn: InTurn): Bit {
  let giveWay: GiveWay | undefined;
  return async (act) => {
    const { done, worked } = await inTurn(async (reading, actor) => {
      giveWay ??= openGiveWay(reading.db);
      const from = performance.now();
      return { done: await act(reading, actor), worked: performance.now() - from };
    });
    await giveWay!.rest(worked);
    return done;
  };
}
