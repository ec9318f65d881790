import { STATES } from '../../contract/states.ts';
import { commentOnGiven } from '../activity/record.ts';
import { audit } from '../audit/audit.ts';
import { lockLeadList, type LeadList } from '../leads/access.ts';
import { countBesides, countLeads } from '../leads/counters.ts';
import { DRAW, PUT_GIVEN } from '../leads/load.ts';
import { nameNow } from '../leads/outcomes.ts';
import { findAccountById } from '../people/accounts/find.ts';
import { findActor } from '../people/users/users.ts';
import { serviceActor } from '../platform/actor.ts';
import { one, PLAN_ANEW, query } from '../platform/db.ts';
import { isNotFound } from '../platform/errors.ts';
import { sql, sqlFor } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { checkAnew } from './checking.ts';
import type { Found } from './found.ts';
import { forgetPace, paceOf } from './pace.ts';
import { SAME_BY, sameBy, sameSql, type SameBy } from './same.ts';
import { shapeOf } from './shape.ts';
import type { TakenImport } from './taken.ts';
import { findRepeated, updateLeads } from './update.ts';

/** Rows that were checked become leads, some of them in each turn, in one transaction with how far it has come. */

/** True: there is more to do. */
export async function runSome(work: Work, taken: TakenImport, until: number): Promise<boolean> {
  if (taken.done_to >= taken.last_row) return finish(work, taken);
  const list = await openList(work, taken);
  if (!list) return stop(work, taken);
  if (shapeOf(list, taken.plan) !== taken.shape) return goOnLater(work, taken);
  const pace = paceOf(taken.id, until);
  const updates = taken.plan.duplicates === 'fill' || taken.plan.duplicates === 'overwrite';
  const repeated = updates ? await findRepeated(work, taken, list, pace.rows) : undefined;
  const made = await makeLeads(work, taken, list, repeated?.rows ?? pace.rows);
  const changed = await updateLeads(work, taken, list, repeated?.duplicates ?? []);
  const isThrough = made.looked < pace.rows && !repeated?.isCut;
  pace.took(made.looked);
  await note(work, taken, {
    done_to: isThrough ? taken.last_row : made.last!,
    done: made.looked,
    made: made.fresh,
    updated: changed.updated,
    left_out: made.sound - made.fresh - changed.updated - changed.left,
    counts: changed.counts,
  });
  return isThrough && taken.made + made.fresh < MANY ? finish(work, taken) : true;
}

