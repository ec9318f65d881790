import type { Plan } from '../../contract/imports.ts';
import { databaseNow } from '../platform/clock.ts';
import { one, PLAN_ANEW, query, type Db } from '../platform/db.ts';
import { someOf } from '../platform/handful.ts';
import { sql } from '../platform/sql.ts';
import type { Transact, Work } from '../platform/work.ts';
import { readListOfJob, type LeadList } from '../leads/access.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import { MOST_FAULTY_TOLD, type CheckedRows, type Checking } from './check.ts';
import { addFound, addTwice, beginFinding, keepFound, type Flagged, type Found, type Kept } from './found.ts';
import { lockHeld, type HeldImport } from './held.ts';
import { planChecking } from './plan-checking.ts';
import { matchedBy, provisionalList, shapeOf } from './shape.ts';
import { analyzePart, emptyPart } from './staging.ts';
import type { Checkers } from './threads.ts';

/** Every row of a file is looked at: what it becomes, what is wrong with it, and whether it is a lead already. */

/** Given to a thread at once; fewer, and one after the other, while others are not to wait. */
const ROWS_AT_ONCE = 500;
const FEW_AT_ONCE = 100;

/** What rows of an import are checked by, as things stand. */
export type Basis = { checking: Checking; shape: string; matchedBy: string[] };

const COUNTRY = sql('imports/checking.country')`select country from accounts where id = $1`;

type Asking = { db: Db };
type Owned = Pick<HeldImport, 'account_id' | 'how_read'>;

/** As it will be. */
async function readPlannedList({ db }: Asking, { account_id }: Owned, plan: Plan): Promise<LeadList> {
  if (plan.list_id !== null) return provisionalList(plan, await readListOfJob({ db }, account_id, plan.list_id), '');
  const { country } = await one<{ country: string }>(db, COUNTRY, [account_id]);
  return provisionalList(plan, null, country);
}

const PEOPLE = sql('imports/checking.people')`
  select a.time_zone, coalesce((
           select json_object_agg(u.email_folded, u.id) from users u
            where u.account_id = a.id and u.disabled_at is null), '{}') as people
    from accounts a where a.id = $1`;

type People = { time_zone: string; people: Record<string, number> };

export async function openBasis(asking: Asking, held: Owned, plan: Plan): Promise<Basis> {
  const [{ time_zone: timeZone, people }, list] = await Promise.all([
    one<People>(asking.db, PEOPLE, [held.account_id]),
    readPlannedList(asking, held, plan),
  ]);
  const checking = planChecking({ plan, list, people, timeZone, format: held.how_read?.format ?? 'csv' });
  return { checking, shape: shapeOf(list, plan), matchedBy: matchedBy(plan, list) };
}

const FETCH = sql('imports/checking.fetch')`${PLAN_ANEW}
  select coalesce(json_agg(json_build_array(r.row, r.cells, r.fault) order by r.row), '[]')::text as rows,
         max(r.row) as last
    from (${someOf(`
      select row, cells, fault, octet_length(cells::text) as bytes from import_rows
       where import_id = $1 and row > $2 and row <= $3 order by row limit $4`)}) r`;

type Fetched = { rows: string; last: number | null };
/** Rows from (without it) to (with it). */
type Batch = CheckedRows & { from: number; to: number };

/** Rows of an import that threads work on ahead of what is written down. */
type Course = Basis & { version: number; at: number; fetched: Promise<number>; ahead: Promise<Batch | undefined>[] };

type Means = { db: Db; transact: Transact; me: string; checkers: Checkers };

export type Checks = {
  /** Checks on for a while, as far as the file was read. */
  checkSome(held: HeldImport, until: number, gently: boolean): Promise<void>;
  keepOnly(ids: Set<number>): void;
};

