import type { Match, Plan } from '../../contract/imports.ts';
import { readListOfJob, type LeadList } from '../leads/access.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { guessMatches } from './guess.ts';
import type { HeldImport } from './held.ts';
import type { FileColumns } from './read-thread.ts';
import type { KeptPlan } from './told.ts';

/** What becomes of the columns of a file before anyone has said so. */

export async function planFirst(
  work: Work,
  held: HeldImport,
  columns: FileColumns,
  headings: string | null,
): Promise<KeptPlan> {
  const plan: KeptPlan = held.plan ?? begin(held);
  // Read anew in another way, with the same columns: what someone said of them holds.
  if (held.plan && isSame(held.columns, columns)) return plan;
  const list = plan.list_id === null ? null : await readListOfJob(work, held.account_id, plan.list_id);
  const before = list && headings ? await findMatches(work, held, list, headings) : undefined;
  if (before) return { ...plan, matches: before, same_headings: true };
  const { same_headings: _, ...rest } = plan;
  return { ...rest, matches: guessMatches(columns, list?.columns ?? [], list === null) };
}

const begin = ({ list_id, file_name }: HeldImport): Plan => ({
  list_id,
  ...(list_id === null && { new_list: { name: file_name.replace(/\.\w{1,5}$/, '').slice(0, 255) || file_name } }),
  matches: [],
  duplicates: 'skip',
  within: 'list',
  state: 'new',
  category: null,
  people: [],
});

const isSame = (before: FileColumns, now: FileColumns): boolean =>
  before.length === now.length && before.every(({ name }, index) => name === now[index]!.name);

const LAST = sql('imports/first-plan.last')`
  select plan from imports
   where account_id = $1 and list_id = $2 and headings = $3 and id <> $4 and begun_at is not null
   order by id desc limit 1`;

/** As the last file with these headings was matched, as far as its fields are still there. */
async function findMatches(
  { db }: Work,
  { account_id, id }: HeldImport,
  list: LeadList,
  headings: string,
): Promise<Match[] | undefined> {
  const [last] = await query<{ plan: unknown }>(db, LAST, [account_id, list.id, headings, id]);
  const matches = (last?.plan as Plan | undefined)?.matches.flatMap((match) => takeOver(match, list));
  return matches && matches.length > 0 ? matches : undefined;
}

/** A field that was made then is there now. */
function takeOver({ columns, field, new_field, part, dates }: Match, list: LeadList): Match[] {
  const own = { columns, ...(dates && { dates }), sure: true };
  if (part) return [{ ...own, part }];
  const label = new_field?.label.trim().toLowerCase();
  const there = list.columns.find((column) => column.key === field || column.label.toLowerCase() === label);
  return there ? [{ ...own, field: there.key }] : [];
}
