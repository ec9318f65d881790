import { IMPORT_UNDONE_FOR_DAYS } from '../../contract/imports.ts';
import { query, type Db } from '../platform/db.ts';
import { doEach } from '../platform/each.ts';
import { isLockTimeout } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';
import type { Transact, Work } from '../platform/work.ts';
import { dropParts, PARTS } from './staging.ts';

/** Files and their rows go a week after their import ended, or after nobody went on with it. */

const KEPT = `interval '${IMPORT_UNDONE_FOR_DAYS} days'`;

const IS_OVER = `
  staged and (state in ('finished', 'undone') and greatest(finished_at, undone_at) < now() - ${KEPT}
     or begun_at is null and state in ('uploading', 'checked', 'refused')
       and went_on_at < now() - ${KEPT})`;
const OVER = sql('imports/past.over')`select account_id, id from imports where ${IS_OVER} order by id limit 1000`;
const LEFT = sql('imports/past.left')`
  select p.import_id from (${PARTS}) p
   where not exists (select from imports i where i.id = p.import_id and i.staged)`;

// An older program beside this one drops parts and does not know that they are noted.
const FORGET = sql('imports/past.forget')`
  delete from import_parts p
   where to_regclass('import_chunks_' || p.import_id) is null
     and not exists (select from imports i where i.account_id = p.account_id and i.id = p.import_id and i.staged)`;

type Over = { account_id: number; id: number };

/** Those that cannot go now, since someone reads or writes a part of another import for long, go the next time. */
export async function dropStaged(db: Db, transact: Transact): Promise<void> {
  await doEach(await query<Over>(db, OVER, []), (over) => unlessLocked(transact((work) => endStaging(work, over))));
  await doEach(await query<{ import_id: number }>(db, LEFT, []), ({ import_id }) =>
    unlessLocked(transact((work) => drop(work, import_id))),
  );
  await query(db, FORGET, []);
}

async function unlessLocked(dropping: Promise<void>): Promise<void> {
  await dropping.catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
  });
}

// Whoever waits for such a lock holds up all who come after.
const WAIT_BRIEFLY = sql('imports/past.wait_briefly')`select set_config('lock_timeout', '300ms', true)`;

async function drop({ db }: Work, importId: number): Promise<void> {
  await query(db, WAIT_BRIEFLY, []);
  await dropParts(db, importId);
}

// Somebody may have gone on with it, or begun to undo it, since it was looked for.
const LOCK = sql('imports/past.lock')`
  select begun_at is null as unused from imports
   where account_id = $1 and id = $2 and ${IS_OVER} for update skip locked`;
const END = sql('imports/past.end')`update imports set staged = false where account_id = $1 and id = $2`;
const DELETE = sql('imports/past.delete')`delete from imports where account_id = $1 and id = $2`;

/** One that never ran is of no use without its file. */
async function endStaging(work: Work, { account_id, id }: Over): Promise<void> {
  const own = [account_id, id];
  const [over] = await query<{ unused: boolean }>(work.db, LOCK, own);
  if (!over) return;
  await query(work.db, over.unused ? DELETE : END, own);
  await drop(work, id);
}
