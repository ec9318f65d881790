import type { Pool } from '../server/platform/db.ts';

/**
 * Requests are counted as if they came in the second that is given, however long a test takes: no window ends in the middle of it. Called
 * again, it is another second.
 */
export async function holdWindows(pool: Pool, second = Math.floor(Date.now() / 1_000)) {
  await pool.query(`
    create or replace function held_window() returns trigger language plpgsql as $$
    begin
      new.number := ${second} / new.seconds;
      return new;
    end $$;
    create or replace trigger held_window before insert on request_counts for each row execute function held_window()`);
  return { second, letGo: () => pool.query('drop trigger held_window on request_counts') };
}
