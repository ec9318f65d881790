import type { Actor } from '../platform/actor.ts';
import { writeLine } from '../platform/csv.ts';
import { one, PLAN_ANEW, query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { someOf } from '../platform/handful.ts';
import { sql } from '../platform/sql.ts';
import type { InTurn, Reading } from '../platform/work.ts';
import { cleanCell } from './cells.ts';
import type { FileColumns } from './read-thread.ts';

/** The rows that an import could not bring in, as a file. */

/** So many are read at a time, of long ones fewer, and only when those before have been taken. */
const AT_ONCE = 100;

export type Told = {
  account_id: number;
  id: number;
  file_name: string;
  columns: FileColumns;
  staged: boolean;
  state: string;
  /** When the first row was looked at: another time where all are looked at anew. */
  since: string | null;
};

const READ = sql('imports/faulty.read')`
  select account_id, id, file_name, columns, staged, state, counts ->> 'since' as since
    from imports where account_id = $1 and id = $2`;

export const findFile = async ({ db }: Reading, actor: Actor, id: number | undefined): Promise<Told> =>
  one<Told>(db, READ, [actor.account.id, id ?? 0]);

const FAULTY = sql('imports/faulty.faulty')`${PLAN_ANEW}
  select m.row, m.fault, m.cells
    from (${someOf(`
      select c.row, c.fault, r.cells, octet_length(r.cells::text) as bytes
        from (select row, fault from import_checked
               where import_id = $1 and row > $2 and fault is not null order by row limit ${AT_ONCE}) c
        join import_rows r on r.import_id = $1 and r.row = c.row`)}) m order by m.row`;

type Faulty = { row: number; fault: string | null; cells: string[] };

const SINCE = sql('imports/faulty.since')`
  select counts ->> 'since' as since from imports where account_id = $1 and id = $2`;

/** More may follow while rows are still read, checked or stored. */
export const isWhole = ({ state }: Told): boolean => !['reading', 'checking', 'running'].includes(state);

/**
 * As they stand in the file, with a column that says why; mended, it can be uploaded as it is. Broken off where all rows are looked at anew: what
 * was written would look whole.
 */
export async function* writeFaulty(
  inTurn: InTurn,
  { account_id, id, columns, staged, since }: Told,
): AsyncGenerator<string, void> {
  yield writeLine([...columns.map(({ name }) => name), 'Reason']);
  if (!staged) return;
  for (let after = 0; ;) {
    const rows = await inTurn(async ({ db }) => {
      const found = await query<Faulty>(db, FAULTY, [id, after]);
      // Read after the rows: then those are of the same course, and the end of them is the end.
      const [now] = await query<{ since: string | null }>(db, SINCE, [account_id, id]);
      if (now?.since !== since) throw conflict('looked_at_anew', 'Its rows are being looked at anew. Ask again later.');
      return found;
    });
    if (rows.length === 0) return;
    yield rows.map((row) => writeLine(withReason(row, columns.length))).join('');
    after = rows.at(-1)!.row;
  }
}

/** Cells for which the file has no column stand behind. What is guarded in the file must not be guarded twice. */
const withReason = ({ cells, fault }: Faulty, width: number): string[] => [
  ...Array.from({ length: width }, (_, index) => cleanCell(cells[index] ?? '')),
  fault ?? '',
  ...cells.slice(width).map(cleanCell),
];
