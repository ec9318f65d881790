import { query, type Db } from './db.ts';
import { doEach } from './each.ts';
import type { Sql } from './sql.ts';

/** Rows that have had their time. Each noun says it of its own tables; `worker.ts` lists them. */
export type Sweep = {
  table: string;
  /** Which rows, as a condition. */
  past: string;
  /** What becomes of them where they are not removed. */
  set?: string;
};

// As many as surely end before a statement's time is up.
const AT_ONCE = 5_000;

/** In batches; rows that someone works on wait for the next time. What goes wrong with one table holds up no other. */
export async function sweep(db: Db, sweeps: Sql<{ rows: number }>[]): Promise<void> {
  await doEach(sweeps, async (one) => {
    while ((await sweepSome(db, one)) === AT_ONCE);
  });
}

async function sweepSome(db: Db, one: Sql<{ rows: number }>): Promise<number> {
  const [swept] = await query<{ rows: number }>(db, one, []);
  return swept!.rows;
}

export function sweepSql({ table, past, set }: Sweep): string {
  const some = `ctid = any (array(select ctid from ${table} where ${past} limit ${AT_ONCE} for update skip locked))`;
  const act = set ? `update ${table} set ${set}` : `delete from ${table}`;
  return `with swept as (${act} where ${some} returning 1) select count(*) as rows from swept`;
}
