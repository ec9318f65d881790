import { FIELD, isField } from '../../contract/filters.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { MOST_COLUMNS } from './cells.ts';
import type { Besides, ExportedLead } from './rows.ts';

/** What a file says of each lead, from left to right. */

export type ExportColumn = {
  heading: string;
  /** Of a field. */
  key?: string;
  /** In a workbook what is a whole number is one. */
  isNumber?: boolean;
  text: (lead: ExportedLead) => string;
};

/** As the table names them. Whose it is and where it stands are told as an import reads them. */
const KNOWN: Record<string, ExportColumn[]> = {
  lead: [{ heading: 'Lead', text: ({ lead }) => lead }],
  phone: [{ heading: 'Phone', text: ({ phone }) => phone }],
  list: [{ heading: 'List', text: ({ list }) => list }],
  state: [
    { heading: 'State', text: ({ state }) => state },
    { heading: 'Category', text: ({ category }) => category ?? '' },
  ],
  due: [
    { heading: 'Due', text: ({ due }) => due ?? '' },
    { heading: 'Reminder', text: ({ reminder }) => reminder ?? '' },
  ],
  claimed_by: [{ heading: 'Claimed by', text: ({ claimed_by }) => claimed_by ?? '' }],
  last_activity: [{ heading: 'Last activity', text: ({ last_activity }) => last_activity ?? '' }],
  calls: [{ heading: 'Calls', isNumber: true, text: ({ calls }) => String(calls) }],
  created: [{ heading: 'Created', text: ({ created }) => created }],
  updated: [{ heading: 'Updated', text: ({ updated }) => updated }],
};
const LEAD_ID: ExportColumn = { heading: 'Lead id', isNumber: true, text: ({ id }) => String(id) };

const NAMES = new Set(['lead', 'phone']);
const ACTIVITY = new Set(['last_activity', 'calls']);

/** What `columns` ask for that is not looked up otherwise. */
export const besidesOf = (columns: string[] = []): Besides => ({
  names: columns.some((name) => NAMES.has(name)),
  activity: columns.some((name) => ACTIVITY.has(name)),
});

type Field = { key: string; label: string; is_number: boolean };

// As the first list calls it, where several have it, and in the order of the lists.
const fieldsOf = (where: string) => `
  select c.key, (array_agg(c.label order by c.list_id))[1] as label, bool_and(c.kind = 'integer') as is_number
    from list_columns c where c.account_id = $1 and ${where}
   group by c.key order by min(array[c.list_id, c.position]) limit ${MOST_COLUMNS + 1}`;
const FIELDS = sql('exports/columns.fields')`${fieldsOf(
  'c.list_id = any ($2::bigint[]) and ($3::text[] is null or c.key = any ($3))',
)}`;
const ELSEWHERE = sql('exports/columns.elsewhere')`${fieldsOf(`c.key = any ($2::text[])
     and c.list_id = any (array(select id from lists where account_id = $1 and deleted_at is null))`)}`;

/**
 * `names` as the table has them; undefined: everything. Beside leads that were chosen in it, it may show fields that none of their lists has:
 * `anyList`.
 */
export async function readColumns(
  { db }: Reading,
  actor: Actor,
  { lists, anyList }: { lists: number[]; anyList: boolean },
  names: string[] | undefined,
): Promise<ExportColumn[]> {
  const keys = names?.filter(isField).map((name) => name.slice(FIELD.length));
  const account = actor.account.id;
  // One more than can be told, so that it shows.
  const fields = await query<Field>(db, FIELDS, [account, lists, keys ?? null]);
  const others = keys?.filter((key) => !fields.some((field) => field.key === key)) ?? [];
  if (anyList && others.length > 0) fields.push(...(await query<Field>(db, ELSEWHERE, [account, others])));
  const byName = new Map(fields.map((field) => [`${FIELD}${field.key}`, [columnOf(field)]]));
  if (!names) {
    const all = ['list', ...byName.keys(), 'state', 'due', 'claimed_by', 'created', 'updated'];
    return tellApart([LEAD_ID, ...all.flatMap((name) => byName.get(name) ?? KNOWN[name]!)]);
  }
  return tellApart(
    [...new Set(names)].flatMap((name) => {
      const found = isField(name) ? byName.get(name) : Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
      if (!found) throw invalid({ columns: [sayUnknown(name)] });
      return found;
    }),
  );
}

const columnOf = ({ key, label, is_number }: Field): ExportColumn => ({
  heading: label,
  key,
  isNumber: is_number,
  text: ({ says }) => (Object.hasOwn(says, key) ? says[key]! : ''),
});

const sayUnknown = (name: string): string =>
  isField(name)
    ? `name ${name.slice(0, 100)}, which is no field of these lists`
    : `must be of ${Object.keys(KNOWN).join(', ')}, or field.KEY, and ${name.slice(0, 100)} is none`;

const fold = (heading: string) => heading.trim().toLowerCase();

/** Fields that would be called as another column is have their key besides. */
function tellApart(columns: ExportColumn[]): ExportColumn[] {
  const often = new Map<string, number>();
  for (const { heading } of columns) often.set(fold(heading), (often.get(fold(heading)) ?? 0) + 1);
  return columns.map((column) => {
    const { heading, key } = column;
    return key !== undefined && often.get(fold(heading))! > 1 ? { ...column, heading: `${heading} (${key})` } : column;
  });
}