export function openChecks({ db, transact, me, checkers }: Means): Checks {
  const courses = new Map<number, Course>();

  const open = async (held: HeldImport): Promise<Course> => {
    const known = courses.get(held.id);
    if (known && known.version === held.version && known.at === held.checked_to) return known;
    const basis = await openBasis({ db }, held, held.plan!);
    const { version, checked_to: at } = held;
    const course: Course = { ...basis, version, at, fetched: Promise.resolve(at), ahead: [] };
    courses.set(held.id, course);
    return course;
  };

  /** One fetch after the other, since each begins where the last ended; the threads work side by side. */
  const sendAhead = (course: Course, held: HeldImport, gently: boolean) => {
    const most = gently ? FEW_AT_ONCE : ROWS_AT_ONCE;
    while (course.ahead.length <= (gently ? 0 : checkers.width)) {
      const fetching = course.fetched.then(async (from) => {
        const { rows, last } = await one<Fetched>(db, FETCH, [held.id, from, held.last_row, most]);
        return { rows, from, to: last };
      });
      course.fetched = fetching.then(({ from, to }) => to ?? from);
      const batch = fetching.then(async ({ rows, from, to }) =>
        to === null ? undefined : { ...(await checkers.check(course.checking, rows)), from, to },
      );
      // Told to whoever comes to it.
      course.fetched.catch(() => {});
      batch.catch(() => {});
      course.ahead.push(batch);
    }
  };

  /** The next that is not written yet. */
  const nextBatch = async (held: HeldImport, gently: boolean): Promise<{ course: Course; batch: Batch }> => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const course = await open(held);
      sendAhead(course, held, gently);
      const batch = await course.ahead.shift();
      if (batch) return { course, batch };
      // What was sent ahead ended where the file was read to at that time.
      courses.delete(held.id);
    }
    throw new Error('Rows of an import are not where they should be.');
  };

  const checkSome = async (held: HeldImport, until: number, gently: boolean): Promise<void> => {
    try {
      for (let at = held.checked_to; at < held.last_row && performance.now() < until;) {
        const { course, batch } = await nextBatch({ ...held, checked_to: at }, gently);
        if (!(await transact((work) => writeBatch(work, me, held, course, batch)))) {
          courses.delete(held.id);
          return;
        }
        at = course.at = batch.to;
      }
    } catch (error) {
      courses.delete(held.id);
      throw error;
    }
  };

  return {
    checkSome,
    keepOnly: (ids) => {
      for (const id of courses.keys()) if (!ids.has(id)) courses.delete(id);
    },
  };
}

/**
 * Marks are looked up one by one, by their index, each once however many rows have it. `$2` is the import, `$3` its list, `$4` the rows: number,
 * data, words, marks, besides, fault, place of the column at fault.
 */
