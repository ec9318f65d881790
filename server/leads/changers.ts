import { nameOf } from '../../contract/names.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';

const CHANGERS = sql('leads/changers.changers')`
  select distinct on (e.lead_id) e.lead_id, u.first_name, u.last_name, u.email
    from unnest($2::bigint[], $3::timestamptz[]) as since (lead_id, left_at)
    join events e on e.account_id = $1 and e.lead_id = since.lead_id and e.created_at > since.left_at
    join users u on u.account_id = e.account_id and u.id = e.user_id
   order by e.lead_id, e.id desc`;

type Left = { lead_id: number; left_at: Date | string | null };

/** Who did something last to leads that were left as they were at a time, as people read it. */
export async function findChangers({ db }: Work, accountId: number, leads: Left[]): Promise<Map<number, string>> {
  type Changer = { lead_id: number; first_name: string; last_name: string; email: string };
  if (leads.length === 0) return new Map();
  const values = [accountId, leads.map(({ lead_id }) => lead_id), leads.map(({ left_at }) => left_at)];
  const found = await query<Changer>(db, CHANGERS, values);
  return new Map(found.map((changer) => [changer.lead_id, nameOf(changer)]));
}

export const changedSince = (by: string | undefined): string => (by ? `changed since by ${by}` : 'changed since');
