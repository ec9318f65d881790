import type { State } from '../../contract/states.ts';
import { record } from '../activity/record.ts';
import { lockWholeLead, type LeadList, type WholeLead } from '../leads/access.ts';
import { touch, writeData } from '../leads/change.ts';
import { findClaimants } from '../leads/claims.ts';
import { countMove } from '../leads/counters.ts';
import { OPEN_AT_A_DESK } from '../leads/holds.ts';
import { rememberWords } from '../leads/outcomes.ts';
import { setColumns, type Before, type Columns } from '../leads/put-back.ts';
import { readOfKind, refuseTooMuch } from '../leads/values.ts';
import { findActor } from '../people/users/users.ts';
import { OWNER_ROLES, type Actor } from '../platform/actor.ts';
import { one, PLAN_ANEW, query, together } from '../platform/db.ts';
import { HttpError } from '../platform/errors.ts';
import { sql, sqlFor } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import type { Besides } from './check.ts';
import { addFound, type Found } from './found.ts';
import { SAME_BY, sameBy, sameSql, type SameBy } from './same.ts';
import type { TakenImport } from './taken.ts';

/** Rows that are the same as a lead fill its empty fields, or are written over what it says: one after the other, as they stand in the file. */

/** In one turn. */
const MOST_AT_ONCE = 60;

type Flags = { here: boolean; elsewhere: boolean; twice: boolean };
type Duplicate = Flags & { row: number; place: number; data: Record<string, string>; besides: Besides | null };

/** One that cannot be done now: it comes back with the faulty rows. */
type Left = { row: Duplicate; why: string };

const REPEATED = sqlFor(
  'imports/update.repeated',
  (same: SameBy) => `${PLAN_ANEW}
    select s.row, s.place, s.data, s.besides, s.here, s.elsewhere, s.twice
      from (select c.*, row_number() over (order by c.row) as place from (
              select c.row, c.data, c.marks, c.besides, c.here, c.elsewhere, c.twice, c.fault from import_checked c
               where c.import_id = $3 and c.row > $4 order by c.row limit $5) c) s
     where s.fault is null and (s.twice or ${sameSql('s', same)} is not null)
     order by s.row limit ${MOST_AT_ONCE}`,
  SAME_BY.map((same) => [same]),
);

/** Of the next rows those that are the same as a lead or as a row before them; and how many rows that is, where it would be too many. */
export async function findRepeated({ db }: Work, taken: TakenImport, list: LeadList, most: number) {
  const { account_id, id, plan, done_to } = taken;
  const values = [account_id, list.id, id, done_to, most];
  const duplicates = await query<Duplicate>(db, REPEATED(sameBy(plan)), values);
  const isCut = duplicates.length === MOST_AT_ONCE;
  return { duplicates, isCut, rows: isCut ? duplicates.at(-1)!.place : most };
}

const FIND = sqlFor(
  'imports/update.find',
  (same: SameBy) =>
    `select ${sameSql('c', same)} as lead_id from import_checked c where c.import_id = $3 and c.row = $4`,
  SAME_BY.map((same) => [same]),
);

/** After the rows before them have become leads. */
export async function updateLeads(
  work: Work,
  taken: TakenImport,
  list: LeadList,
  duplicates: Duplicate[],
): Promise<{ updated: number; left: number; counts: Found }> {
  const { account_id, id, plan, user_id, via, address } = taken;
  if (duplicates.length === 0) return { updated: 0, left: 0, counts: taken.counts };
  // What they were allowed to when it began goes on, whatever becomes of them.
  const actor: Actor = { ...(await findActor(work, account_id, user_id, via)), address, roles: OWNER_ROLES };
  const find = FIND(sameBy(plan));
  const left: Left[] = [];
  let updated = 0;
  for (const row of duplicates) {
    const [same] = await query<{ lead_id: number | null }>(work.db, find, [account_id, list.id, id, row.row]);
    if (same!.lead_id === null) continue;
    try {
      const done = await updateLead(work, actor, taken, row, same!.lead_id);
      if (done === 'updated') updated += 1;
      if (done === 'open') left.push({ row, why: `Its lead was ${OPEN_AT_A_DESK}` });
    } catch (error) {
      // A refusal comes before anything was written.
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      left.push({ row, why: error.message });
    }
  }
  for (const { row, why } of left) await query(work.db, LEAVE, [id, row.row, why]);
  return { updated, left: left.length, counts: left.reduce(countLeft, taken.counts) };
}

const LEAVE = sql('imports/update.leave')`
  update import_checked set fault = $3 where import_id = $1 and row = $2`;

/** It was counted as something else before. */
function countLeft(counts: Found, { row: { row, here, elsewhere, twice }, why }: Left): Found {
  const isTwice = twice && !here && !elsewhere;
  const found = isTwice ? { ...counts, fresh: counts.fresh + 1, twice: counts.twice - 1 } : counts;
  const flagged = { sound: -1, here: here ? -1 : 0, elsewhere: elsewhere && !here ? -1 : 0 };
  return addFound(found, { faulty: 1, marked: 0, reasons: [[why, 1]], faultyRows: [row] }, flagged);
}

const STANDS = sql('imports/update.stands')`
  select to_jsonb(l) as row, to_jsonb(now()::timestamptz(3)) #>> '{}' as now from leads l
   where l.account_id = $1 and l.id = $2`;

