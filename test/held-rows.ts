import type { Pool } from '../server/platform/db.ts';

let held = 0;

/**
 * No row of a table changes in this way until what is returned is called, however long the test takes: instead whoever tries is refused, and
 * tries again, or what else is said. `change` compares `old` and `new`.
 */
export async function holdRows(
  pool: Pool,
  table: string,
  change: string,
  instead = `raise exception 'not yet'`,
): Promise<() => Promise<void>> {
  const name = `held_${(held += 1)}`;
  await pool.query(`
    create function ${name}() returns trigger language plpgsql as $$ begin ${instead}; end $$;
    create trigger ${name} before update on ${table} for each row when (${change}) execute function ${name}()`);
  return async () => {
    await pool.query(`drop function ${name}() cascade`);
  };
}

export const holdCalls = (pool: Pool, change: string) => holdRows(pool, 'calls', change);

/** Whatever ends, it is not known yet. */
export const ENDS = `old.state <> 'completed' and new.state = 'completed'`;
