import type { Actor } from '../platform/actor.ts';
import { record } from '../activity/record.ts';
import { query } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';
import type { LeadList } from './access.ts';
import { countLeads } from './counters.ts';
import { store } from './stored.ts';
import { readValues, refuseMissing } from './values.ts';

const INSERT = `
  with lead as (
    insert into leads (account_id, id, list_id) overriding system value values ($1, $2, $3) returning created_at
  ), marked as (
    insert into lead_marks (account_id, mark, lead_id) select $1, mark, $2 from unnest($7::text[]) as m (mark)
  )
  insert into lead_data (account_id, lead_id, list_id, created_at, data, hidden, words, marks)
  select $1, $2, $3, created_at, $4, $5, $6, $7 from lead`;

/** Drawn beforehand, so that all that is written with the lead is sent at once. */
export async function drawLeadId({ db }: Work): Promise<number> {
  const [drawn] = await query<{ id: number }>(db, `select nextval(pg_get_serial_sequence('leads', 'id')) as id`, []);
  return drawn!.id;
}

/** Answers the keys that are no columns. */
export async function createLead(
  work: Work,
  actor: Actor,
  list: LeadList,
  id: number,
  given: Record<string, unknown>,
): Promise<string[]> {
  const { data, hidden } = readValues(list.columns, given);
  refuseMissing(list.columns, data, 'all');
  const stored = store(list, data, hidden);
  const account = actor.account.id;
  await Promise.all([
    query(work.db, INSERT, [account, id, list.id, stored.data, stored.hidden, stored.words, stored.marks]),
    countLeads(work, account, [{ list_id: list.id, state: 'new', category: null, leads: 1 }]),
    record(work, actor, { lead: { id, list_id: list.id }, kind: 'lead_created' }),
  ]);
  return [...hidden.keys()];
}
