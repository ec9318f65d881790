import { query, type Tx } from '../platform/db.ts';
import { HttpError, isLockTimeout } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';

/**
 * The shape of an account's lists: the fields and the matching by which leads are written down. Whoever writes leads shares it until their
 * transaction ends, whoever changes it has it alone. So once a change is there nobody writes by what was before, and the job that follows it
 * misses no lead. It is taken before any row is locked.
 */
const SHAPE_LOCK = 4712;

const SHARE = sql('lists/shape-lock.share')`select pg_advisory_xact_lock_shared(${SHAPE_LOCK}, $1::integer)`;

/** Sent together with the statement that reads the list, before it: what that reads then stays so. */
export const shareShape = (tx: Tx, accountId: number) => query(tx, SHARE, [accountId]);

// While it waits, all who want to write leads of the account wait behind it.
const PATIENCE = '3s';
const WAIT = sql('lists/shape-lock.wait')`select set_config('lock_timeout', $1, true)`;
const LOCK = sql('lists/shape-lock.lock')`select pg_advisory_xact_lock(${SHAPE_LOCK}, $1::integer)`;

/** First of all in a transaction that changes fields or matching, before the list is read. */
export async function lockShape(tx: Tx, accountId: number): Promise<void> {
  try {
    await Promise.all([query(tx, WAIT, [PATIENCE]), query(tx, LOCK, [accountId])]);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new HttpError(503, 'busy', 'Many leads are being written just now. Try again in a moment.', {
      retryAfter: 2,
      cause: error,
    });
  }
}
