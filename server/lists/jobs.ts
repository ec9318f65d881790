import type { ListJob } from '../../contract/list-pages.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';
import type { Reading, Work } from '../platform/work.ts';

/** What is done to all leads of a list in the background. Here it is asked for and told; `leads/list-jobs.ts` does it. */

/** What each kind asks for, besides the sentence that says what changed. */
export type JobAsked = { what: string } & (
  | {
      kind: 'settle';
      /** Leads with a value under one of these have to be written anew; none: all of them. */
      keys?: string[];
    }
  | { kind: 'rename_category'; of: string; from: string; to: string }
  | { kind: 'fit'; key: string; to: string; options: string[] }
  | { kind: 'remove' }
);

export type JobKind = JobAsked['kind'];

const START = sql('lists/jobs.start')`
  insert into list_jobs (account_id, list_id, kind, asked, user_id, total)
  values ($1, $2, $3, $4, $5, (select coalesce(sum(leads), 0)::int8 from lead_counts
                                where account_id = $1 and list_id = $2)) returning id`;

/** Written down; whoever gives turns does the rest. */
export async function startListJob(work: Work, actor: Actor, listId: number, asked: JobAsked): Promise<number> {
  const { kind, ...rest } = asked;
  const values = [actor.account.id, listId, kind, JSON.stringify(rest), actor.user?.id ?? null];
  const { id } = await one<{ id: number }>(work.db, START, values);
  work.nudge('lists');
  return id;
}

// Those that were deleted within the week come back as they are then; leads that were deleted by themselves are written anew anyway.
const SETTLE_ALL = sql('lists/jobs.settle_all')`
  insert into list_jobs (account_id, list_id, kind, asked, user_id, total)
  select li.account_id, li.id, 'settle', jsonb_build_object('what', $2::text), $3, counted.leads
    from lists li cross join lateral (
      select coalesce(sum(c.leads), 0)::int8 as leads from lead_counts c
       where c.account_id = li.account_id and c.list_id = li.id) counted
   where li.account_id = $1 and not li.holds_deleted and counted.leads > 0
   order by li.id`;

/** Something has changed by which the leads of all lists are read. */
export async function settleAllLists(work: Work, actor: Actor, what: string): Promise<void> {
  await query(work.db, SETTLE_ALL, [actor.account.id, what, actor.user?.id ?? null]);
  work.nudge('lists');
}

/** From `list_jobs j`: as the pages see it. Time left by how long it took so far. */
export const jobSql = `
  json_build_object('id', j.id, 'kind', j.kind, 'what', j.asked ->> 'what', 'total', j.total, 'done', j.done,
    'seconds_left', case when j.finished_at is null and j.done > 0
      then ceil(extract(epoch from now() - j.created_at) * greatest(j.total - j.done, 0) / j.done)::int4 end,
    'result', j.result, 'finished_at', j.finished_at)`;

/** Condition: people still want to hear of `list_jobs j`. What is only counted is told to whoever asks for it. */
export const isNews = `j.kind <> 'fit' and (j.finished_at is null or j.finished_at > now() - interval '1 minute')`;

const OF_LIST = sql('lists/jobs.of_list')`
  select ${jobSql} as job from list_jobs j
   where j.account_id = $1 and j.list_id = $2 and ${isNews} order by j.id desc limit 20`;

/** Those that are under way, and those that have just been finished; newest first. */
export async function listJobs({ db }: Reading, actor: Actor, listId: number): Promise<ListJob[]> {
  return (await query<{ job: ListJob }>(db, OF_LIST, [actor.account.id, listId])).map(({ job }) => job);
}

const FIND = sql('lists/jobs.find')`
  select ${jobSql} as job from list_jobs j where j.account_id = $1 and j.list_id = $2 and j.id = $3`;

export async function readListJob(
  { db }: Reading,
  actor: Actor,
  listId: number,
  id: number | undefined,
): Promise<ListJob> {
  return (await one<{ job: ListJob }>(db, FIND, [actor.account.id, listId, id ?? 0])).job;
}

