import type { Subjects } from '../../contract/lead-table.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql, whenRun } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { seesList } from './people.ts';

const MOST_FIELDS = 500;
const MOST_OPTIONS = 200;
const MOST_CATEGORIES = 500;

const categoriesOf = (which: string) => `
  coalesce((select json_agg(category.name) from (
    select name from seen cross join jsonb_each(seen.categories) as of_kind (kind, names)
     cross join jsonb_array_elements_text(of_kind.names) as name where ${which}
     group by name order by min(kind), name limit ${MOST_CATEGORIES}) category), '[]')`;

const LISTS = whenRun('$2::bigint[]');

// A field that is called differently in several lists has the name that most of them give it.
const SUBJECTS = sql('lists/subjects.read')`
  with seen as materialized (
    select li.id, li.categories from lists li
     where li.account_id = $1 and (${LISTS} is null or li.id = any (${LISTS}::bigint[]))
       and ${seesList('li', 'id', whenRun('$3::bigint'))}
  ), columns as materialized (
    select c.* from list_columns c where c.account_id = $1 and c.list_id in (select id from seen)
  ), choices as (
    select c.key, (array_agg(distinct option))[1:${MOST_OPTIONS}] as options
      from columns c cross join unnest(c.options) as option group by c.key
  )
  select coalesce((select json_agg(field) from (
           select c.key, mode() within group (order by c.label) as label, mode() within group (order by c.kind) as kind,
                  coalesce(min(choices.options), '{}') as options
             from columns c left join choices on choices.key = c.key
            group by c.key order by count(*) desc, min(c.position), c.key limit ${MOST_FIELDS}) field), '[]') as fields,
         ${categoriesOf('true')} as categories, ${categoriesOf(`kind = 'archive'`)} as archive_categories`;

/** What leads of these lists can be asked for by, besides what all leads have. Null: all that one sees. */
export async function readSubjects({ db }: Reading, actor: Actor, lists: number[] | null): Promise<Subjects> {
  const [subjects] = await query<Subjects>(db, SUBJECTS, [actor.account.id, lists, boundOf(actor, 'leads.read')]);
  return subjects!;
}
