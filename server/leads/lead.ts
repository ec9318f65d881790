import { paths } from '../../contract/paths.ts';
import { MOST_DUPLICATES } from '../../contract/duplicates.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { whenRun } from '../platform/sql.ts';
import { writeIso } from '../platform/times.ts';
import { fillAnswer, refuseTooLarge, type Filling } from '../platform/paging.ts';
import type { Reading } from '../platform/work.ts';
import { DELETED_LISTS, worksList } from '../lists/people.ts';
import { bySight, isThere, seesLead, sightOf, type Sight } from './access.ts';
import { TOLD, toldSql } from './told.ts';

/** A lead as every answer shows it. */

/** Whoever sees some lists alone looks through so many that share a value; where there are more, in each of their lists. */
const WALKED = 200;

export const WHOM = whenRun('$3::bigint');

/** Condition: whoever `$3` is sees `lead`, or where the whole is seen, it is there. */
export const isSeen = (sight: Sight, lead: string) => (sight === 'whole' ? isThere(lead) : seesLead(lead, WHOM));

/** The same of a lead by its id. A value, not a condition with `exists`, which could be planned as a walk over all leads. */
const sees = (sight: Sight, account: string, id: string) =>
  `(select ${isSeen(sight, 'o')} from leads o where o.account_id = ${account} and o.id = ${id})`;

/** Of leads with a mark the lowest, whoever sees them; so many more than are told that those which do not count are made up for. */
export const lowestSql = (account: string, mark: string, more: string) => `
  array(select k.lead_id from lead_marks k where k.account_id = ${account} and k.mark = ${mark}
           and k.list_id not in ${DELETED_LISTS}
         order by k.lead_id limit ${WALKED} + ${more})`;

/** Of those in a row `lowest (mark, ids)`, for whoever sees all. */
const firstSql = (more: string) => `select unnest(lowest.ids[:${MOST_DUPLICATES} + ${more}]) as lead_id`;

/**
 * Which of them `$3` sees, from a row `lowest (mark, ids)`. A few are looked at one by one. Of a placeholder there may be any number before
 * the first that is seen, so it is looked up in their own lists, and among what they hold.
 */
export const seenSql = (account: string, more: string) => `
  select found.lead_id from (
     select one.lead_id from unnest(lowest.ids) as one (lead_id)
      where ${WHOM} is null or (cardinality(lowest.ids) < ${WALKED} and ${sees('part', account, 'one.lead_id')})
     union all
     select theirs.lead_id from list_people p
      cross join lateral (
        select k.lead_id from lead_marks k
         where k.account_id = ${account} and k.list_id = p.list_id and k.mark = lowest.mark
         order by k.lead_id limit ${MOST_DUPLICATES} + ${more}) theirs
      where cardinality(lowest.ids) >= ${WALKED} and p.account_id = ${account} and p.user_id = ${WHOM}
        and p.list_id not in ${DELETED_LISTS}
     union all
     select l.id from leads l
      where cardinality(lowest.ids) >= ${WALKED} and l.account_id = ${account} and l.claimed_by = ${WHOM}
        and l.list_id not in ${DELETED_LISTS} and not ${worksList('l', 'list_id', WHOM)}
        and exists (select from lead_marks k
                     where k.account_id = ${account} and k.mark = lowest.mark and k.lead_id = l.id)) found
   order by found.lead_id limit ${MOST_DUPLICATES} + ${more}`;

/** Leads that share one of `marks`, where it is not theirs alone: where the lead itself is there already, it is the one. */
export const alikeSql = (sight: Sight, account: string, marks: string, more: string, itself: 0 | 1) => `
  select array_agg(distinct alike.lead_id) as ids
    from (select own.mark, ${lowestSql(account, 'own.mark', more)} as ids
            from unnest(${marks}) as own (mark) offset 0) lowest
   cross join lateral (${sight === 'whole' ? firstSql(more) : seenSql(account, more)}) alike
   where cardinality(lowest.ids) > ${itself}`;

const ignoredSql = (sight: Sight) => `(
  select array_agg(i.other_id) from ignored_duplicates i
   where i.account_id = l.account_id and i.lead_id = l.id and ${sees(sight, 'i.account_id', 'i.other_id')})`;

/** The members of a lead, from `leads l`. Data passes through as text: to parse and write it again would take longer than all the rest. */
const columnsSql = (sight: Sight) => `
  l.id, l.list_id, li.name as list_name, l.state, l.category, l.scheduled_for, u.email as claimed_by, l.claimed_at,
  l.created_at, l.last_updated,
  ${toldSql('li.identifiers[1]')} as first, ${toldSql('li.identifiers[2]')} as second,
  ${toldSql('li.identifiers[3]')} as third, (${TOLD})::text as data, ${ignoredSql(sight)} as ignored`;

const OWN_IGNORED = `1 + (select count(*) from ignored_duplicates i
      where i.account_id = l.account_id and i.lead_id = l.id)`;

/** With the leads that share a mark, as far as they are seen. */
export const leadColumns = (sight: Sight) => `${columnsSql(sight)},
  (${alikeSql(sight, 'l.account_id', 'd.marks', OWN_IGNORED, 1)}) as alike`;

/**
 * `which` leads, found by themselves before anything is joined to them: where nothing is known of the tables yet, the database would as soon
 * walk over all leads of a list as look up a few.
 */
