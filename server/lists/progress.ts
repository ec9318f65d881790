import type { ListJob, ListOverview, ListProgress } from '../../contract/list-pages.ts';
import type { CategoryKind } from '../../contract/lists.ts';
import { STATES, type State } from '../../contract/states.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading } from '../platform/work.ts';
import { jobSql } from './jobs.ts';
import { COLUMNS, STANDING, standingOf, toListRow, type ListRecord } from './lists.ts';
import { seesList } from './people.ts';

/** How campaigns stand. From the counters and the ends of indexes, so a million leads take as long as one. */

/** More than this is simply much. */
const MOST_DUE = 1_000;
const MOST_PEOPLE = 8;

const progressSql = (which: string) => `
  select ${COLUMNS}, ${STANDING}, coalesce(c.total, 0)::int8 as leads_count, coalesce(c.counts, '{}') as counts,
         (select count(*) from (select from leads l
           where l.account_id = li.account_id and l.list_id = li.id and l.rank in (1, 2) and l.turn_at <= now()
           limit ${MOST_DUE}) d) as due,
         (select ${isoOf('l.last_updated')} from leads l where l.account_id = li.account_id and l.list_id = li.id
           order by l.last_updated desc limit 1) as last_activity,
         p.people_count, p.people,
         (select ${jobSql} from list_jobs j where j.account_id = li.account_id and j.list_id = li.id
             and j.finished_at is null and j.kind <> 'fit' order by j.id limit 1) as job
    from lists li
    left join lateral (
      select sum(s.leads) as total, json_object_agg(s.state, s.leads) as counts from (
        select state, sum(leads)::int8 as leads from lead_counts
         where account_id = li.account_id and list_id = li.id group by state) s) c on true
   cross join lateral (
      select count(*) as people_count,
             coalesce(json_agg(json_build_object('email', w.email, 'first_name', w.first_name, 'last_name', w.last_name)
                      order by w.place) filter (where w.place <= ${MOST_PEOPLE}), '[]') as people
        from (select u.email, u.first_name, u.last_name, row_number() over (order by u.id) as place
                from list_people lp join users u on u.account_id = lp.account_id and u.id = lp.user_id
               where lp.account_id = li.account_id and lp.list_id = li.id and u.disabled_at is null) w) p
   where li.account_id = $1 and li.deleted_at is null and ${seesList('li', 'id', '$2::bigint')} and ${which}
   order by li.created_at desc, li.id desc`;

const ALL = sql('lists/progress.all')`${progressSql('true')}`;
const ONE = sql('lists/progress.one')`${progressSql('li.id = $3')}`;

type Row = Omit<ListRecord, 'categories'> &
  Pick<ListProgress, 'purpose' | 'paused' | 'archived' | 'due' | 'people' | 'people_count'> & {
    counts: Partial<Record<State, number>>;
    last_activity: string | null;
    job: ListJob | null;
  };

/** Newest first. */
export async function listProgress({ db }: Reading, actor: Actor): Promise<ListProgress[]> {
  const rows = await query<Row>(db, ALL, [actor.account.id, boundOf(actor, 'stats.read')]);
  return rows.map(toProgress);
}

const toProgress = (row: Row): ListProgress => ({
  ...toListRow(row),
  ...standingOf(row),
  counts: Object.fromEntries(
    Object.keys(STATES).map((state) => [state, row.counts[state as State] ?? 0]),
  ) as ListProgress['counts'],
  due: row.due,
  people: row.people,
  people_count: row.people_count,
  last_activity: row.last_activity,
  job: row.job,
});

const CARRIED = sql('lists/progress.carried')`
  select state, category, sum(leads)::int8 as leads from lead_counts
   where account_id = $1 and list_id = $2 and state <> 'new'
   group by state, category having sum(leads) <> 0 order by state, category`;

/** With how many leads carry which category. */
export async function readOverview({ db }: Reading, actor: Actor, id: number | undefined): Promise<ListOverview> {
  const row = await one<Row>(db, ONE, [actor.account.id, boundOf(actor, 'stats.read'), id ?? 0]);
  const carried = await query<{ state: State; category: string; leads: number }>(db, CARRIED, [row.account_id, row.id]);
  return {
    ...toProgress(row),
    categories: carried.map(({ state, category, leads }) => ({ kind: STATES[state] as CategoryKind, category, leads })),
  };
}
