import type { Categories, CategoryKind } from '../../contract/lists.ts';
import { STATES } from '../../contract/states.ts';
import type { TakenJob } from '../lists/jobs.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { countLeads } from './counters.ts';
import { stepOf, stretchSql, stretchValues, type Batch, type Stretch } from './stretch.ts';

/** Leads that carry a category take its new name. They have changed, and nobody is told. */

const AT_ONCE = 200;

const READ = sql('leads/rename.read')`${stretchSql(
  'select w.id, w.created_at, w.place from walked w where w.state = $7 and w.category = $8',
  { also: ', l.state, l.category' },
)}`;

// All at once and in one order, like everyone who locks several. One that got another outcome meanwhile keeps it.
const RENAME = sql('leads/rename.rename')`
  with locked as materialized (
    select id from leads
     where account_id = $1 and list_id = $2 and id = any ($3::bigint[]) and state = $4 and category = $5
     order by id for no key update
  ), renamed as (
    update leads l set category = $6, last_updated = greatest(last_updated, clock_timestamp())
     where l.account_id = $1 and l.id = any (array(select id from locked)) returning l.id
  )
  select count(*) as leads from renamed`;

type Renaming = { of: CategoryKind; from: string; to: string };

export async function renameCategory(work: Work, job: TakenJob): Promise<Batch> {
  const { account_id, list_id } = job;
  const { of, from, to } = job.asked as Renaming;
  const state = Object.entries(STATES).find(([, kind]) => kind === of)?.[0];
  // Skipped leads carry no category: it is on the event alone.
  if (!state) return { after: { at: null, id: null }, done: 0, through: true };
  const values = [...stretchValues(job, AT_ONCE), state, from];
  const [stretch] = await query<Stretch<object>>(work.db, READ, values);
  const ids = stretch!.hits.map(({ id }) => id);
  if (ids.length > 0) {
    const { leads } = await one<{ leads: number }>(work.db, RENAME, [account_id, list_id, ids, state, from, to]);
    const counting = countLeads(account_id, [
      { list_id, state, category: from, leads: -leads },
      { list_id, state, category: to, leads },
    ]);
    await query(work.db, counting.text, counting.values);
  }
  // Those who were under way then may have read the old names.
  const result = { began_at: job.result.began_at ?? (await one<{ now: Date }>(work.db, NOW, [])).now };
  const step = stepOf(job, stretch!, result);
  return step.through ? { ...step, ...(await endOf(work, job, { of, from, state })) } : step;
}

const NOW = sql('leads/rename.now')`select clock_timestamp() as now`;

// None of ours lasts for minutes.
const OTHERS = sql('leads/rename.others')`
  select clock_timestamp() > $1::timestamptz + interval '5 minutes' or not exists (
    select from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
       and xact_start <= $1) as are_through`;

const LEFT = sql('leads/rename.left')`
  select li.categories, (select coalesce(sum(c.leads), 0)::int8 from lead_counts c
                          where c.account_id = li.account_id and c.list_id = li.id and c.state = $3
                            and c.category = $4) as leads
    from lists li where li.account_id = $1 and li.id = $2`;

/**
 * Whoever was under way when the category was renamed may still write its old name behind the walk: they are waited for, then it is counted
 * who carries it, and if anyone does, the walk begins anew.
 */
async function endOf(
  work: Work,
  job: TakenJob,
  { of, from, state }: { of: CategoryKind; from: string; state: string },
): Promise<Partial<Batch>> {
  const began = job.result.began_at;
  if (!began) return { through: false, waits: true };
  const { are_through } = await one<{ are_through: boolean }>(work.db, OTHERS, [began]);
  if (!are_through) return { through: false, waits: true };
  const values = [job.account_id, job.list_id, state, from];
  const { categories, leads } = await one<{ categories: Categories; leads: number }>(work.db, LEFT, values);
  // Where it is a name of the list again, leads get it again.
  if (leads === 0 || categories[of]?.includes(from)) return { through: true };
  return { through: false, after: { at: null, id: null } };
}