export const leadTables = (which: string) => `
  (select * from leads l where ${which} offset 0) l
  cross join lateral (select * from lead_data d where d.account_id = l.account_id and d.lead_id = l.id offset 0) d
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
  /** Leads that share a mark, itself among them, lowest first of each mark. */
  alike?: number[] | null;
  ignored: number[] | null;
};

/** As JSON. `more` are members after the others, written already. */
export function writeLead(row: LeadRow, baseUrl: string, more = ''): string {
  const { id, list_id, claimed_by } = row;
  return (
    `{"id":${id},"location":"/api/v2/leads/${id}","url":${text(baseUrl + paths.lead(id))}` +
    `,"list_name":${text(row.list_name)},"list_location":"/api/v2/lists/${list_id}"` +
    `,"primary_identifier":${text(row.first)},"secondary_identifier":${text(row.second)}` +
    `,"tertiary_identifier":${text(row.third)},"state":"${row.state}","category":${maybe(row.category)}` +
    `,"scheduled_for":${time(row.scheduled_for)},"claimed_by":${maybe(claimed_by)}` +
    `,"claimed_at":${time(claimed_by === null ? null : row.claimed_at)}` +
    `,"detected_duplicates":[${detect(row).join(',')}],"ignored_duplicates":[${lowest(row.ignored).join(',')}]` +
    `,"created_at":${time(row.created_at)},"last_updated":${time(row.last_updated)}` +
    `,"lead_data":${row.data}${more}}`
  );
}

/** The rest is done here: most leads have none, and each further step of a plan is paid for by all of them. */
const detect = ({ id, alike, ignored }: LeadRow): number[] =>
  lowest(alike?.filter((other) => other !== id && !ignored?.includes(other)));

const lowest = (ids: number[] | null | undefined): number[] =>
  ids?.toSorted((a, b) => a - b).slice(0, MOST_DUPLICATES) ?? [];

/** `offset 0`: the data is written once, to be measured and to be told. */
const byIds = (columns: string, ids: string) =>
  fillAnswer(
    `select written.*, octet_length(written.data)
            + octet_length(concat(written.first, written.second, written.third)) + 500 as bytes
       from (select ${columns}, asked.place from (${ids}) asked
              cross join lateral ${leadTables('l.account_id = $1 and l.id = asked.id')} offset 0) written`,
    'place',
  );

const FEW = 10;
// The database keeps planning anew what looks cheaper for the ids at hand than for any ids. With a limit that is written down, it looks the same.
const BY_FEW_IDS = bySight('leads/lead.by_few_ids', (sight) =>
  byIds(
    leadColumns(sight),
    `select ($2::bigint[])[place] as id, place from generate_subscripts($2::bigint[], 1) as place limit ${FEW}`,
  ),
);
const BY_IDS = bySight('leads/lead.by_ids', (sight) =>
  byIds(columnsSql(sight), 'select id, place from unnest($2::bigint[]) with ordinality as each (id, place)'),
);

const MOST_IGNORED = `1 + (
  select least(count(*), 1000) from ignored_duplicates i where i.account_id = $1 and i.lead_id = any ($2))`;

/** By mark, not by lead: on a page of leads that all share one, each would look up the same hundred. Most marks are one lead's alone. */
const ALIKE = bySight(
  'leads/lead.alike',
  (sight) => `
  with own as materialized (
    select o.mark, array_agg(d.lead_id) as leads
      from unnest($2::bigint[]) as asked (id)
     cross join lateral (
       select lead_id, marks from lead_data where account_id = $1 and lead_id = asked.id offset 0) d
     cross join lateral unnest(d.marks) as o (mark)
     group by o.mark
  )
  select lowest.leads, array(${sight === 'whole' ? firstSql(MOST_IGNORED) : seenSql('$1', MOST_IGNORED)}) as alike
    from (select own.leads, own.mark, ${lowestSql('$1', 'own.mark', MOST_IGNORED)} as ids from own offset 0) lowest
   where cardinality(lowest.ids) > 1`,
);

/** In the order in which they are asked for. */
export async function readLeads({ db }: Reading, actor: Actor, ids: number[]): Promise<LeadRow[]> {
  if (ids.length === 0) return [];
  const { sight, values } = sightOf(actor, 'leads.read', actor.account.id, ids);
  const isFew = ids.length <= FEW;
  const [rows, marks] = await Promise.all([
    query<LeadRow & Filling>(db, isFew ? BY_FEW_IDS[sight] : BY_IDS[sight], values),
    isFew ? [] : query<{ leads: number[]; alike: number[] }>(db, ALIKE[sight], values),
  ]);
  refuseTooLarge(rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { leads, alike } of marks) {
    // Leads that share their other marks, too, are put together once.
    const united = new Map<LeadRow['alike'], number[]>([[undefined, alike]]);
    for (const row of leads.flatMap((id) => byId.get(id) ?? [])) {
      let all = united.get(row.alike);
      if (!all) united.set(row.alike, (all = [...new Set([...(row.alike ?? []), ...alike])].toSorted((x, y) => x - y)));
      row.alike = all;
    }
  }
  return rows;
}

export const writeLeads = (rows: LeadRow[], baseUrl: string): string =>
  `[${rows.map((row) => writeLead(row, baseUrl)).join(',')}]`;

const text = (value: string | null) => (value === null ? '""' : JSON.stringify(value));
const maybe = (value: string | null) => JSON.stringify(value);
const time = (value: Date | null) => (value === null ? 'null' : `"${writeIso(value)}"`);
