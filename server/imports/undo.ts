import { IMPORT_UNDONE_FOR_DAYS } from '../../contract/imports.ts';
import { removeEvent } from '../activity/record.ts';
import { audit } from '../audit/audit.ts';
import { changedSince, findChangers } from '../leads/changers.ts';
import { rewordLead } from '../leads/comments.ts';
import { countBesides } from '../leads/counters.ts';
import { OPEN_AT_A_DESK } from '../leads/holds.ts';
import { putBack, type Before } from '../leads/put-back.ts';
import { removeThese } from '../leads/remove.ts';
import { shareShape } from '../lists/shape-lock.ts';
import { findAccountById } from '../people/accounts/find.ts';
import { serviceActor, type Actor } from '../platform/actor.ts';
import { one, PLAN_ANEW, query } from '../platform/db.ts';
import { conflict, HttpError } from '../platform/errors.ts';
import { someOf } from '../platform/handful.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { forgetPace, paceOf } from './pace.ts';
import type { TakenImport } from './taken.ts';

/** What an import made goes again, what it changed is put back, as far as nobody has touched it since. */

// Whoever is at work on it is waited for.
const LOCK = sql('imports/undo.lock')`
  select i.id, i.state, i.file_name, i.made + i.updated > 0 as changed,
         i.finished_at <= now() - interval '${IMPORT_UNDONE_FOR_DAYS} days' as past
    from imports i where i.account_id = $1 and i.id = $2 for update of i`;

type Locked = { id: number; state: string; file_name: string; changed: boolean; past: boolean | null };

const BEGIN = sql('imports/undo.begin')`
  update imports set state = 'undoing', undo_begun_at = clock_timestamp(), undone_to = 0, removed = 0, put_back = 0,
         kept = 0
   where account_id = $1 and id = $2`;

export async function undoImport(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  const account = actor.account.id;
  const { state, changed, past, file_name } = await one<Locked>(work.db, LOCK, [account, id ?? 0]);
  const refuse = (sentence: string) => conflict('cannot_be_undone', sentence);
  if (state === 'undoing' || state === 'undone') throw refuse('It was undone already.');
  if (state === 'running') throw refuse('It is still running. Stop it first, or wait until it is through.');
  if (state !== 'finished') throw refuse('It has not run yet, so there is nothing to undo.');
  if (past) throw refuse(`It ended more than ${IMPORT_UNDONE_FOR_DAYS} days ago, and cannot be undone any more.`);
  if (!changed) throw refuse('It made and changed no leads, so there is nothing to undo.');
  await query(work.db, BEGIN, [account, id]);
  await audit(work, actor, 'import.undone', file_name);
  work.nudge('imports');
}

const LOCK_LEADS = sql('imports/undo.lock_leads')`${PLAN_ANEW}
  select l.id from (
    select lead_id from import_leads where account_id = $1 and import_id = $2 and lead_id > $3
     order by lead_id limit $4) il
   cross join lateral (
     select id from leads where account_id = $1 and id = il.lead_id for update) l`;

// A comment that came with the lead is none of somebody else's doing.
const STANDING = sql('imports/undo.standing')`${PLAN_ANEW}
  select il.lead_id as id, il.before, il.left_at, l.list_id, l.state, l.category,
         case when exists (select from deleted_leads g where g.account_id = $1 and g.lead_id = l.id)
                then 'deleted since'
              when l.held_by is not null and l.held_until > now() then '${OPEN_AT_A_DESK}'
              when l.last_updated <> il.left_at then 'changed'
              when il.before is not null then null
              when exists (
                select from events e where e.account_id = $1 and e.lead_id = l.id
                   and not (e.kind = 'comment' and e.user_id = $5 and e.created_at <= il.left_at)) then 'changed'
              when exists (select from calls c where c.account_id = $1 and c.lead_id = l.id) then 'called since'
              when exists (select from texts t where t.account_id = $1 and t.lead_id = l.id) then 'texted since'
              when exists (select from merged_leads m where m.account_id = $1 and m.survivor_id = l.id) then 'changed'
         end as touched
    from (${someOf(
      `select lead_id, before, left_at, coalesce(pg_column_size(before), 0) as bytes from import_leads
        where account_id = $1 and import_id = $2 and lead_id > $3 order by lead_id limit $4`,
      'lead_id',
    )}) il
    left join lateral (
      select * from leads where account_id = $1 and id = il.lead_id offset 0) l on true
   order by il.lead_id`;

type Standing = {
  id: number;
  before: (Before & { comments?: number[] }) | null;
  left_at: Date;
  /** Null: it is gone. */
  list_id: number | null;
  state: string | null;
  category: string | null;
  touched: string | null;
};

