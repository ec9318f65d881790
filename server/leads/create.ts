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
    insert into leads (account_id, list_id) values ($1, $2) returning id, created_at
  ), marked as (
    insert into lead_marks (account_id, mark, lead_id) select $1, mark, id from lead, unnest($6::text[]) as m (mark)
  ), data as (
    insert into lead_data (account_id, lead_id, list_id, created_at, data, hidden, words, marks)
    select $1, id, $2, created_at, $3, $4, $5, $6 from lead
  )
  select id from lead`;

export type NewLead = { id: number; unknown: string[] };

export async function createLead(
  work: Work,
  actor: Actor,
  list: LeadList,
  given: Record<string, unknown>,
): Promise<NewLead> {
  const { data, hidden } = readValues(list.columns, given);
  refuseMissing(list.columns, data, 'all');
  const stored = store(list, data, hidden);
  const account = actor.account.id;
  const [[lead]] = await Promise.all([
    query<{ id: number }>(work.db, INSERT, [account, list.id, stored.data, stored.hidden, stored.words, stored.marks]),
    countLeads(work, account, [{ list_id: list.id, state: 'new', category: null, leads: 1 }]),
  ]);
  const { id } = lead!;
  await record(work, actor, { lead: { id, list_id: list.id }, kind: 'lead_created' });
  return { id, unknown: [...hidden.keys()] };
}