type Done = 'updated' | 'same' | 'open';

async function updateLead(work: Work, actor: Actor, taken: TakenImport, row: Duplicate, id: number): Promise<Done> {
  const account = actor.account.id;
  const lead = await lockWholeLead(work, actor, id, 'leads.write');
  if (lead.held_by !== null) return 'open';
  const before: Before & { comments?: number[] } = {};
  const fields = changeFields(lead, row.data, taken);
  const stands = await one<{ row: Required<Columns>; now: string }>(work.db, STANDS, [account, id]);
  const columns = await changeColumns(work, actor, lead, row, taken, stands.now);
  for (const name of Object.keys(columns) as (keyof Columns)[])
    Object.assign(before, { [name]: stands.row[name] ?? null });
  const comment = row.besides?.comment ?? '';
  const isChanged = Object.keys(fields.before).length > 0;
  if (!isChanged && Object.keys(columns).length === 0 && comment === '') return 'same';
  const { state = lead.state, category = lead.category } = columns;
  await together(work.db, [
    ...(isChanged ? writeData(account, id, lead.list, { ...fields, hidden: lead.hidden, former: lead }) : []),
    ...countMove(account, lead, { list_id: lead.list_id, state, category }),
    Object.keys(columns).length > 0 ? setColumns(account, id, columns) : touch(account, id),
  ]);
  if (isChanged) before.fields = fields.before;
  if (comment !== '') {
    const said = await record(work, actor, { lead, kind: 'comment', comment, silently: true }, [
      rememberWords(account, lead, comment),
    ]);
    before.comments = [said.id];
  }
  await query(work.db, NOTE, [account, taken.id, id, row.row, JSON.stringify(before)]);
  return 'updated';
}

/** A field that the lead's own list does not have, or has for something else, is left out. What is empty in the file clears nothing. */
function changeFields(lead: WholeLead, given: Record<string, string>, { plan }: TakenImport) {
  const data = new Map(lead.data);
  const before: Record<string, string> = {};
  for (const [key, text] of Object.entries(given)) {
    const column = lead.list.columns.find((each) => each.key === key);
    const own = data.get(key) ?? '';
    if (!column || own === text || (own !== '' && plan.duplicates === 'fill')) continue;
    const read = readOfKind(column, text);
    if ('fault' in read || read.text === own) continue;
    before[key] = own;
    data.set(key, read.text);
  }
  refuseTooMuch({ data, hidden: lead.hidden }, lead);
  return { data, before };
}

/** How it stands and whose it is, where the file says so and all is written over. A category is one of its own list alone. */
async function changeColumns(
  work: Work,
  actor: Actor,
  lead: WholeLead,
  { besides }: Duplicate,
  { plan, list_id }: TakenImport,
  now: string,
): Promise<Columns> {
  if (!besides || plan.duplicates !== 'overwrite') return {};
  return {
    ...(lead.list_id === list_id && changeState(lead, besides, plan, now)),
    ...(await changeClaim(work, actor, lead, besides.claimed_by, now)),
  };
}

function changeState(lead: WholeLead, besides: Besides, plan: TakenImport['plan'], now: string): Columns {
  if (besides.state === undefined && besides.category === undefined && besides.due === undefined) return {};
  const former = lead.state as State;
  const state = besides.state ?? (former === 'new' && besides.due ? 'call_back' : former);
  const isSame = state === former;
  // It was read as one of the state that new leads get, where the file says none.
  const given = (besides.state ?? plan.state) === state ? besides.category : undefined;
  const category = given ?? (isSame ? lead.category : null);
  const due = besides.due ?? (isSame ? lead.scheduled_for?.toISOString() : undefined);
  const scheduled_for = state === 'new' || due === undefined ? null : new Date(due).toISOString();
  const stays = scheduled_for === (lead.scheduled_for?.toISOString() ?? null);
  if (isSame && category === lead.category && stays) return {};
  // A time that the retries of the list chose is agreed on by no file that does not change it.
  const exactly = !stays || lead.exactly;
  return { state, category, scheduled_for, exactly, turn_at: scheduled_for ?? now, skipped: false };
}

async function changeClaim(work: Work, actor: Actor, lead: WholeLead, to: number | undefined, now: string) {
  if (to === undefined || to === lead.claimed_by) return {};
  const [claimant] = await findClaimants(work, actor, [to]);
  return claimant ? { claimed_by: claimant.id, claimed_at: now } : {};
}

// Of what several rows changed, the first knows how it was before. What the import itself has made is removed by an undo.
const NOTE = sql('imports/update.note')`
  insert into import_leads as il (account_id, import_id, lead_id, row, before, left_at)
  select $1, $2, l.id, $4, $5, l.last_updated from leads l where l.account_id = $1 and l.id = $3
      on conflict (account_id, import_id, lead_id) do update set left_at = excluded.left_at,
         before = case when il.before is not null then excluded.before || il.before || jsonb_build_object(
           'fields', coalesce(excluded.before -> 'fields', '{}') || coalesce(il.before -> 'fields', '{}'),
           'comments', coalesce(il.before -> 'comments', '[]') || coalesce(excluded.before -> 'comments', '[]')) end`;
