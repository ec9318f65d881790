import type { State } from '../../contract/states.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';

/** How leads stand when their turn has come. */

/** A row of `leads` as JSON has it: times to the millisecond, as they are stored. */
type Row = {
  list_id: number;
  state: State;
  category: string | null;
  scheduled_for: string | null;
  exactly: boolean;
  turn_at: string;
  skipped: boolean;
  claimed_by: number | null;
  claimed_at: string | null;
};

/** `text` is what the field says that is to be changed. */
export type Standing = { id: number; row: Row; last_updated: Date; now: string; text?: string };

const LOCK = sql('bulk/standing.lock')`
  select l.id, to_jsonb(l) as row, l.last_updated, to_jsonb(now()::timestamptz(3)) #>> '{}' as now
    from leads l
   where l.account_id = $1 and l.id = any ($2::bigint[]) and not (l.held_by is not null and l.held_until > now())
   order by l.id for no key update`;

// Whoever had it open may be through with it by now.
const OPEN = sql('bulk/standing.open')`
  select id from leads where account_id = $1 and id = any ($2::bigint[])`;

// After the rows are locked: whoever waited for a lock would be told what the field said before.
const TEXTS = sql('bulk/standing.texts')`
  select lead_id, coalesce(data ->> $3, hidden ->> $3, '') as text from lead_data
   where account_id = $1 and lead_id = any ($2::bigint[])`;

/** All at once and in one order: agents who work on some of them wait for a moment and not in a circle. Those that are open at a desk are not touched. */
export async function lockStanding({ db }: Work, accountId: number, ids: number[], field?: string) {
  const locked = await query<Standing>(db, LOCK, [accountId, ids]);
  const leads = new Map(locked.map((lead) => [lead.id, lead]));
  const missing = ids.filter((id) => !leads.has(id));
  const [open, texts] = await Promise.all([
    missing.length > 0 ? query<{ id: number }>(db, OPEN, [accountId, missing]) : [],
    field === undefined ? [] : query<{ lead_id: number; text: string }>(db, TEXTS, [accountId, ids, field]),
  ]);
  for (const { lead_id, text } of texts) {
    const lead = leads.get(lead_id);
    if (lead) lead.text = text;
  }
  return { leads, open: new Set(open.map(({ id }) => id)) };
}
