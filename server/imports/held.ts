import type { HowRead } from '../../contract/imports.ts';
import type { Imports } from '../../db/schema.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import type { Found } from './found.ts';
import type { FileColumns } from './read-thread.ts';
import type { KeptPlan } from './told.ts';

/**
 * An import that is read and checked is in the hands of one process, since what that has read ahead is of use to none else. It says so with every
 * turn; when it has said nothing for some seconds, whatever a clock did meanwhile, another takes over.
 */
export type HeldImport = Omit<Imports, 'how_read' | 'plan' | 'counts' | 'columns'> & {
  how_read: HowRead | null;
  plan: KeptPlan | null;
  /** Empty before the first row was checked. */
  counts: Found | Record<string, never>;
  columns: FileColumns;
};

const SILENT_SECONDS = 5;

/** `$1` is the process. */
export const IS_FREE = `(taken_by is null or taken_by = $1
  or abs(extract(epoch from clock_timestamp() - taken_at)) > ${SILENT_SECONDS})`;

const HOLD = sql('imports/held.hold')`
  update imports set taken_by = $1, taken_at = clock_timestamp()
   where account_id = $2 and id = $3 and state in ('reading', 'checking') and ${IS_FREE} returning *`;

/** As it stands, if it can be had. */
export async function holdImport(db: Db, me: string, accountId: number, id: number): Promise<HeldImport | undefined> {
  const [held] = await query<Imports>(db, HOLD, [me, accountId, id]);
  return held as HeldImport | undefined;
}

const LOCK = sql('imports/held.lock')`
  select * from imports where account_id = $2 and id = $3 and taken_by = $1 and state in ('reading', 'checking')
     for update`;

/** The same, until the transaction ends. Nothing where someone changed it meanwhile, or another has it. */
export async function lockHeld({ db }: Work, me: string, seen: HeldImport): Promise<HeldImport | undefined> {
  const [now] = await query<Imports>(db, LOCK, [me, seen.account_id, seen.id]);
  return now?.version === seen.version ? (now as HeldImport) : undefined;
}

const LET_OTHERS = sql('imports/held.let_others')`
  update imports set taken_by = null where account_id = $2 and id = $3 and taken_by = $1`;

/** Another may be luckier with it. */
export const releaseImport = (db: Db, me: string, accountId: number, id: number) =>
  query(db, LET_OTHERS, [me, accountId, id]);

const RELEASE = sql('imports/held.release')`update imports set taken_by = null where taken_by = $1`;

/** At a stop, so that nobody waits to find out. */
export const releaseAll = (db: Db, me: string) => query(db, RELEASE, [me]);
