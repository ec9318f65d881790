import { sql } from 'kysely';
import { audit } from '../audit/audit.ts';
import { issueKey, readKey } from '../keys/keys.ts';
import { postMail } from '../mails/mails.ts';
import type { Account, Actor } from '../platform/actor.ts';
import { serviceActor } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import { hashPassword } from '../platform/passwords.ts';
import { hashToken, makeToken } from '../platform/secrets.ts';
import type { Reading, Work } from '../platform/work.ts';
import { endSessions } from '../sessions/sessions.ts';

export type Purpose = 'invitation' | 'reset';
type Recipient = { account_id: number; id: number; email: string; email_folded: string };

const HOURS = { invitation: 72, reset: 1 };

export async function mailInvitation(work: Work, { account, name }: Actor, user: Recipient): Promise<void> {
  const token = await issueToken(work, user, 'invitation');
  await postMail(work, account.id, {
    recipient: user.email,
    subject: `You are invited to ${account.name}`,
    text: [
      `${name === 'account key' ? account.name : name} has invited you to call leads with Leadline at ${account.name}.`,
      'Choose a password here. The link works once, for 72 hours:',
      `${account.baseUrl}/accept?token=${token}`,
    ].join('\n\n'),
  });
}

/** Nobody learns from the answer whether there is such a user: the mail goes out or it does not. */
export async function mailReset(work: Work, account: Account, email: string): Promise<void> {
  const user = await work.db
    .selectFrom('users')
    .select(['account_id', 'id', 'email', 'email_folded'])
    .where('account_id', '=', account.id)
    .where('email_folded', '=', email.trim().toLowerCase())
    .where('accepted_at', 'is not', null)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!user) return;
  const token = await issueToken(work, user, 'reset');
  await postMail(work, account.id, {
    recipient: user.email,
    subject: `A new password for ${account.name}`,
    text: [
      'Choose a new password here. The link works once, for an hour:',
      `${account.baseUrl}/reset?token=${token}`,
      'If you did not ask for it, leave it: nothing has changed.',
    ].join('\n\n'),
  });
}

/** A new link ends the earlier ones. */
async function issueToken(work: Work, user: Recipient, purpose: Purpose): Promise<string> {
  await withdrawTokens(work, user, purpose);
  const token = makeToken();
  await work.db
    .insertInto('mailed_tokens')
    .values({
      account_id: user.account_id,
      hash: hashToken(token),
      purpose,
      user_id: user.id,
      email_folded: user.email_folded,
      expires_at: sql<Date>`now() + make_interval(hours => ${HOURS[purpose]})`,
    })
    .execute();
  return token;
}

export async function withdrawTokens(
  { db }: Work,
  user: { account_id: number; id: number },
  purpose?: Purpose,
): Promise<void> {
  const tokens = db
    .deleteFrom('mailed_tokens')
    .where('account_id', '=', user.account_id)
    .where('user_id', '=', user.id);
  await (purpose ? tokens.where('purpose', '=', purpose) : tokens).execute();
}

const lapsed = () => new HttpError(410, 'link_lapsed', 'This link was used already, or is too old. Ask for a new one.');

/** Whose link it is, while it is good. */
export async function readToken(
  { db }: Pick<Reading, 'db'>,
  account: Account,
  token: string,
  purpose: Purpose,
): Promise<string> {
  const found = await db
    .selectFrom('mailed_tokens as t')
    .innerJoin('users as u', (join) => join.onRef('u.account_id', '=', 't.account_id').onRef('u.id', '=', 't.user_id'))
    .select('u.email')
    .where('t.account_id', '=', account.id)
    .where('t.hash', '=', hashToken(token))
    .where('t.purpose', '=', purpose)
    .where('t.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (!found) throw lapsed();
  return found.email;
}

/** Spends the token, if it is still good and its address is still the user's. */
async function spendToken({ db }: Work, account: Account, token: string, purpose: Purpose) {
  const spent = await db
    .deleteFrom('mailed_tokens')
    .where('account_id', '=', account.id)
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id', 'email_folded'])
    .executeTakeFirst();
  if (!spent) throw lapsed();
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('account_id', '=', account.id)
    .where('id', '=', spent.user_id)
    .where('email_folded', '=', spent.email_folded)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!user) throw lapsed();
  return user;
}

export type NewPassword = { token: string; password: string; address: string };

/** From here on the user counts, can sign in and has a personal key. */
export async function acceptInvitation(work: Work, account: Account, { token, password, address }: NewPassword) {
  const user = await spendToken(work, account, token, 'invitation');
  await setPassword(work, user, password);
  if (!(await readKey(work, { accountId: account.id, userId: user.id }))) {
    await issueKey(work, { accountId: account.id, userId: user.id });
  }
  await audit(work, { ...serviceActor(account, user.email), address }, 'user.accepted', user.email);
  return user;
}

/** Whoever else was signed in as this user is not any more. */
export async function resetPassword(work: Work, account: Account, { token, password, address }: NewPassword) {
  const user = await spendToken(work, account, token, 'reset');
  await setPassword(work, user, password);
  await endSessions(work, account.id, user.id);
  await audit(work, { ...serviceActor(account, user.email), address }, 'password.reset', user.email);
  return user;
}

export async function setPassword(
  { db }: Work,
  { account_id, id }: { account_id: number; id: number },
  password: string,
): Promise<void> {
  await db
    .updateTable('users')
    .set({
      password_hash: await hashPassword(password),
      accepted_at: sql<Date>`coalesce(accepted_at, now())`,
      updated_at: sql<Date>`now()`,
    })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .execute();
}
