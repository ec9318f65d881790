import { nameOfField } from '../../contract/changes.ts';
import { STATES, type State } from '../../contract/states.ts';
import { record, type Happening } from '../activity/record.ts';
import type { Actor } from '../platform/actor.ts';
import type { Statement } from '../platform/db.ts';
import { conflict, isNotFound } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { findLeadList, lockWholeLead, type LeadList } from './access.ts';
import { writeData } from './change.ts';
import { findClaimants } from './claims.ts';
import { countMove } from './counters.ts';
import { nameNow } from './outcomes.ts';
import { LIST_DELETED } from './deleted.ts';
import { sortValues } from './stored.ts';

/** Columns of `leads`. What is left out stays as it is. */
export type Columns = {
  list_id?: number;
  state?: State;
  category?: string | null;
  scheduled_for?: string | null;
  exactly?: boolean;
  turn_at?: string;
  skipped?: boolean;
  claimed_by?: number | null;
  claimed_at?: string | null;
};

/** What an act changed of a lead, as it was before: columns, and the texts of fields by their keys. */
export type Before = Columns & {
  fields?: Record<string, string>;
  /** As acts wrote it down while they changed one field at most. */
  field?: { key: string; text: string };
};

// A column that `before` does not name keeps what the row has.
const PUT_BACK = sql('leads/put-back.put_back')`
  update leads l set list_id = b.list_id, state = b.state, category = b.category, scheduled_for = b.scheduled_for,
         exactly = b.exactly, turn_at = b.turn_at, skipped = b.skipped, claimed_by = b.claimed_by,
         claimed_at = b.claimed_at, last_updated = greatest(l.last_updated, clock_timestamp())
    from leads own cross join lateral jsonb_populate_record(own, $3::jsonb) as b
   where own.account_id = $1 and own.id = $2 and l.account_id = $1 and l.id = $2`;

export const setColumns = (accountId: number, leadId: number, columns: Columns): Statement => ({
  text: PUT_BACK,
  values: [accountId, leadId, JSON.stringify(columns)],
});

export const CLAIMANT_LEFT = 'Who had it is no longer there.';

/** Puts back what an act changed, whatever kind a field has by now: it said so before. Its history says so, and names the act; nobody is told. */
export async function putBack(
  work: Work,
  actor: Actor,
  id: number | undefined,
  { field, fields = field ? { [field.key]: field.text } : {}, ...columns }: Before,
  undone: string,
): Promise<void> {
  const account = actor.account.id;
  const lead = await lockWholeLead(work, actor, id, 'leads.write');
  const { claimed_by = lead.claimed_by, list_id = lead.list_id, state = lead.state } = columns;
  const isMoved = list_id !== lead.list_id;
  const isHanded = claimed_by !== lead.claimed_by;
  const [claimant] = isHanded && claimed_by !== null ? await findClaimants(work, actor, [claimed_by]) : [];
  if (isHanded && claimed_by !== null && !claimant) throw conflict('claimant_left', CLAIMANT_LEFT);
  const list = list_id === lead.list_id ? lead.list : await findFormerList(work, actor, list_id);
  const former = columns.category === undefined ? lead.category : columns.category;
  const category = columns.category === undefined && !isMoved ? former : nameOf(list, state, former);
  const values = sortValues(list.columns, lead);
  const changed: NonNullable<Happening['changes']> = { undone: [undone, null] };
  if (isHanded) changed.claimed_by = [lead.claimed_by_email, claimant?.email ?? null];
  if (isMoved) changed.list_id = [lead.list_id, list_id];
  if (state !== lead.state) changed.state = [lead.state, state];
  if (category !== lead.category) changed.category = [lead.category, category];
  if (columns.scheduled_for !== undefined && (columns.scheduled_for ?? lead.scheduled_for) !== null)
    changed.scheduled_for = [lead.scheduled_for, columns.scheduled_for];
  for (const [name, text] of Object.entries(fields)) {
    const column = list.columns.find(({ key }) => key === name);
    if (!column) throw invalid({ [name]: ['is no column of this list any more'] });
    changed[nameOfField(name)] = [values.data.get(name) ?? '', text];
    values.data.set(name, text);
  }
  const isSaid = Object.keys(fields).length > 0;
  // What came with it besides, or nothing but comments, is a change of the lead.
  const isOther = isSaid || columns.state !== undefined || !(isMoved || isHanded);
  const kind = isOther ? 'lead_updated' : isMoved ? 'migration' : claimed_by === null ? 'unclaim' : 'claim';
  await record(work, actor, { lead: { id: lead.id, list_id }, kind, changes: changed, silently: true }, [
    setColumns(account, lead.id, { ...columns, category }),
    ...(isSaid || list !== lead.list ? writeData(account, lead.id, list, { ...values, former: lead }) : []),
    ...countMove(account, lead, { list_id, state, category }),
  ]);
}

const findFormerList = (work: Work, actor: Actor, id: number) =>
  findLeadList(work, actor, id, 'leads.write').catch((error: unknown) => {
    throw isNotFound(error) ? conflict('list_deleted', LIST_DELETED) : error;
  });

/** One that was renamed since has its new name. */
const nameOf = (list: LeadList, state: string, category: string | null): string | null => {
  const kind = STATES[state as State];
  return (kind && category !== null && nameNow(list, kind, category)) || category;
};