const PUT = sql('imports/checking.put')`
  with given as materialized (
    select (r.value ->> 0)::bigint as row, (r.value ->> 1)::jsonb as data, (r.value ->> 2)::tsvector as words,
           array(select json_array_elements_text(r.value -> 3)) as marks, (r.value ->> 4)::jsonb as besides,
           r.value ->> 5 as fault, (r.value ->> 6)::int as faulty_at
      from json_array_elements($4::json) as r
  ), own as materialized (
    select distinct m.mark from given g cross join lateral unnest(g.marks) as m (mark)
  ), known as materialized (
    select own.mark, here.found is not null as here, elsewhere.found is not null as elsewhere
      from own
      left join lateral (
        select true as found from lead_marks k where k.account_id = $1 and k.list_id = $3 and k.mark = own.mark
         limit 1) here on true
      left join lateral (
        select true as found from lead_marks k
         where k.account_id = $1 and k.mark = own.mark and k.list_id is distinct from $3
           and k.list_id not in ${DELETED_LISTS} limit 1) elsewhere on true
     where here.found or elsewhere.found
  ), found as materialized (
    select g.row, bool_or(k.here) as here, bool_or(k.elsewhere) as elsewhere
      from given g cross join lateral unnest(g.marks) as m (mark) join known k on k.mark = m.mark group by g.row
    union all
    select g.row, l.list_id is not distinct from $3, l.list_id is distinct from $3
      from given g
      join lateral (
        select l.list_id from leads l where l.account_id = $1 and l.id = (g.besides ->> 'id')::bigint
           and l.list_id not in ${DELETED_LISTS} limit 1) l on true
     where g.besides ? 'id'
  ), flags as materialized (
    select row, bool_or(here) as here, bool_or(elsewhere) as elsewhere from found group by row
  ), put as (
    insert into import_checked (import_id, row, data, words, marks, besides, fault, faulty_at, here, elsewhere)
    select $2, g.row, g.data, g.words, g.marks, g.besides, g.fault, g.faulty_at, coalesce(f.here, false),
           coalesce(f.elsewhere, false)
      from given g left join flags f on f.row = g.row
        on conflict (import_id, row) do update set data = excluded.data, words = excluded.words, marks = excluded.marks,
           besides = excluded.besides, fault = excluded.fault, faulty_at = excluded.faulty_at, here = excluded.here,
           elsewhere = excluded.elsewhere, twice = false
    returning fault, here, elsewhere
  )
  select count(*) filter (where fault is null) as sound, count(*) filter (where fault is null and here) as here,
         count(*) filter (where fault is null and elsewhere and not here) as elsewhere
    from put`;

const MOVE_ON = sql('imports/checking.move_on')`
  update imports set checked_to = $3, counts = $4, shape = $5 where account_id = $1 and id = $2`;

/** Nothing, or what was found in rows that had their turn already. */
async function findBefore({ db }: Work, id: number, from: number, by: string[]): Promise<Found> {
  const begun = beginFinding(databaseNow(), by);
  return from === 0 ? begun : keepFound(begun, await one<Kept>(db, KEPT, [id, from]));
}

/** False: it is not what it was when these were checked. */
async function writeBatch(work: Work, me: string, seen: HeldImport, course: Course, batch: Batch): Promise<boolean> {
  const held = await lockHeld(work, me, seen);
  if (!held?.plan || held.checked_to !== batch.from) return false;
  const { account_id, id } = held;
  const shape = shapeOf(await readPlannedList(work, held, held.plan), held.plan);
  const isFirst = held.shape === null;
  // Fields, rules or categories have changed since the first rows were checked: they are anew, as far as they are no leads yet.
  if (shape !== course.shape || (!isFirst && shape !== held.shape)) {
    await checkAnew(work, held);
    return false;
  }
  const before = isFirst ? await findBefore(work, id, batch.from, course.matchedBy) : (held.counts as Found);
  const [flagged] = await query<Flagged>(work.db, PUT, [account_id, id, held.plan.list_id, batch.json]);
  const counts = JSON.stringify(addFound(before, batch, flagged!));
  await query(work.db, MOVE_ON, [account_id, id, batch.to, counts, shape]);
  return true;
}

const FROM_THE_FIRST = sql('imports/checking.from_the_first')`
  update imports set checked_to = 0, counts = '{}', shape = null where account_id = $1 and id = $2`;

const DONE_TO = sql('imports/checking.done_to')`select done_to from imports where account_id = $1 and id = $2`;

const FROM_THERE = sql('imports/checking.from_there')`
  update imports set checked_to = $3, shape = null where account_id = $1 and id = $2`;

// What they were found to be when they had their turn: by other rules they would be something that never happened to them.
const KEPT = sql('imports/checking.kept')`${PLAN_ANEW}
  with kept as materialized (
    select row, fault, here, elsewhere, twice, marks <> '{}' as marked from import_checked
     where import_id = $1 and row <= $2
  )
  select count(*) filter (where fault is null and not here and not elsewhere and not twice) as fresh,
         count(*) filter (where fault is null and here) as here,
         count(*) filter (where fault is null and elsewhere and not here) as elsewhere,
         count(*) filter (where fault is null and twice and elsewhere and not here) as elsewhere_twice,
         count(*) filter (where fault is null and twice and not elsewhere and not here) as twice,
         count(*) filter (where fault is not null) as faulty, count(*) filter (where marked) as marked,
         coalesce((select json_agg(json_build_array(fault, number)) from (
           select fault, count(*) as number from kept where fault is not null
            group by 1 order by 2 desc limit 1000) r), '[]') as reasons,
         array(select row from kept where fault is not null order by row limit ${MOST_FAULTY_TOLD}) as faulty_rows
    from kept`;

