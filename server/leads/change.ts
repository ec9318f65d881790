import { record, type Happening } from '../activity/record.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';
import { lockLead, readListOf, refuseForeignClaim, type LeadList } from './access.ts';
import { readStored, store } from './stored.ts';
import { readValues, refuseMissing } from './values.ts';

export type DataRow = { data: Record<string, string>; hidden: Record<string, string>; marks: string[] };

export async function readData({ db }: Work, accountId: number, leadId: number): Promise<DataRow> {
  const text = 'select data, hidden, marks from lead_data where account_id = $1 and lead_id = $2';
  const [row] = await query<DataRow>(db, text, [accountId, leadId]);
  return row!;
}

const WRITE = `
  with data as (
    update lead_data set list_id = $3, data = $4, hidden = $5, words = $6, marks = $7 where account_id = $1 and lead_id = $2
  ), gone as (
    delete from lead_marks where account_id = $1 and lead_id = $2 and mark = any ($8::text[]) and mark <> all ($7::text[])
  )
  insert into lead_marks (account_id, mark, lead_id) select $1, mark, $2 from unnest($7::text[]) as m (mark) where mark <> all ($8::text[])`;

/** Puts values down for a lead as its list has them; `former` are the marks it had. */
export async function writeData(
  { db }: Work,
  accountId: number,
  leadId: number,
  list: LeadList,
  values: { data: Map<string, string>; hidden: Map<string, string>; former: string[] },
): Promise<void> {
  const { data, hidden, words, marks } = store(list, values.data, values.hidden);
  await query(db, WRITE, [accountId, leadId, list.id, data, hidden, words, marks, values.former]);
}

/** Merges what is given into a lead's data. What changes nothing leaves no trace. Answers the keys that are no columns. */
export async function changeLead(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => Record<string, unknown>,
): Promise<string[]> {
  const account = actor.account.id;
  const lead = await lockLead(work, actor, id, 'leads.write');
  const [list, row] = await Promise.all([readListOf(work, actor, lead), readData(work, account, lead.id)]);
  const given = readValues(list.columns, read());
  refuseMissing(list.columns, given.data, 'given');
  refuseForeignClaim(actor, lead, 'leads.write');
  const data = readStored(row.data);
  const hidden = readStored(row.hidden);
  const changes = { ...merge(data, given.data), ...merge(hidden, given.hidden) };
  if (Object.keys(changes).length > 0) {
    await Promise.all([
      writeData(work, account, lead.id, list, { data, hidden, former: row.marks }),
      query(work.db, 'update leads set last_updated = now() where account_id = $1 and id = $2', [account, lead.id]),
      record(work, actor, { lead, kind: 'lead_updated', changes }),
    ]);
  }
  return [...given.hidden.keys()];
}

function merge(into: Map<string, string>, given: Map<string, string>): NonNullable<Happening['changes']> {
  const changed = [...given].filter(([key, text]) => (into.get(key) ?? '') !== text);
  const changes = Object.fromEntries(
    changed.map(([key, text]) => [key, [into.get(key) ?? '', text] as [string, string]]),
  );
  for (const [key, text] of changed) into.set(key, text);
  return changes;
}
