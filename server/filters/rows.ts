import type { TableLead } from '../../contract/lead-table.ts';
import { seesLead } from '../leads/access.ts';
import { toldSql } from '../leads/told.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { writeIso } from '../platform/times.ts';
import type { Reading } from '../platform/work.ts';

const person = (user: string) =>
  `case when ${user}.id is not null then json_build_object('id', ${user}.id,
    'name', coalesce(nullif(btrim(concat(${user}.first_name, ' ', ${user}.last_name)), ''), ${user}.email)) end`;

/** A value that is long is cut: a row shows its beginning. Null where it says nothing. */
const beginOf = (key: string) => `nullif(left(${toldSql(key)}, 500), '')`;

type Row = Omit<TableLead, 'identifiers' | 'scheduled_for' | 'last_activity' | 'created_at' | 'last_updated'> & {
  first: string | null;
  second: string | null;
  third: string | null;
  scheduled_for: Date | null;
  last_activity: Date | null;
  created_at: Date;
  last_updated: Date;
};

// What is the same for all leads of a list is looked up once for each list. Times are written, and identifiers put together, outside: both, and
// looking through the telephone numbers of leads that say their first, took the database a quarter of all this.
const READ = sql('filters/rows.read')`
  with asked as materialized (
    select l.*, each.place
      from unnest($2::bigint[]) with ordinality as each (id, place)
     cross join lateral (select * from leads l where l.account_id = $1 and l.id = each.id offset 0) l
     where ${seesLead('l', '$3::bigint')}
  ), of_list as materialized (
    select li.id, li.unsettled, li.blanks, li.identifiers,
           array(select c.key from list_columns c
                  where c.account_id = $1 and c.list_id = li.id and c.kind = 'phone' order by c.position) as phones
      from (select distinct list_id as id from asked) each
     cross join lateral (select * from lists li where li.account_id = $1 and li.id = each.id offset 0) li
  )
  select l.id, l.list_id, ${beginOf('li.identifiers[1]')} as first, ${beginOf('li.identifiers[2]')} as second,
         ${beginOf('li.identifiers[3]')} as third,
         coalesce(${beginOf('li.phones[1]')}, (
           select ${beginOf('own.key')} from unnest(li.phones[2:]) with ordinality as own (key, place)
            where ${beginOf('own.key')} is not null order by own.place limit 1), '') as phone,
         l.state, l.category, l.scheduled_for, l.exactly, ${person('u')} as claimed_by, ${person('h')} as held_by,
         c.calls, greatest(c.last, e.last) as last_activity, l.created_at, l.last_updated,
         coalesce((select json_object_agg(own.key, ${beginOf('own.key')})
                     from unnest($4::text[]) as own (key)
                    where li.blanks ? own.key and ${beginOf('own.key')} is not null), '{}') as fields
    from asked l
    join of_list li on li.id = l.list_id
   cross join lateral (select * from lead_data d where d.account_id = $1 and d.lead_id = l.id offset 0) d
    left join users u on u.account_id = $1 and u.id = l.claimed_by
    left join users h on h.account_id = $1 and h.id = l.held_by and l.held_until > now()
   cross join lateral (select count(*) as calls, max(c.started_at) as last from calls c
                        where c.account_id = $1 and c.lead_id = l.id) c
   cross join lateral (select max(e.created_at) as last from events e
                        where e.account_id = $1 and e.lead_id = l.id and e.kind <> 'lead_created') e
   order by l.place`;

/** Leads as the table shows them, in the order in which they are asked for; those that are gone meanwhile are left out. */
export async function readRows({ db }: Reading, actor: Actor, ids: number[], fields: string[]): Promise<TableLead[]> {
  if (ids.length === 0) return [];
  const rows = await query<Row>(db, READ, [actor.account.id, ids, boundOf(actor, 'leads.read'), fields]);
  return rows.map(({ first, second, third, ...row }) => ({
    ...row,
    identifiers: [first, second, third].filter((text) => text !== null),
    scheduled_for: row.scheduled_for && writeIso(row.scheduled_for),
    last_activity: row.last_activity && writeIso(row.last_activity),
    created_at: writeIso(row.created_at),
    last_updated: writeIso(row.last_updated),
  }));
}