/** For whoever has locked it. Rows that have had their turn are looked at no more: they are leads, or were left for a reason that still holds. */
export async function checkAnew(work: Work, { account_id, id }: Pick<HeldImport, 'account_id' | 'id'>): Promise<void> {
  const own = [account_id, id];
  const { done_to } = await one<{ done_to: number }>(work.db, DONE_TO, own);
  if (done_to > 0) {
    await query(work.db, FROM_THERE, [...own, done_to]);
    return;
  }
  await emptyPart(work.db, 'import_checked', id);
  await query(work.db, FROM_THE_FIRST, own);
}

/** Marks of so many rows are looked through in one statement, which ends in a few seconds. */
const ROWS_OF_STRETCH = 500_000;

// How many marks are there more than once nobody knows before; taken for few, they would be walked through once for every row.
const BY_HASH = sql('imports/checking.by_hash')`
  select set_config('enable_nestloop', 'off', true) as nested, set_config('jit', 'off', true) as compiled,
         set_config('work_mem', '64MB', true) as memory`;

const TWICE = sql('imports/checking.twice')`${PLAN_ANEW}
  with first as materialized (
    select m.mark, min(c.row) as row from import_checked c cross join lateral unnest(c.marks) as m (mark)
     where c.import_id = $1 and c.fault is null and abs(hashtext(m.mark) % $2::int) = $3
     group by m.mark having count(*) > 1
  ), again as materialized (
    select distinct c.row
      from import_checked c cross join lateral unnest(c.marks) as m (mark)
      join first f on f.mark = m.mark and f.row < c.row
     where c.import_id = $1 and c.fault is null and not c.twice
  ), put as (
    update import_checked c set twice = true from again a where c.import_id = $1 and c.row = a.row
    returning c.here, c.elsewhere
  )
  select count(*) filter (where not here and not elsewhere) as twice,
         count(*) filter (where not here and elsewhere) as elsewhere_twice from put`;

const COUNT = sql('imports/checking.count')`update imports set counts = $3 where account_id = $1 and id = $2`;
const CHECKED = sql('imports/checking.checked')`
  update imports set state = case when goes_on then 'running' else 'checked' end, goes_on = false, taken_by = null
   where account_id = $1 and id = $2`;

/** Once all rows are there: those that say the same as one before them. */
export async function findTwice(work: Work, me: string, seen: HeldImport): Promise<void> {
  const held = await lockHeld(work, me, seen);
  if (!held || held.state !== 'checking' || held.checked_to < held.last_row) return;
  const own = [held.account_id, held.id];
  const found = held.counts as Found;
  const stretches = found.marked > 0 ? Math.ceil(held.rows / ROWS_OF_STRETCH) : 0;
  if (found.stretches === 0)
    await analyzePart(work.db, 'import_checked', held.id, ['row', 'marks', 'fault', 'here', 'elsewhere', 'twice']);
  if (found.stretches < stretches) {
    await query(work.db, BY_HASH, []);
    const values = [held.id, stretches, found.stretches];
    const [twice] = await query<{ twice: number; elsewhere_twice: number }>(work.db, TWICE, values);
    const now = addTwice(found, twice!);
    await query(work.db, COUNT, [...own, JSON.stringify(now)]);
    if (now.stretches < stretches) return;
  }
  await query(work.db, CHECKED, own);
  // It may have been running before.
  work.nudge('imports');
}
