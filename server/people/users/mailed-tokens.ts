import { nameOf } from '../../../contract/names.ts';
import { paths } from '../../../contract/paths.ts';
import type { Users } from '../../../db/schema.ts';
import { audit } from '../../audit/audit.ts';
import { hasKey, issueKey, renewKey } from '../keys/keys.ts';
import { endMails, postMail, readUnsent } from '../../mails/mails.ts';
import type { Account, Actor } from '../../platform/actor.ts';
import { serviceActor } from '../../platform/actor.ts';
import { query, type Pool } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { HttpError } from '../../platform/errors.ts';
import { invalid } from '../../platform/read.ts';
import { hashToken, makeToken } from '../../platform/secrets.ts';
import type { Reading, Work } from '../../platform/work.ts';
import { throttleGuesses } from '../sessions/proof.ts';
import { endSessions } from '../sessions/sessions.ts';
import { hashChosen, type Chooser } from './choose-password.ts';
import type { Sweep } from '../../platform/sweep.ts';

export type Purpose = 'invitation' | 'reset';
export type Recipient = { account_id: number; id: number; email: string; email_folded: string };

export const HOURS = { invitation: 72, reset: 1 };

/** To one address in a day, however often it is withdrawn and invited: nobody's inbox is filled from here. */
const MOST_INVITATIONS = 5;

const MAILED = sql('people/users/mailed-tokens.mailed')`
  select from mails where account_id = $1 and lower(recipient) = $2 and created_at > now() - interval '24 hours'
   limit ${MOST_INVITATIONS}`;

export async function mailInvitation(work: Work, actor: Actor, user: Recipient): Promise<void> {
  const { account } = actor;
  const mailed = await query(work.db, MAILED, [account.id, user.email_folded]);
  if (mailed.length >= MOST_INVITATIONS)
    throw invalid({
      email: [`was sent ${MOST_INVITATIONS} mails in the last 24 hours, as many as one address is; try again tomorrow`],
    });
  // One sent again ends the earlier one. A reset does not: anybody can ask for it, and would end the link in somebody's hand.
  await withdrawTokens(work, user);
  const token = await issueToken(work, user, 'invitation');
  await postMail(work, account.id, {
    recipient: user.email,
    subject: `You are invited to ${account.name}`,
    text: [
      `${await nameInviter(work, actor)} has invited you to call leads with Leadline at ${account.name}.`,
      'Choose a password here. The link works once, for 72 hours:',
      `${account.baseUrl}${paths.accept}?token=${token}`,
    ].join('\n\n'),
    hours: HOURS.invitation,
  });
}

/**
 * The link in an invitation that the service cannot send, for whoever invites to hand over. Not one that is on its way: whoever opens it
 * shows that the address is theirs.
 */
export async function readInvitationLink(work: Work, actor: Actor, user: Recipient, sendsMail: boolean) {
  const letter = await readUnsent(work, actor.account.id, user.email_folded);
  if (letter && sendsMail && !letter.failed)
    throw new HttpError(409, 'on_its_way', `The link is on its way to ${user.email} by mail.`);
  // It stands alone in its line. The link in a mail of another kind is for its reader alone.
  const link = letter?.text
    .split('\n')
    .find((line) => /^https?:/.test(line) && line.includes(`${paths.accept}?token=`));
  if (!link)
    throw new HttpError(409, 'no_link', 'The mail with the link has left, or the link has ended. Make a new one.');
  return link;
}

const NOTE_SHOWN = sql('people/users/mailed-tokens.note_shown')`
  update mailed_tokens set shown_at = now() where account_id = $1 and user_id = $2 and purpose = 'invitation'`;

/** The link is in the hand of someone who may not give every role. */
export const noteShown = ({ db }: Work, { account_id, id }: Recipient) => query(db, NOTE_SHOWN, [account_id, id]);

const SHOWN = sql('people/users/mailed-tokens.shown')`
  select hash from mailed_tokens
   where account_id = $1 and user_id = $2 and purpose = 'invitation' and shown_at is not null and expires_at > now()`;

export const wasShown = async ({ db }: Work, { account_id, id }: Recipient): Promise<boolean> =>
  (await query(db, SHOWN, [account_id, id])).length > 0;

const INVITER = sql('people/users/mailed-tokens.inviter')`
  select first_name, last_name, email from users where account_id = $1 and id = $2`;

/** A person by name; whoever is none, by the account's. */
async function nameInviter(work: Work, { account, user }: Actor): Promise<string> {
  if (!user) return account.name;
  const [inviter] = await query<Parameters<typeof nameOf>[0]>(work.db, INVITER, [account.id, user.id]);
  return nameOf(inviter!);
}

const ISSUE = sql('people/users/mailed-tokens.issue')`
  insert into mailed_tokens (account_id, hash, purpose, user_id, email_folded, expires_at)
  values ($1, $2, $3, $4, $5, now() + make_interval(hours => $6))`;

export async function issueToken(work: Work, user: Recipient, purpose: Purpose): Promise<string> {
  const token = makeToken();
  const { account_id, id, email_folded } = user;
  await query(work.db, ISSUE, [account_id, hashToken(token), purpose, id, email_folded, HOURS[purpose]]);
  return token;
}