/** Its fields and matching stay as they are until the transaction ends. Nothing where it was deleted. */
async function openList(work: Work, { account_id, list_id }: TakenImport): Promise<LeadList | undefined> {
  const account = await findAccountById(work, account_id);
  await countBesides(work.db);
  return lockLeadList(work, serviceActor(account!, 'import'), list_id ?? 0, 'leads.write').catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

const ACTIVE = sql('imports/run.active')`
  select id from users where account_id = $1 and disabled_at is null order by id for key share`;

/** Whose leads can become, until the transaction ends: who disables them waits, and then frees what they claimed. */
async function findActive({ db }: Work, { account_id, plan }: TakenImport): Promise<number[]> {
  const isGiven = plan.people.length > 0 || plan.matches.some(({ part }) => part === 'claimed_by');
  return isGiven ? (await query<{ id: number }>(db, ACTIVE, [account_id])).map(({ id }) => id) : [];
}

/**
 * The next `$5` rows. A due time alone makes a call back of what would be new; a lead that is new has none. Of those that share the leads
 * each gets the next.
 */
const MAKE = sqlFor(
  'imports/run.make',
  (same: SameBy | null) => `${PLAN_ANEW}
    with next as materialized (
      select c.row, c.data, c.words, c.marks, c.besides, c.twice, c.fault is null as sound
        from import_checked c where c.import_id = $3 and c.row > $4 order by c.row limit $5
    ), fresh as materialized (
      select s.*, row_number() over (order by s.row) as place from next s
       where s.sound ${same ? `and not s.twice and ${sameSql('s', same)} is null` : ''}
    ), given as materialized (
      select ${DRAW}, f.row, p.state, p.category, p.due as scheduled_for,
             case when p.state = 'new' then now() else coalesce(p.due, now()) end as turn_at,
             coalesce(p.claimed_by, ($8::bigint[])[1 + ($10::bigint + f.place - 1) % nullif(cardinality($8), 0)])
               as claimed_by,
             f.data, '{}'::jsonb as hidden, f.words, coalesce(f.besides ->> 'said', '')::tsvector as said, f.marks,
             coalesce(f.besides ->> 'comment', '') as comment
        from fresh f
       cross join lateral (
         select coalesce(f.besides ->> 'state', case when $6 = 'new' and f.besides ? 'due' then 'call_back' else $6 end)
                  as state) as in_state
       cross join lateral (
         select in_state.state,
                case when f.besides ? 'category' then f.besides ->> 'category' when in_state.state = $6 then $7 end
                  as category,
                case when in_state.state <> 'new' then (f.besides ->> 'due')::timestamptz(3) end as due,
                (select u.id from unnest($9::bigint[]) as u (id) where u.id = (f.besides ->> 'claimed_by')::bigint)
                  as claimed_by) p
       order by f.row
    ), ${PUT_GIVEN}, said as (${commentOnGiven('$11', '$12')}
    ), noted as (
      insert into import_leads (account_id, import_id, lead_id, row, left_at) select $1, $3, id, row, now() from given
    )
    select (select count(*) from next) as looked, (select max(row) from next) as last,
           (select count(*) from next where sound) as sound, (select count(*) from given) as fresh,
           coalesce((select json_agg(n) from (
             select state, category, count(*) as leads from given group by 1, 2) n), '[]') as places`,
  [null, ...SAME_BY].map((same) => [same]),
);

type Made = {
  looked: number;
  last: number | null;
  sound: number;
  fresh: number;
  places: { state: string; category: string | null; leads: number }[];
};

/** It may have been renamed while the import waited or ran. */
function categoryNow({ state, category }: TakenImport['plan'], list: LeadList): string | null {
  const kind = STATES[state];
  return (kind && category && nameNow(list, kind, category)) || category;
}

/** Of so many rows those that are like no lead, and like no row before them; or all, where duplicates are to be added. */
async function makeLeads(work: Work, taken: TakenImport, list: LeadList, most: number): Promise<Made> {
  const { account_id, id, plan } = taken;
  const active = await findActive(work, taken);
  const made = await one<Made>(work.db, MAKE(plan.duplicates === 'add' ? null : sameBy(plan)), [
    account_id,
    list.id,
    id,
    taken.done_to,
    most,
    plan.state,
    categoryNow(plan, list),
    plan.people.filter((person) => active.includes(person)),
    active,
    taken.made,
    taken.user_id,
    taken.via,
  ]);
  // As moves, too: others may have created leads since this turn began, which come behind these in the list.
  const counting = countLeads(
    account_id,
    made.places.map((place) => ({ ...place, list_id: list.id, moves: 1 })),
  );
  if (made.places.length > 0) await query(work.db, counting.text, counting.values);
  return made;
}

const NOTE = sql('imports/run.note')`
  update imports set done_to = $3, done = done + $4, made = made + $5, updated = updated + $6, left_out = left_out + $7,
         counts = $8
   where account_id = $1 and id = $2`;

type Step = { done_to: number; done: number; made: number; updated: number; left_out: number; counts: Found };

async function note({ db }: Work, { account_id, id }: TakenImport, step: Step): Promise<void> {
  const { done_to, done, made, updated, left_out, counts } = step;
  await query(db, NOTE, [account_id, id, done_to, done, made, updated, left_out, JSON.stringify(counts)]);
}

/** So many leads that nobody waits for the database to notice by itself. */
const MANY = 10_000;
const ANALYZE = sql('imports/run.analyze')`analyze leads, lead_data, lead_marks, import_leads`;

const FINISH = sql('imports/run.finish')`
  update imports set state = 'finished', goes_on = false, finished_at = clock_timestamp(), refusal = $3,
         stopped_at = case when $3::text is not null then now() end
   where account_id = $1 and id = $2 returning made, updated, left_out`;

async function finish(work: Work, taken: TakenImport, why: string | null = null): Promise<boolean> {
  const { account_id, id, user_id, via, address } = taken;
  if (taken.made >= MANY) await query(work.db, ANALYZE, []);
  const counted = await one<{ made: number; updated: number; left_out: number }>(work.db, FINISH, [
    account_id,
    id,
    why,
  ]);
  const actor = { ...(await findActor(work, account_id, user_id, via)), address };
  await audit(work, actor, 'import.finished', taken.file_name, counted);
  forgetPace(id);
  return false;
}

/** What is in stays in. */
const stop = (work: Work, taken: TakenImport) => finish(work, taken, 'The list was deleted before all rows were in.');

const GO_ON_LATER = sql('imports/run.go_on_later')`
  update imports set state = 'checking', goes_on = true where account_id = $1 and id = $2`;

/** Its list has other fields or rules by now: the rest is checked by those, and then it goes on. */
async function goOnLater(work: Work, taken: TakenImport): Promise<boolean> {
  await checkAnew(work, taken);
  await query(work.db, GO_ON_LATER, [taken.account_id, taken.id]);
  return true;
}