/** True: there is more to do. */
export async function undoSome(work: Work, taken: TakenImport, until: number): Promise<boolean> {
  const { account_id, id, user_id } = taken;
  const pace = paceOf(id, until);
  const values = [account_id, id, taken.undone_to, pace.rows];
  await Promise.all([shareShape(work.db, account_id), countBesides(work.db), query(work.db, LOCK_LEADS, values)]);
  const standing = await query<Standing>(work.db, STANDING, [...values, user_id]);
  const changed = standing.filter(({ touched }) => touched === 'changed');
  const names = await findChangers(
    work,
    account_id,
    changed.map((lead) => ({ lead_id: lead.id, left_at: lead.left_at })),
  );
  const kept = new Map(
    standing.flatMap(({ id: lead, touched }) =>
      touched === null ? [] : [[lead, touched === 'changed' ? changedSince(names.get(lead)) : touched]],
    ),
  );
  const { leads, putBacks } = await putBackSome(work, taken, standing, kept, until);
  const untouched = leads.filter((lead) => lead.before === null && !kept.has(lead.id));
  const removed = untouched.flatMap(({ id: lead, list_id, state, category }) =>
    list_id === null ? [] : [{ id: lead, list_id, state: state!, category }],
  );
  await removeThese(work, account_id, removed);
  // Few may be many bytes, and so say nothing of what comes after them.
  const isThrough = standing.length === 0;
  pace.took(leads.length);
  await note(work, taken, { leads, kept, removed: removed.length, putBacks, isThrough });
  if (isThrough) forgetPace(id);
  return !isThrough;
}

/** One after the other, for as long as there is time: then the turn ends before the next. What cannot go back is kept, with the reason. */
async function putBackSome(
  work: Work,
  { account_id, file_name }: TakenImport,
  standing: Standing[],
  kept: Map<number, string>,
  until: number,
): Promise<{ leads: Standing[]; putBacks: number }> {
  const account = await findAccountById(work, account_id);
  const actor = serviceActor(account!, 'import undone');
  let putBacks = 0;
  for (const [index, { id, before, list_id }] of standing.entries()) {
    if (before === null || list_id === null || kept.has(id)) continue;
    if (putBacks > 0 && performance.now() > until) return { leads: standing.slice(0, index), putBacks };
    try {
      const { comments = [], ...changed } = before;
      await putBack(work, actor, id, changed, `Import of ${file_name}`);
      await removeComments(work, account_id, id, comments);
      putBacks += 1;
    } catch (error) {
      // A refusal comes before anything was written.
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      kept.set(id, error.message);
    }
  }
  return { leads: standing, putBacks };
}

const COUNTRY = sql('imports/undo.country')`select country from accounts where id = $1`;

async function removeComments(work: Work, accountId: number, leadId: number, comments: number[]): Promise<void> {
  if (comments.length === 0) return;
  for (const event of comments) {
    const { text, values } = removeEvent(accountId, event);
    await query(work.db, text, values);
  }
  const { country } = await one<{ country: string }>(work.db, COUNTRY, [accountId]);
  await rewordLead(work, accountId, { id: leadId, country });
}

const KEEP = sql('imports/undo.keep')`
  update import_leads il set kept = k.why from unnest($3::bigint[], $4::text[]) as k (lead_id, why)
   where il.account_id = $1 and il.import_id = $2 and il.lead_id = k.lead_id and il.lead_id > $5 and il.lead_id <= $6`;

const FORGET = sql('imports/undo.forget')`
  delete from import_leads
   where account_id = $1 and import_id = $2 and lead_id > $3 and lead_id <= $4 and kept is null`;

const NOTE = sql('imports/undo.note')`
  update imports set undone_to = $3, removed = removed + $4, put_back = put_back + $5,
         kept = kept + $6, state = case when $7 then 'undone' else state end,
         undone_at = case when $7 then clock_timestamp() end
   where account_id = $1 and id = $2`;

type Undone = {
  leads: Standing[];
  kept: Map<number, string>;
  removed: number;
  putBacks: number;
  isThrough: boolean;
};

async function note({ db }: Work, { account_id, id, undone_to }: TakenImport, undone: Undone): Promise<void> {
  const own = [account_id, id];
  const { leads, kept, removed, putBacks, isThrough } = undone;
  const stay = leads.filter((lead) => kept.has(lead.id)).map((lead) => lead.id);
  const last = leads.at(-1)?.id ?? undone_to;
  const reasons = stay.map((lead) => kept.get(lead)!);
  if (stay.length > 0) await query(db, KEEP, [...own, stay, reasons, undone_to, last]);
  await query(db, FORGET, [...own, undone_to, last]);
  await query(db, NOTE, [...own, last, removed, putBacks, stay.length, isThrough]);
}
