import type { Account } from '../../platform/actor.ts';
import { query } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import type { Reading } from '../../platform/work.ts';

const FIND = sql('people/accounts/find.find')`
  select id, name, base_url as "baseUrl" from accounts
   where id = coalesce((select id from accounts where host = $1), (select min(id) from accounts))`;

/** The account of a host; the first one answers for hosts that belong to nobody. */
export async function findAccount({ db }: Pick<Reading, 'db'>, host: string): Promise<Account | undefined> {
  const [account] = await query<Account>(db, FIND, [host]);
  return account;
}

const FIND_BY_ID = sql('people/accounts/find.find_by_id')`
  select id, name, base_url as "baseUrl" from accounts where id = $1`;

export async function findAccountById({ db }: Pick<Reading, 'db'>, id: number): Promise<Account | undefined> {
  const [account] = await query<Account>(db, FIND_BY_ID, [id]);
  return account;
}
