import { sql, type Selectable } from 'kysely';
import { nameOf } from '../../../contract/names.ts';
import type { Colleague, Invitation, Person, PersonChange, User } from '../../../contract/users.ts';
import { mayGrant, ROLE_NAMES, ROLES, scopeOf, type Role } from '../../../contract/roles.ts';
import type { Users } from '../../../db/schema.ts';
import { audit } from '../../audit/audit.ts';
import { issueKey, revokeKeys } from '../keys/keys.ts';
import { assignLists } from '../../lists/people.ts';
import { NO_ROLES, type Actor } from '../../platform/actor.ts';
import { query } from '../../platform/db.ts';
import { forbidden, HttpError, isUniqueViolation, notFound } from '../../platform/errors.ts';
import { invalid } from '../../platform/read.ts';
import type { Reading, Work } from '../../platform/work.ts';
import { endSessions } from '../sessions/sessions.ts';
import { userColumnsSql, type UserRow } from './acting.ts';
import { mailInvitation, withdrawTokens } from './mailed-tokens.ts';

type UserRecord = Selectable<Users>;

/** Makes the user and mails an invitation. Until it is accepted the user cannot sign in, has no key and does not count. */
export async function inviteUser(work: Work, actor: Actor, invitation: Invitation['user']): Promise<User> {
  refuseRoles(
    actor,
    ROLES.filter((role) => role !== 'agent' && invitation[role]),
  );
  const user = await createUser(work, actor, invitation);
  await mailInvitation(work, actor, user);
  const { email: _, ...rest } = invitation;
  await audit(work, actor, 'user.invited', user.email, rest);
  return toUser(user);
}

export async function createUser(work: Work, actor: Actor, invitation: Invitation['user']): Promise<UserRecord> {
  const { email: given, listing_ids = [], ...rest } = invitation;
  const email = checkEmail(given);
  const user = await work.db
    .insertInto('users')
    .values({ account_id: actor.account.id, email, email_folded: email.toLowerCase(), ...rest })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? invalid({ email: ['has already been taken'] }) : error;
    });
  await assignLists(work, actor, user.id, listing_ids);
  return user;
}

/** Trimmed, and plausible enough to send a mail to. */
export function checkEmail(text: string): string {
  const email = text.trim();
  if (email.length > 254 || !/^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\].]+$/.test(email)) {
    throw invalid({ email: ['is not a valid e-mail address'] });
  }
  return email;
}

const people = (db: Reading['db'], actor: Actor) =>
  db
    .selectFrom('users')
    .selectAll()
    .select(
      sql<number[]>`array(select list_id::int8 from list_people p
        where p.account_id = users.account_id and p.user_id = users.id order by list_id)`.as('listing_ids'),
    )
    .where('account_id', '=', actor.account.id);

export async function listPeople({ db }: Reading, actor: Actor): Promise<Person[]> {
  return (await people(db, actor).orderBy('id').execute()).map(toPerson);
}

export async function listColleagues({ db }: Reading, actor: Actor): Promise<Colleague[]> {
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where('account_id', '=', actor.account.id)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: nameOf(row),
    active: row.accepted_at !== null && row.disabled_at === null,
    assigns_lists: row.disabled_at === null && scopeOf(row, 'users.assign') !== undefined,
  }));
}

export async function readPerson({ db }: Reading, actor: Actor, id: number | undefined): Promise<Person> {
  const row = await people(db, actor)
    .where('id', '=', id ?? 0)
    .executeTakeFirst();
  if (!row) throw notFound();
  return toPerson(row);
}

/** Roles, names, lists. Data managers may assign lists and nothing else. */
export async function changePerson(
  work: Work,
  actor: Actor,
  user: UserRecord,
  change: PersonChange['user'],
): Promise<Person> {
  const { listing_ids, ...rest } = change;
  refuseOwner(actor, user);
  if (Object.keys(rest).length > 0) {
    if (!scopeOf(actor.roles, 'users.manage')) throw forbidden('Your role may assign lists, but not change people.');
    const changed = ROLES.filter((role) => (rest[role] ?? user[role]) !== user[role]);
    if (changed.length > 0 && user.id === actor.user?.id)
      throw forbidden('Nobody changes their own roles. Ask another user manager, or an owner.');
    refuseRoles(actor, changed);
    await work.db
      .updateTable('users')
      .set({ ...rest, updated_at: sql<Date>`now()` })
      .where('account_id', '=', user.account_id)
      .where('id', '=', user.id)
      .execute();
  }
  if (listing_ids) await assignLists(work, actor, user.id, listing_ids);
  await audit(work, actor, 'user.changed', user.email, change);
  return readPerson(work, actor, user.id);
}