/** Condition: of those that write leads of its list `list_jobs j` is the first. What is only counted waits for nobody. */
const isFirst = `(j.kind = 'fit' or not exists (
  select from list_jobs e where e.account_id = j.account_id and e.list_id = j.list_id and e.finished_at is null
     and e.kind <> 'fit' and e.id < j.id))`;

const NEXT = sql('lists/jobs.next')`
  select next.* from (select distinct account_id from list_jobs where finished_at is null) a
   cross join lateral (
     select distinct on (person) j.account_id, coalesce(j.user_id, 0) as person, j.id from list_jobs j
      where j.account_id = a.account_id and j.finished_at is null and j.kind = any ($1::text[]) and ${isFirst}
      order by person, j.kind <> 'fit', j.id limit 50) next`;

/** The next of each person who waits for one of these kinds: what is only counted first, somebody looks at it. */
export const nextListJobs = (db: Db, kinds: JobKind[]) =>
  query<{ account_id: number; person: number; id: number }>(db, NEXT, [kinds]);

const TAKE = sql('lists/jobs.take')`
  select j.account_id, j.id, j.list_id, j.kind, j.asked, j.after_at, j.after_id, j.result from list_jobs j
   where j.account_id = $1 and j.id = $2 and j.finished_at is null and ${isFirst} for update of j skip locked`;

/** One that is worked on: nobody else does until the transaction ends. */
export type TakenJob = {
  account_id: number;
  id: number;
  list_id: number;
  kind: JobKind;
  asked: Record<string, unknown>;
  /** The lead that was looked at last. */
  after_at: Date | null;
  after_id: number | null;
  result: Record<string, unknown>;
};

/** Nothing where it is through, has to wait for another, or someone has it. */
export async function takeListJob({ db }: Work, accountId: number, id: number): Promise<TakenJob | undefined> {
  const [job] = await query<TakenJob>(db, TAKE, [accountId, id]);
  return job;
}

/** How far a job came: the lead it looked at last, nothing where it begins anew, how many it looked at, and what it found that was not known. */
export type JobStep = { after: { at: Date | null; id: number | null }; done: number; result?: object | undefined };

const MOVE = sql('lists/jobs.move')`
  update list_jobs set after_at = $3, after_id = $4, done = least(done + $5, total),
         result = result || $6::jsonb
   where account_id = $1 and id = $2`;

export async function moveListJob({ db }: Work, job: TakenJob, { after, done, result = {} }: JobStep): Promise<void> {
  const values = [after.at, after.id, done, JSON.stringify(result)];
  await query(db, MOVE, [job.account_id, job.id, ...values]);
}

// A job that settles the leads of a list may be followed by another: only after the last are they settled.
const FINISH = sql('lists/jobs.finish')`
  with finished as (
    update list_jobs set finished_at = clock_timestamp(), done = total, result = result || $3::jsonb
     where account_id = $1 and id = $2 returning account_id, id, list_id, kind
  )
  update lists li set unsettled = false from finished f
   where f.kind = 'settle' and li.account_id = f.account_id and li.id = f.list_id and li.unsettled
     and not exists (select from list_jobs j where j.account_id = f.account_id and j.list_id = f.list_id
                        and j.kind = 'settle' and j.finished_at is null and j.id <> f.id)`;

export async function finishListJob({ db }: Work, job: TakenJob, result: object = {}): Promise<void> {
  await query(db, FINISH, [job.account_id, job.id, JSON.stringify(result)]);
}

const REPLACE = sql('lists/jobs.replace')`
  delete from list_jobs
   where account_id = $1 and list_id = $2 and kind = 'fit' and user_id = $3 and finished_at is null`;

/** What someone had counted of a list before, and does not wait for any more. */
export async function dropFits({ db }: Work, actor: Actor, listId: number): Promise<void> {
  await query(db, REPLACE, [actor.account.id, listId, actor.user?.id ?? 0]);
}

/** Whoever asked has seen it. */
export const PAST_JOBS: Sweep = {
  table: 'list_jobs',
  past: `finished_at < now() - case kind when 'fit' then interval '1 day' else interval '30 days' end`,
};
