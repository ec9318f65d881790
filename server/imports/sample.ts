import type { ImportSample, LeadPart, Plan } from '../../contract/imports.ts';
import type { Imports } from '../../db/schema.ts';
import type { Actor } from '../platform/actor.ts';
import { openBreaths } from '../platform/breaths.ts';
import { one, PLAN_ANEW, query } from '../platform/db.ts';
import { someOf } from '../platform/handful.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { checkRow, type Checking } from './check.ts';
import { openBasis } from './checking.ts';
import { cleanCell } from './cells.ts';
import type { Found } from './found.ts';
import type { HeldImport } from './held.ts';
import type { FileColumns } from './read-thread.ts';

/** The first rows as the leads will look, at once, however far the others have come. */

/** Of long ones fewer. */
const MOST_ROWS = 20;
const LONGEST_VALUE = 200;

const READ = sql('imports/sample.read')`
  select account_id, id, how_read, columns, plan, counts, checked_to, staged from imports
   where account_id = $1 and id = $2`;
const FIRST = sql('imports/sample.first')`${PLAN_ANEW}
  select r.row, r.cells, r.fault
    from (${someOf(`
      select row, cells, fault, octet_length(cells::text) as bytes from import_rows
       where import_id = $1 order by row limit ${MOST_ROWS}`)}) r order by r.row`;
const FAULTY = sql('imports/sample.faulty')`${PLAN_ANEW}
  select c.row, c.fault, c.faulty_at, json_array_length(r.cells) as width,
         left(r.cells ->> c.faulty_at, ${LONGEST_VALUE}) as value
    from import_checked c join import_rows r on r.import_id = $1 and r.row = c.row
   where c.import_id = $1 and c.row = any ($2::bigint[]) order by c.row`;

type Row = { row: number; cells: string[]; fault: string | null };
type Faulty = { row: number; fault: string | null; faulty_at: number | null; width: number; value: string | null };
type Read = Pick<Imports, 'account_id' | 'id' | 'columns' | 'plan' | 'counts' | 'checked_to' | 'staged'> &
  Pick<HeldImport, 'how_read'>;

const PARTS: Record<LeadPart, string> = {
  id: 'Lead',
  state: 'State',
  category: 'Category',
  due: 'Due',
  claimed_by: 'Claimed by',
  comment: 'Comment',
};

export async function sampleImport({ db }: Reading, actor: Actor, id: number | undefined): Promise<ImportSample> {
  const found = await one<Read>(db, READ, [actor.account.id, id ?? 0]);
  const plan = found.plan as Plan | null;
  if (!plan || !found.staged) return { columns: [], rows: [], faulty: [] };
  const { faulty_rows = [] } = found.counts as Partial<Found>;
  const [{ checking }, rows, faulty] = await Promise.all([
    openBasis({ db }, found, plan),
    query<Row>(db, FIRST, [found.id]),
    faulty_rows.length === 0 ? [] : query<Faulty>(db, FAULTY, [found.id, faulty_rows]),
  ]);
  const columns = found.columns as FileColumns;
  const breathe = openBreaths();
  const sampled: ImportSample['rows'] = [];
  for (const row of rows) {
    sampled.push(toSampleRow(checking, row));
    await breathe();
  }
  return {
    columns: checking.targets.map(({ field, part }) =>
      field ? { label: field.label, kind: field.kind } : { label: PARTS[part], kind: part },
    ),
    rows: sampled,
    faulty: faulty.map(({ row, fault, faulty_at, width, value }) => ({
      row,
      column: faulty_at === null ? null : (columns[faulty_at]?.name ?? null),
      value: faulty_at === null ? `${width} columns` : (value ?? ''),
      why: fault ?? '',
    })),
  };
}

/** As it is stored where it is in order; otherwise as it stands in the file. */
function toSampleRow(checking: Checking, { row, cells, fault }: Row): ImportSample['rows'][number] {
  const checked = checkRow(checking, cells, fault);
  const data = checked.fault === undefined ? (JSON.parse(checked.data) as Record<string, string>) : undefined;
  const besides = checked.fault === undefined ? checked.besides : undefined;
  const values = checking.targets.map(({ field, part, columns }) => {
    const written = columns
      .map((column) => cleanCell(cells[column] ?? ''))
      .join(' ')
      .trim();
    if (field) return (data?.[field.key] ?? (data ? '' : written)).slice(0, LONGEST_VALUE);
    // Of a person what was written says more than their number.
    return String(part === 'claimed_by' ? written : (besides?.[part] ?? written)).slice(0, LONGEST_VALUE);
  });
  return { row, values, fault: checked.fault ?? null };
}