/** Ends keys and sessions at once. */
export async function disableUser(work: Work, actor: Actor, user: UserRecord): Promise<Person> {
  refuseOwner(actor, user);
  if (user.id === actor.user?.id) throw new HttpError(409, 'own_user', 'You cannot disable yourself.');
  await setDisabled(work, user, sql<Date>`now()`);
  await endSessions(work, user.account_id, user.id);
  await revokeKeys(work, actor, { accountId: user.account_id, userId: user.id });
  await withdrawTokens(work, user);
  await work.userLeft(work, actor, user);
  await audit(work, actor, 'user.disabled', user.email);
  return readPerson(work, actor, user.id);
}

export async function enableUser(work: Work, actor: Actor, user: UserRecord): Promise<Person> {
  refuseOwner(actor, user);
  if (user.disabled_at) {
    await setDisabled(work, user, null);
    // Disabling ended the key; whoever has accepted has one.
    if (user.accepted_at) await issueKey(work, { accountId: user.account_id, userId: user.id });
    await audit(work, actor, 'user.enabled', user.email);
  }
  return readPerson(work, actor, user.id);
}

const setDisabled = (
  { db }: Work,
  { account_id, id }: UserRecord,
  disabled_at: Date | null | ReturnType<typeof sql<Date>>,
) =>
  db
    .updateTable('users')
    .set({ disabled_at, updated_at: sql<Date>`now()` })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .execute();

/** Takes the invitation back and the user with it, who never was one. */
export async function withdrawInvitation(work: Work, actor: Actor, user: UserRecord): Promise<void> {
  if (user.accepted_at)
    throw new HttpError(409, 'already_accepted', `${user.email} has accepted the invitation already.`);
  await work.userLeft(work, actor, user);
  await work.db.deleteFrom('users').where('account_id', '=', user.account_id).where('id', '=', user.id).execute();
  await audit(work, actor, 'invitation.withdrawn', user.email);
}

export async function resendInvitation(work: Work, actor: Actor, user: UserRecord): Promise<void> {
  if (user.accepted_at)
    throw new HttpError(409, 'already_accepted', `${user.email} has accepted the invitation already.`);
  await mailInvitation(work, actor, user);
  await audit(work, actor, 'user.invited', user.email, { again: true });
}

function refuseOwner(actor: Actor, user: UserRecord): void {
  if (user.owner && !actor.roles.owner) throw forbidden('Only an owner may change an owner.');
}

/** Roles that the actor may neither give nor take. */
function refuseRoles({ roles }: Actor, changed: Role[]): void {
  const beyond = changed.filter((role) => !mayGrant(roles, role)).map((role) => ROLE_NAMES[role]);
  if (beyond.length === 0) return;
  throw forbidden(`Only an owner, or someone who has the role, may give or take it: ${beyond.join(', ')}.`);
}

/** Locked, so that two changes of one user follow each other. */
export async function findUser({ db }: Work, actor: Actor, id: number | undefined): Promise<UserRecord> {
  const find = db.selectFrom('users').selectAll().where('account_id', '=', actor.account.id);
  const user = await find
    .where('id', '=', id ?? 0)
    .forUpdate()
    .executeTakeFirst();
  if (!user) throw notFound();
  return user;
}

export async function readSubscription({ db }: Reading, actor: Actor) {
  const rows = await people(db, actor).where('disabled_at', 'is', null).orderBy('id').execute();
  return {
    counted: rows.filter(({ accepted_at }) => accepted_at).map(toUser),
    pending: rows.filter(({ accepted_at }) => !accepted_at).map(toUser),
  };
}

const toUser = ({ id, first_name, last_name, email, created_at, updated_at }: UserRecord): User => ({
  id,
  first_name,
  last_name,
  email,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

function toPerson(row: UserRecord & { listing_ids: number[] }): Person {
  const { owner, agent, users_admin, lists_admin, analyst, supervisor, listing_ids } = row;
  const status = row.disabled_at ? 'disabled' : row.accepted_at ? 'active' : 'invited';
  return {
    ...toUser(row),
    owner,
    agent,
    users_admin,
    lists_admin,
    analyst,
    supervisor,
    status,
    listing_ids: listing_ids.map(Number),
  };
}

/** A user as they act later, in a job that carries them: with the roles they have by then. Whoever was disabled meanwhile has none. */
export async function findActor({ db }: Reading, accountId: number, userId: number, via: Actor['via']): Promise<Actor> {
  const text = `
    select a.id as account_id, a.name, a.base_url, ${userColumnsSql}, u.disabled_at is null as active
      from users u join accounts a on a.id = u.account_id where u.account_id = $1 and u.id = $2`;
  type Row = UserRow & { account_id: number; name: string; base_url: string; active: boolean };
  const [row] = await query<Row>(db, text, [accountId, userId]);
  const { account_id: id, name, base_url: baseUrl, active, email, ...roles } = row!;
  return {
    account: { id, name, baseUrl },
    user: { id: userId, email },
    roles: active ? roles : NO_ROLES,
    via,
    address: '',
    name: email,
  };
}
