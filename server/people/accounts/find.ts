import { sql } from 'kysely';
import type { Account } from '../../platform/actor.ts';
import type { Reading } from '../../platform/work.ts';

/** The account of a host; the first one answers for hosts that belong to nobody. */
export async function findAccount({ db }: Pick<Reading, 'db'>, host: string): Promise<Account | undefined> {
  const { rows } = await sql<Account>`
    select id, name, base_url as "baseUrl" from accounts
     where id = coalesce((select id from accounts where host = ${host}), (select min(id) from accounts))`.execute(db);
  return rows[0];
}

export async function findAccountById({ db }: Pick<Reading, 'db'>, id: number): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(['id', 'name', 'base_url'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, baseUrl: row.base_url };
}
