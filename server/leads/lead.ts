import { query } from '../platform/db.ts';
import type { Reading } from '../platform/work.ts';

/** A lead as every answer shows it. */

// Values that more leads share than this are placeholders such as 0000000, and detect nothing.
export const MOST_ALIKE = 100;

/** The members of a lead, from `leads l`. Data passes through as text: to parse and write it again would take longer than all the rest. */
export const LEAD_COLUMNS = `
  l.id, l.list_id, li.name as list_name, l.state, l.category, l.scheduled_for, u.email as claimed_by, l.claimed_at, l.created_at, l.last_updated,
  d.data ->> li.identifiers[1] as first, d.data ->> li.identifiers[2] as second, d.data ->> li.identifiers[3] as third,
  (li.blanks || d.data)::text as data,
  (select array_agg(distinct alike.lead_id)
     from unnest(d.marks) as own (mark)
    cross join lateral (select m.lead_id, count(*) over () as leads
                          from (select k.lead_id from lead_marks k
                                 where k.account_id = l.account_id and k.mark = own.mark limit ${MOST_ALIKE + 1}) m) alike
    where alike.leads between 2 and ${MOST_ALIKE}) as alike,
  (select array_agg(i.other_id) from ignored_duplicates i where i.account_id = l.account_id and i.lead_id = l.id) as ignored`;

export const LEAD_TABLES = `
  leads l
  join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
  join lists li on li.account_id = l.account_id and li.id = l.list_id
  left join users u on u.account_id = l.account_id and u.id = l.claimed_by`;

export type LeadRow = {
  id: number;
  list_id: number;
  list_name: string;
  state: string;
  category: string | null;
  scheduled_for: Date | null;
  claimed_by: string | null;
  claimed_at: Date | null;
  created_at: Date;
  last_updated: Date;
  first: string | null;
  second: string | null;
  third: string | null;
  data: string;
  /** Leads that share a mark, itself among them. */
  alike: number[] | null;
  ignored: number[] | null;
};

/** As JSON. `more` are members after the others, written already. */
export function writeLead(row: LeadRow, baseUrl: string, more = ''): string {
  const { id, list_id, claimed_by } = row;
  return `{"id":${id},"location":"/api/v2/leads/${id}","url":${text(`${baseUrl}/leads/${id}`)},"list_name":${text(row.list_name)},"list_location":"/api/v2/lists/${list_id}","primary_identifier":${text(row.first)},"secondary_identifier":${text(row.second)},"tertiary_identifier":${text(row.third)},"state":"${row.state}","category":${maybe(row.category)},"scheduled_for":${time(row.scheduled_for)},"claimed_by":${maybe(claimed_by)},"claimed_at":${time(claimed_by === null ? null : row.claimed_at)},"detected_duplicates":[${detect(row).join(',')}],"ignored_duplicates":[${inOrder(row.ignored).join(',')}],"created_at":${time(row.created_at)},"last_updated":${time(row.last_updated)},"lead_data":${row.data}${more}}`;
}

/** The rest is done here: most leads have none, and each further step of a plan is paid for by all of them. */
const detect = ({ id, alike, ignored }: LeadRow): number[] =>
  inOrder(alike)
    .filter((other) => other !== id && !ignored?.includes(other))
    .slice(0, MOST_ALIKE);

const inOrder = (ids: number[] | null): number[] => ids?.toSorted((a, b) => a - b) ?? [];

const byIds = (ids: string) => `
  select ${LEAD_COLUMNS} from (${ids}) asked join ${LEAD_TABLES} on l.account_id = $1 and l.id = asked.id order by asked.place`;

const FEW = 10;
// The database keeps planning anew what looks cheaper for the ids at hand than for any ids. With a limit that is written down, it looks the same.
const BY_FEW_IDS = byIds(
  `select ($2::bigint[])[place] as id, place from generate_subscripts($2::bigint[], 1) as place limit ${FEW}`,
);
const BY_IDS = byIds('select id, place from unnest($2::bigint[]) with ordinality as each (id, place)');

/** In the order in which they are asked for. */
export const readLeads = ({ db }: Reading, accountId: number, ids: number[]): Promise<LeadRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : query<LeadRow>(db, ids.length <= FEW ? BY_FEW_IDS : BY_IDS, [accountId, ids]);

export const writeLeads = (rows: LeadRow[], baseUrl: string): string =>
  `[${rows.map((row) => writeLead(row, baseUrl)).join(',')}]`;

const text = (value: string | null) => (value === null ? '""' : JSON.stringify(value));
const maybe = (value: string | null) => JSON.stringify(value);
const time = (value: Date | null) => (value === null ? 'null' : `"${value.toISOString()}"`);
