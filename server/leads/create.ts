import type { Actor } from '../platform/actor.ts';
import { record } from '../activity/record.ts';
import { changeMarks } from '../duplicates/marks.ts';
import { query } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';
import type { LeadList } from './access.ts';
import { countLeads } from './counters.ts';
import { store } from './stored.ts';
import { readValues, refuseMissing } from './values.ts';

const INSERT = 'insert into leads (account_id, id, list_id) overriding system value values ($1, $2, $3)';

const INSERT_DATA = `
  insert into lead_data (account_id, lead_id, list_id, created_at, data, hidden, words, marks)
  values ($1, $2, $3, now(), $4, $5, $6, $7)`;

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
  const account = actor.account.id;
  const { data: texts, hidden: unknown, words, marks } = store(list, data, hidden);
  await record(work, actor, { lead: { id, list_id: list.id }, kind: 'lead_created' }, [
    { text: INSERT, values: [account, id, list.id] },
    { text: INSERT_DATA, values: [account, id, list.id, texts, unknown, words, marks] },
    ...changeMarks(account, id, [], marks),
    countLeads(account, [{ list_id: list.id, state: 'new', category: null, leads: 1 }]),
  ]);
  return [...hidden.keys()];
}
