import type { Pool } from '../server/platform/db.ts';

let held = 0;

/**
 * Nothing changes a call in this way until what is returned is called, however long the test takes: whoever tries is refused, and the line
 * tries again. `change` compares `old` and `new`.
 */
export async function holdCalls(pool: Pool, change: string): Promise<() => Promise<void>> {
  const name = `held_${(held += 1)}`;
  await pool.query(`
    create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'not yet'; end $$;
    create trigger ${name} before update on calls for each row when (${change}) execute function ${name}()`);
  return async () => {
    await pool.query(`drop function ${name}() cascade`);
  };
}

/** Whatever ends, it is not known yet. */
export const ENDS = `old.state <> 'completed' and new.state = 'completed'`;
