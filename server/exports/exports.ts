import { FETCHED_WITHIN_MINUTES, type Export, type NewExport } from '../../contract/exports.ts';
import { writeToken } from '../../contract/filters.ts';
import { audit } from '../audit/audit.ts';
import { readFilter } from '../filters/read.ts';
import { fieldOf, readOrder } from '../filters/orders.ts';
import { seesLead } from '../leads/access.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';
import type { Reading, Work } from '../platform/work.ts';
import { MOST_COLUMNS } from './cells.ts';
import { readColumns, type ExportColumn } from './columns.ts';

export const FIRST_ORDER = 'queue';

const INSERT = sql('exports/exports.insert')`
  insert into exports (account_id, user_id, asked) values ($1, $2, $3) returning id`;

/** Only what is asked for is written down: the file is made while it is fetched. */
export async function startExport(work: Work, actor: Actor, given: NewExport): Promise<Export> {
  refuseSecond(actor);
  await openExport(work, actor, given);
  const values = [actor.account.id, actor.user!.id, JSON.stringify(given)];
  const { id } = await one<Export>(work.db, INSERT, values);
  await auditBegun(work, actor, given);
  return { id };
}

const FIND = sql('exports/exports.find')`
  select asked from exports
   where account_id = $1 and id = $2 and user_id = $3
     and created_at > now() - interval '${FETCHED_WITHIN_MINUTES} minutes'`;

export async function findExport({ db }: Reading, actor: Actor, id: number | undefined): Promise<NewExport> {
  const values = [actor.account.id, id ?? 0, actor.user?.id ?? 0];
  return (await one<{ asked: NewExport }>(db, FIND, values)).asked;
}

const LISTS_OF = sql('exports/exports.lists_of')`
  select distinct l.list_id from leads l
   where l.account_id = $1 and l.id = any ($2::bigint[]) and ${seesLead('l', '$3::bigint')}`;

const NAME = sql('exports/exports.name')`select name from lists where account_id = $1 and id = $2`;

/** `name` is what the file is called, before its ending. */
export type Opened = { columns: ExportColumn[]; name: string };

/** What is asked for, or what is wrong with it. */
export async function openExport(reading: Reading, actor: Actor, given: NewExport): Promise<Opened> {
  const { lead_ids, matching, except_ids, order = FIRST_ORDER } = given;
  if (!lead_ids === !matching) throw invalid({ lead_ids: ['or matching must be given, and not both'] });
  if (except_ids && !matching) throw invalid({ except_ids: ['must be left out where leads are named by lead_ids'] });
  const lists = lead_ids
    ? await readListsOf(reading, actor, lead_ids)
    : await readLists(reading, actor, matching!, order);
  const columns = await readColumns(reading, actor, { lists, anyList: lead_ids !== undefined }, given.columns);
  if (columns.length > MOST_COLUMNS)
    throw invalid({
      columns: [`must be named: a file has at most ${MOST_COLUMNS.toLocaleString('en')}, and these are more`],
    });
  const named = [actor.account.id, lists.length === 1 ? lists[0] : 0];
  const [list] = await query<{ name: string }>(reading.db, NAME, named);
  return { columns, name: list?.name ?? 'Leads' };
}

async function readListsOf({ db }: Reading, actor: Actor, ids: number[]): Promise<number[]> {
  // As one text: the driver takes ten times as long to write down so many numbers.
  const values = [actor.account.id, `{${ids.join()}}`, boundOf(actor, 'leads.export')];
  return (await query<{ list_id: number }>(db, LISTS_OF, values)).map(({ list_id }) => list_id);
}

async function readLists(
  reading: Reading,
  actor: Actor,
  matching: NonNullable<NewExport['matching']>,
  order: string,
): Promise<number[]> {
  const field = fieldOf(order);
  const filter = await readFilter(reading, actor, matching, field === undefined ? [] : [field]);
  readOrder(order, filter);
  return [...filter.lists, ...filter.elsewhere];
}

/** Those who fetch one just now, on this node. */
const underWay = new Set<string>();
const whoOf = ({ account, user }: Actor): string => `${account.id} ${user?.id ?? ''}`;

export function refuseSecond(actor: Actor): void {
  if (underWay.has(whoOf(actor)))
    throw conflict(
      'export_under_way',
      'An export of yours is still being downloaded. Wait until it is through, or cancel the download.',
    );
}

/** One at a time for each person, until it is given back. */
export function takePlace(actor: Actor): () => void {
  refuseSecond(actor);
  underWay.add(whoOf(actor));
  return () => underWay.delete(whoOf(actor));
}

/** Also of those that never come to an end, as when the machine does. */
export const auditBegun = (work: Work, actor: Actor, given: NewExport): Promise<void> =>
  audit(work, actor, 'leads.export_begun', sayWhat(given), describe(given));

/** How many leads went out, all that were asked for or, where it was broken off, those up to there. */
export const auditExported = (
  work: Work,
  actor: Actor,
  given: NewExport,
  { sent, isWhole }: { sent: number; isWhole: boolean },
): Promise<void> => {
  const number = `${sent} ${sent === 1 ? 'lead' : 'leads'}`;
  const subject = isWhole ? number : `${number}, then broken off`;
  return audit(work, actor, 'leads.exported', subject, { ...describe(given), complete: isWhole });
};

const sayWhat = ({ lead_ids, matching, format }: NewExport): string => {
  const tokens = matching?.filter?.map(writeToken) ?? [];
  return [format, ...(lead_ids ? [`${lead_ids.length} by name`] : tokens)].join(', ').slice(0, 500);
};

const describe = ({ lead_ids, matching, except_ids, order, columns, format }: NewExport) => ({
  format,
  columns: columns ?? 'all',
  ...(lead_ids && { named: lead_ids.length }),
  ...(matching && { lists: matching.list_ids ?? 'all', filter: (matching.filter ?? []).map(writeToken) }),
  ...(matching?.query && { query: matching.query }),
  ...(except_ids && { left_out: except_ids.length }),
  ...(order && { order }),
});

export const PAST_EXPORTS: Sweep = {
  table: 'exports',
  past: `created_at < now() - interval '${FETCHED_WITHIN_MINUTES} minutes'`,
};
