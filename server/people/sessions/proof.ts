import type { Account, Actor } from '../../platform/actor.ts';
import { query, type Pool } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { HttpError, notFound } from '../../platform/errors.ts';
import { networkOf, subjectOf, throttle } from '../../platform/limits.ts';
import { checkPassword } from '../../platform/passwords.ts';
import type { Reading, Work } from '../../platform/work.ts';

/** That someone knows their password: slow to look at, slowed where it is guessed, and looked at again when it counts. */

const FIVE_MINUTES = 300;
const BY_ADDRESS = { requests: 100, seconds: FIVE_MINUTES };
const BY_USER_AND_ADDRESS = { requests: 10, seconds: FIVE_MINUTES };
// From everywhere together: high enough that nobody is locked out by a few strangers.
const BY_USER = { requests: 100, seconds: FIVE_MINUTES };
// With the right password. Each leaves a line in the audit log, which is never emptied.
const SIGN_INS_OF_USER = { requests: 60, seconds: FIVE_MINUTES };

/** Guessing is slowed by where it comes from and by whom it aims at. What is returned takes the attempt back. */
export async function throttleGuesses(
  pool: Pool,
  purpose: string,
  { account, address }: Pick<Actor, 'account' | 'address'>,
  aim: string,
) {
  const network = networkOf(address);
  const aimed = aim.trim().toLowerCase();
  const takeBack = [
    await throttle(pool, subjectOf(purpose, network), BY_ADDRESS),
    await throttle(pool, subjectOf(purpose, account.id, aimed, network), BY_USER_AND_ADDRESS),
    await throttle(pool, subjectOf(purpose, account.id, aimed), BY_USER),
  ];
  return async () => {
    await Promise.all(takeBack.map((undo) => undo()));
  };
}

export const wrongPassword = () => new HttpError(401, 'wrong_password', 'E-mail and password do not fit.');

/** Someone whose password was right a moment ago. */
export type Proven = { id: number; email: string; password_hash: string | null };

const FIND_USER = sql('people/sessions/proof.find_user')`
  select id, email, password_hash from users
   where account_id = $1 and email_folded = $2 and disabled_at is null and accepted_at is not null`;

/** Slow, so it is done before a transaction begins; `signIn` looks again. */
export async function provePassword(
  pool: Pool,
  { db }: Reading,
  visitor: Pick<Actor, 'account' | 'address'>,
  email: string,
  password: string,
): Promise<Proven | undefined> {
  const takeBack = await throttleGuesses(pool, 'sign-in', visitor, email);
  const [user] = await query<Proven>(db, FIND_USER, [visitor.account.id, email.trim().toLowerCase()]);
  if (!(await checkPassword(password, user?.password_hash, visitor.address))) return undefined;
  await takeBack();
  await throttle(pool, subjectOf('signed-in', visitor.account.id, user!.id), SIGN_INS_OF_USER);
  return user;
}

const PASSWORD = sql('people/sessions/proof.password')`
  select password_hash from users where account_id = $1 and id = $2`;

/** For what is shown or changed only after the password is given once more. Returns the proof, to be looked at again by `demandProof`. */
export async function confirmPassword(pool: Pool, { db }: Reading, actor: Actor, password: string): Promise<string> {
  const { account, user, address } = actor;
  if (!user) throw notFound();
  const takeBack = await throttleGuesses(pool, 'confirm', { account, address }, user.email);
  const [row] = await query<Pick<Proven, 'password_hash'>>(db, PASSWORD, [account.id, user.id]);
  if (!(await checkPassword(password, row?.password_hash, address))) throw passwordNotRight();
  await takeBack();
  return row!.password_hash!;
}

const passwordNotRight = () =>
  new HttpError(422, 'validation_failed', 'The password is not right.', { errors: { password: ['is not right'] } });

export async function demandProof(work: Work, { account, user }: Actor, proof: string): Promise<void> {
  if (!(await lockProven(work, account, user!.id, proof))) throw passwordNotRight();
}

const LOCK_PROVEN = sql('people/sessions/proof.lock_proven')`
  select id, email from users
   where account_id = $1 and id = $2 and password_hash = $3 and disabled_at is null for update`;

/** Within the transaction: a reset or a disabling since the proof makes it worthless, one from now on waits for us. */
export async function lockProven({ db }: Work, account: Account, userId: number, proof: string | null) {
  const [user] = await query<{ id: number; email: string }>(db, LOCK_PROVEN, [account.id, userId, proof]);
  return user;
}
