import { DELETED_LISTS } from '../lists/people.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { openBreaths } from '../platform/breaths.ts';
import { readPhone, type Phone } from '../platform/phones.ts';
import type { Reading } from '../platform/work.ts';

/** Numbers that more leads share are placeholders. */
const MOST_ALIKE = 1_000;
const MOST = 50;

// By the words of search, which hold every number's digits; then, in Node, by the phone columns alone.
const ALIKE = sql('leads/by-number.alike')`
  select * from (
  select l.id, l.list_id, l.state, a.country,
         array(select d.data ->> c.key from list_columns c
                where c.account_id = l.account_id and c.list_id = l.list_id and c.kind = 'phone'
                  and d.data ? c.key) as numbers,
         (select max(k.id) from calls k where k.account_id = l.account_id and k.lead_id = l.id) as last_call
    from lead_data d
    join leads l on l.account_id = d.account_id and l.id = d.lead_id
    join accounts a on a.id = l.account_id
   where d.account_id = $1 and (d.words || d.said) @@ $2::tsquery and d.words @@ $2::tsquery
     and d.list_id not in ${DELETED_LISTS}
   limit ${MOST_ALIKE}) alike
  order by last_call desc nulls last, id desc limit ${MOST}`;

type Candidate = {
  id: number;
  list_id: number;
  state: string;
  country: string;
  numbers: string[];
  last_call: number | null;
};

const WORTH = ['archived', 'lost', 'won', 'new', 'call_back'];

const COUNTRY = sql('leads/by-number.country')`select country from accounts where id = $1`;

/** Whose number it is: of several, the lead that was called last, else the one that most needs a call. */
export async function findLeadByNumber(
  { db }: Pick<Reading, 'db'>,
  accountId: number,
  number: string,
): Promise<{ id: number; list_id: number } | undefined> {
  const [account] = await query<{ country: string }>(db, COUNTRY, [accountId]);
  const phone = readPhone(number, account!.country);
  if (!phone) return undefined;
  const candidates = await query<Candidate>(db, ALIKE, [accountId, phone.normal.replaceAll(/\D/g, '')]);
  const breathe = openBreaths();
  const same: Candidate[] = [];
  for (const candidate of candidates) {
    await breathe();
    const { numbers, country } = candidate;
    if (numbers.some((one) => mayBe(one, phone) && readPhone(one, country)?.normal === phone.normal))
      same.push(candidate);
  }
  return same.toSorted(
    (a, b) => (b.last_call ?? 0) - (a.last_call ?? 0) || WORTH.indexOf(b.state) - WORTH.indexOf(a.state) || b.id - a.id,
  )[0];
}

/** Looked at first, as reading a number takes long and a lead may have hundreds. However it is written, it has its last digits. */
const mayBe = (text: string, { normal }: Phone): boolean => text.replaceAll(/\D/g, '').includes(normal.slice(-4));