const WITHDRAW = sql('people/users/mailed-tokens.withdraw')`
  delete from mailed_tokens where account_id = $1 and user_id = $2`;

const ADDRESS = sql('people/users/mailed-tokens.address')`
  select email_folded from users where account_id = $1 and id = $2`;

/** Ends the links that someone was mailed, and the mails with them that have not left. */
export async function withdrawTokens(work: Work, user: { account_id: number; id: number }): Promise<void> {
  const { account_id, id } = user;
  const [found] = await Promise.all([
    query<{ email_folded: string }>(work.db, ADDRESS, [account_id, id]),
    query(work.db, WITHDRAW, [account_id, id]),
  ]);
  for (const { email_folded } of found) await endMails(work, account_id, email_folded);
}

const lapsed = () => new HttpError(410, 'link_lapsed', 'This link was used already, or is too old. Ask for a new one.');

const READ = sql('people/users/mailed-tokens.read')`
  select u.email, u.first_name, u.last_name
    from mailed_tokens t join users u on u.account_id = t.account_id and u.id = t.user_id
   where t.account_id = $1 and t.hash = $2 and t.purpose = $3 and t.expires_at > now()`;

/** Whose link it is, while it is good. */
export async function readToken(
  { db }: Pick<Reading, 'db'>,
  account: Account,
  token: string,
  purpose: Purpose,
): Promise<Chooser> {
  const [found] = await query<Omit<Chooser, 'account'>>(db, READ, [account.id, hashToken(token), purpose]);
  if (!found) throw lapsed();
  return { ...found, account: account.name };
}

const LOCK_USER = sql('people/users/mailed-tokens.lock_user')`
  select u.* from users u join mailed_tokens t on t.account_id = u.account_id and t.user_id = u.id
   where t.account_id = $1 and t.hash = $2 and t.email_folded = u.email_folded and u.disabled_at is null
     for update of u`;

const SPEND = sql('people/users/mailed-tokens.spend')`
  delete from mailed_tokens where account_id = $1 and hash = $2 and purpose = $3 and expires_at > now() returning hash`;

/** Spends the token, if it is still good and its address is still the user's. The user is locked first, as everywhere. */
async function spendToken({ db }: Work, account: Account, token: string, purpose: Purpose) {
  const hash = hashToken(token);
  const [user] = await query<Users>(db, LOCK_USER, [account.id, hash]);
  const [spent] = await query(db, SPEND, [account.id, hash, purpose]);
  // Who is in already does not enter by an old invitation.
  const late = purpose === 'invitation' && user?.accepted_at;
  if (!user || late || !spent) throw lapsed();
  return user;
}

type Chosen = { token: string; password: string; purpose: Purpose };

/** Before the transaction begins, and only for a link that is good. */
export async function preparePassword(
  pool: Pool,
  reading: Reading,
  actor: Actor,
  { token, password, purpose }: Chosen,
): Promise<string> {
  const takeBack = await throttleGuesses(pool, 'token', actor, token);
  const chooser = await readToken(reading, actor.account, token, purpose);
  await takeBack();
  return hashChosen(password, chooser, actor.address);
}

export type NewPassword = { token: string; hash: string; address: string; replaceKey?: boolean };

/** From here on the user counts, can sign in and has a personal key. */
export async function admitUser(work: Work, user: { account_id: number; id: number }, hash: string): Promise<void> {
  await setPassword(work, user, hash);
  const bearer = { accountId: user.account_id, userId: user.id };
  if (!(await hasKey(work, bearer))) await issueKey(work, bearer);
}

export async function acceptInvitation(work: Work, account: Account, { token, hash, address }: NewPassword) {
  const user = await spendToken(work, account, token, 'invitation');
  await admitUser(work, user, hash);
  await audit(work, { ...serviceActor(account, user.email), address }, 'user.accepted', user.email);
  return user;
}

/** Whoever else was signed in as this user is not any more, nor, if they wish, does a key work that others may have read. */
export async function resetPassword(
  work: Work,
  account: Account,
  { token, hash, address, replaceKey = false }: NewPassword,
) {
  const user = await spendToken(work, account, token, 'reset');
  const actor = { ...serviceActor(account, user.email), address };
  await setPassword(work, user, hash);
  await endSessions(work, account.id, user.id);
  await audit(work, actor, 'password.reset', user.email);
  if (replaceKey) await renewKey(work, actor, { accountId: account.id, userId: user.id });
  return user;
}

const SET_PASSWORD = sql('people/users/mailed-tokens.set_password')`
  update users set password_hash = $3, accepted_at = coalesce(accepted_at, now()), updated_at = now()
   where account_id = $1 and id = $2`;

/** Links to choose another end with it. */
export async function setPassword(work: Work, user: { account_id: number; id: number }, hash: string): Promise<void> {
  await query(work.db, SET_PASSWORD, [user.account_id, user.id, hash]);
  await withdrawTokens(work, user);
}

export const PAST_LINKS: Sweep = { table: 'mailed_tokens', past: 'expires_at < now()' };
