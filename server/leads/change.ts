import { nameOfField } from '../../contract/changes.ts';
import { recordLast, type Happening } from '../activity/record.ts';
import { changeMarks, type Marked } from './marks.ts';
import type { Actor } from '../platform/actor.ts';
import type { Last, Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { lockWholeLead, refuseForeignClaim, type LeadList } from './access.ts';
import { store } from './stored.ts';
import { readValues, refuseMissing, refuseTooMuch, type Values } from './values.ts';

const WRITE = sql('leads/change.write')`
  update lead_data set list_id = $3, data = $4, hidden = $5, words = $6, marks = $7
   where account_id = $1 and lead_id = $2`;

/** Puts values down for a lead as its list has them; `former` are the marks it had, and in which list. */
export function writeData(
  accountId: number,
  leadId: number,
  list: LeadList,
  values: Values & { former: Marked },
): Statement[] {
  const { data, hidden, words, marks } = store(list, values.data, values.hidden);
  return [
    { text: WRITE, values: [accountId, leadId, list.id, data, hidden, words, marks] },
    ...changeMarks(accountId, leadId, values.former, { list_id: list.id, marks }),
  ];
}

const TOUCH = sql('leads/change.touch')`
  update leads set last_updated = greatest(last_updated, clock_timestamp()) where account_id = $1 and id = $2`;

/** What makes a change of a lead visible to those who ask what changed. */
export const touch = (accountId: number, leadId: number): Statement => ({
  text: TOUCH,
  values: [accountId, leadId],
});

/** Merges what is given into a lead's data. What changes nothing leaves no trace. Answers the keys that are no columns. */
export async function changeLead(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => Record<string, unknown>,
): Promise<string[] | Last<string[]>> {
  const account = actor.account.id;
  const lead = await lockWholeLead(work, actor, id, 'leads.write');
  const { list } = lead;
  const given = readValues(list.columns, read());
  refuseMissing(list.columns, given.data, 'given');
  refuseForeignClaim(actor, lead, 'leads.write');
  const [data, hidden] = [new Map(lead.data), new Map(lead.hidden)];
  const changes = { ...merge(data, given.data), ...merge(hidden, given.hidden) };
  refuseTooMuch({ data, hidden }, lead);
  const unknown = [...given.hidden.keys()];
  if (Object.keys(changes).length === 0) return unknown;
  return recordLast(work, actor, { lead, kind: 'lead_updated', changes }, [
    touch(account, lead.id),
    ...writeData(account, lead.id, list, { data, hidden, former: lead }),
  ]).map(() => unknown);
}

function merge(into: Map<string, string>, given: Map<string, string>): NonNullable<Happening['changes']> {
  const changed = [...given].filter(([key, text]) => (into.get(key) ?? '') !== text);
  const changes = Object.fromEntries(
    changed.map(([key, text]) => [nameOfField(key), [into.get(key) ?? '', text] as [string, string]]),
  );
  for (const [key, text] of changed) into.set(key, text);
  return changes;
}
