import { IS_DUE } from '../filters/conditions.ts';
import { seesLead } from '../leads/access.ts';
import { TOLD, toldSql } from '../leads/told.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { fillAnswer, type Filling } from '../platform/paging.ts';
import { LONGEST_ANSWER } from '../platform/large-answers.ts';
import { sqlFor } from '../platform/sql.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading } from '../platform/work.ts';

/** Leads as a file has them. */

export type ExportedLead = {
  id: number;
  list: string;
  /** Its identifiers, its first number: '' where no column asks for them. */
  lead: string;
  phone: string;
  state: string;
  category: string | null;
  due: string | null;
  reminder: string | null;
  claimed_by: string | null;
  calls: number;
  last_activity: string | null;
  created: string;
  updated: string;
  /** What it says, by field. */
  says: Record<string, string>;
};

/** What takes a look of its own for each lead. */
export type Besides = { names: boolean; activity: boolean };

const NAMES = {
  lead: `array_to_string(array(
           select ${toldSql('own.key')} from unnest(li.identifiers) with ordinality as own (key, place)
            where ${toldSql('own.key')} <> '' order by own.place), ', ')`,
  phone: `coalesce((select ${toldSql('own.key')} from unnest(li.phones) with ordinality as own (key, place)
            where ${toldSql('own.key')} <> '' order by own.place limit 1), '')`,
};
const ACTIVITY = {
  calls: `(select count(*) from calls c where c.account_id = $1 and c.lead_id = l.id)`,
  last: `greatest((select max(c.started_at) from calls c where c.account_id = $1 and c.lead_id = l.id),
           (select max(e.created_at) from events e
             where e.account_id = $1 and e.lead_id = l.id and e.kind <> 'lead_created'))`,
};

// What is the same for all leads of a list is looked up once for each list.
const READ = sqlFor(
  'exports/rows.read',
  ({ names, activity }: Besides) =>
    fillAnswer(
      `with asked as materialized (
         select l.*, each.place
           from unnest($2::bigint[]) with ordinality as each (id, place)
          cross join lateral (select * from leads l where l.account_id = $1 and l.id = each.id offset 0) l
          where ${seesLead('l', '$3::bigint')}
       ), of_list as materialized (
         select li.id, li.name, li.unsettled, li.blanks, li.identifiers,
                array(select c.key from list_columns c
                       where c.account_id = $1 and c.list_id = li.id and c.kind = 'phone' order by c.position) as phones
           from lists li where li.account_id = $1 and li.id in (select list_id from asked)
       )
       select written.*, octet_length(written.says) + 500 as bytes from (
         select l.place, l.id, li.name as list, ${names ? NAMES.lead : `''`} as lead,
                ${names ? NAMES.phone : `''`} as phone,
                l.state, l.category, case when ${IS_DUE} then ${isoOf('l.scheduled_for')} end as due,
                case when l.state <> 'call_back' then ${isoOf('l.scheduled_for')} end as reminder,
                u.email as claimed_by, ${activity ? ACTIVITY.calls : '0::bigint'} as calls,
                ${isoOf(activity ? ACTIVITY.last : 'null::timestamptz')} as last_activity,
                ${isoOf('l.created_at')} as created, ${isoOf('l.last_updated')} as updated, (${TOLD})::text as says
           from asked l
           join of_list li on li.id = l.list_id
          cross join lateral (select * from lead_data d where d.account_id = $1 and d.lead_id = l.id offset 0) d
           left join users u on u.account_id = $1 and u.id = l.claimed_by
         offset 0) written`,
      'place',
    ),
  [[{ names: false, activity: false }], [{ names: true, activity: true }]],
);

type Row = Omit<ExportedLead, 'says'> & Filling & { place: number; says: string };

/**
 * In the order in which they are asked for; those that are gone meanwhile are left out. What they say may be more than should lie in memory
 * at once: then `rest` are those that were not read.
 */
export async function readExported(
  { db }: Reading,
  actor: Actor,
  ids: number[],
  besides: Besides,
): Promise<{ leads: ExportedLead[]; rest: number[] }> {
  // As one text: the driver takes ten times as long to write down so many numbers.
  const values = [actor.account.id, `{${ids.join()}}`, boundOf(actor, 'leads.export')];
  const rows = await query<Row>(db, READ(besides), values);
  const last = rows.at(-1);
  return {
    leads: rows.map(({ says, ...row }) => ({ ...row, says: JSON.parse(says) as Record<string, string> })),
    rest: last && last.filled > LONGEST_ANSWER ? ids.slice(last.place) : [],
  };
}
