import { nameOf } from '../../../contract/names.ts';
import type { Colleague, Invitation, Person, PersonChange, User } from '../../../contract/users.ts';
import { mayGrant, ROLE_NAMES, ROLES, scopeOf, type Role } from '../../../contract/roles.ts';
import type { Users } from '../../../db/schema.ts';
import { audit } from '../../audit/audit.ts';
import { issueKey, revokeKeys } from '../keys/keys.ts';
import { assignLists, DELETED_LISTS } from '../../lists/people.ts';
import { NO_ROLES, type Actor } from '../../platform/actor.ts';
import { one, query } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { forbidden, HttpError, isUniqueViolation } from '../../platform/errors.ts';
import { beginOf, endOf, fillAnswer, refuseTooLarge, type Filling, type Page } from '../../platform/paging.ts';
import { invalid } from '../../platform/read.ts';
import type { Reading, Work } from '../../platform/work.ts';
import { endSessions } from '../sessions/sessions.ts';
import { userColumnsSql, type UserRow } from './acting.ts';
import { mailInvitation, noteShown, readInvitationLink, wasShown, withdrawTokens } from './mailed-tokens.ts';

type UserRecord = Users;

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

const CREATE = sql('people/users/users.create')`
  insert into users (account_id, email, email_folded, first_name, last_name, ${ROLES.join(', ')})
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning *`;

export async function createUser(work: Work, actor: Actor, invitation: Invitation['user']): Promise<UserRecord> {
  const { email: given, listing_ids = [], first_name = '', last_name = '' } = invitation;
  const email = checkEmail(given);
  const roles = ROLES.map((role) => invitation[role] ?? role === 'agent');
  const values = [actor.account.id, email, email.toLowerCase(), first_name, last_name, ...roles];
  const [created] = await query<UserRecord>(work.db, CREATE, values).catch((error: unknown) => {
    throw isUniqueViolation(error) ? invalid({ email: ['has already been taken'] }) : error;
  });
  const user = created!;
  await assignLists(work, actor, user.id, listing_ids);
  return user;
}

export const isEmail = (email: string): boolean =>
  email.length <= 254 && /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\].]+$/.test(email);

/** Trimmed, and plausible enough to send a mail to. */
export function checkEmail(text: string): string {
  const email = text.trim();
  if (!isEmail(email)) throw invalid({ email: ['is not a valid e-mail address'] });
  return email;
}

/** `and`: which of them. */
const people = (and = '', order = 'order by id') => `
  select u.*, array(select list_id from list_people p
                     where p.account_id = u.account_id and p.user_id = u.id and p.list_id not in ${DELETED_LISTS}
                     order by list_id) as listing_ids
    from users u where account_id = $1 ${and} ${order}`;
const PEOPLE = sql('people/users/users.people')`${people()}`;
const PERSON = sql('people/users/users.person')`${people('and id = $2')}`;
const ENABLED = sql('people/users/users.enabled')`${people('and disabled_at is null')}`;

type PersonRow = UserRecord & { listing_ids: number[] };

export async function listPeople({ db }: Reading, actor: Actor): Promise<Person[]> {
  return (await query<PersonRow>(db, PEOPLE, [actor.account.id])).map(toPerson);
}

const PAGE = sql('people/users/users.page')`${fillAnswer(
  `select p.*, 10 * cardinality(p.listing_ids) + 500 as bytes from (
     ${people('and ($2::bigint is null or id < $2)', 'order by id desc limit $3 offset $4')}) p`,
  'id desc',
)}`;
const COUNT = sql('people/users/users.count')`select count(*) as total from users where account_id = $1`;

/** Newest first. */
export async function listUsers({ db }: Reading, actor: Actor, page: Page) {
  const account = actor.account.id;
  const { before, offset } = beginOf(page);
  const [rows, [counted]] = await Promise.all([
    query<PersonRow & Filling>(db, PAGE, [account, before, page.size, offset]),
    query<{ total: number }>(db, COUNT, [account]),
  ]);
  refuseTooLarge(rows);
  return { json: JSON.stringify(rows.map(toPerson)), total: counted!.total, end: endOf(rows, page) };
}

const COLLEAGUES = sql('people/users/users.colleagues')`select * from users where account_id = $1 order by id`;

export async function listColleagues({ db }: Reading, actor: Actor): Promise<Colleague[]> {
  const rows = await query<UserRecord>(db, COLLEAGUES, [actor.account.id]);
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: nameOf(row),
    active: row.accepted_at !== null && row.disabled_at === null,
    assigns_lists: row.disabled_at === null && scopeOf(row, 'users.assign') !== undefined,
  }));
}

export async function readPerson({ db }: Reading, actor: Actor, id: number | undefined): Promise<Person> {
  const row = await one<PersonRow>(db, PERSON, [actor.account.id, id ?? 0]);
  return toPerson(row);
}

// What is not given stays as it is.
const CHANGE = sql('people/users/users.change')`
  update users u
     set (first_name, last_name, ${ROLES.join(', ')}, updated_at) =
         (select g.first_name, g.last_name, ${ROLES.map((role) => `g.${role}`).join(', ')}, now()
            from jsonb_populate_record(u, $3::jsonb) g)
   where account_id = $1 and id = $2`;

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
    await query(work.db, CHANGE, [user.account_id, user.id, JSON.stringify(rest)]);
    // Whoever was shown the link to hand over would be in with roles that they may not give.
    const gains = changed.some((role) => rest[role] && role !== 'agent');
    if (gains && !user.accepted_at && (await wasShown(work, user))) await inviteAnew(work, actor, user);
  }
  if (listing_ids) await assignLists(work, actor, user.id, listing_ids);
  await audit(work, actor, 'user.changed', user.email, change);
  return readPerson(work, actor, user.id);
}

const DISABLE = sql('people/users/users.disable')`
  update users set disabled_at = now(), updated_at = now() where account_id = $1 and id = $2`;
const ENABLE = sql('people/users/users.enable')`
  update users set disabled_at = null, updated_at = now() where account_id = $1 and id = $2`;

/** Ends keys and sessions at once. */
export async function disableUser(work: Work, actor: Actor, user: UserRecord): Promise<Person> {
  refuseOwner(actor, user);
  if (user.id === actor.user?.id) throw new HttpError(409, 'own_user', 'You cannot disable yourself.');
  // First, as it may take long, and rows that requests ask for should not be locked meanwhile.
  await work.userLeft(work, actor, user);
  await query(work.db, DISABLE, [user.account_id, user.id]);
  await endSessions(work, user.account_id, user.id);
  await revokeKeys(work, actor, { accountId: user.account_id, userId: user.id });
  await withdrawTokens(work, user);
  await audit(work, actor, 'user.disabled', user.email);
  return readPerson(work, actor, user.id);
}

export async function enableUser(work: Work, actor: Actor, user: UserRecord): Promise<Person> {
  refuseOwner(actor, user);
  if (user.disabled_at) {
    await query(work.db, ENABLE, [user.account_id, user.id]);
    // Disabling ended the key; whoever has accepted has one.
    if (user.accepted_at) await issueKey(work, { accountId: user.account_id, userId: user.id });
    await audit(work, actor, 'user.enabled', user.email);
  }
  return readPerson(work, actor, user.id);
}

const WITHDRAW = sql('people/users/users.withdraw')`delete from users where account_id = $1 and id = $2`;

/** Takes the invitation back and the user with it, who never was one. */
export async function withdrawInvitation(work: Work, actor: Actor, user: UserRecord): Promise<void> {
  refuseAccepted(user);
  await work.userLeft(work, actor, user);
  await withdrawTokens(work, user);
  await query(work.db, WITHDRAW, [user.account_id, user.id]);
  await audit(work, actor, 'invitation.withdrawn', user.email);
}

/** The link that is there ends in any case; where no more mails may go to the address today, whoever invites makes a new one tomorrow. */
const inviteAnew = (work: Work, actor: Actor, user: UserRecord): Promise<void> =>
  mailInvitation(work, actor, user).catch(async (error: unknown) => {
    if (!(error instanceof HttpError)) throw error;
    await withdrawTokens(work, user);
  });

export async function resendInvitation(work: Work, actor: Actor, user: UserRecord): Promise<void> {
  refuseAccepted(user);
  await mailInvitation(work, actor, user);
  await audit(work, actor, 'user.invited', user.email, { again: true });
}

/** Whoever has the link becomes that user, so it is for those alone who could have given the same roles. */
export async function showInvitation(work: Work, actor: Actor, user: UserRecord, sendsMail: boolean) {
  refuseAccepted(user);
  refuseOwner(actor, user);
  refuseRoles(
    actor,
    ROLES.filter((role) => user[role]),
  );
  const link = await readInvitationLink(work, actor, user, sendsMail);
  if (!actor.roles.owner) await noteShown(work, user);
  await audit(work, actor, 'invitation.shown', user.email);
  return { link };
}

function refuseAccepted(user: UserRecord): void {
  if (user.accepted_at)
    throw new HttpError(409, 'already_accepted', `${user.email} has accepted the invitation already.`);
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

const LOCK = sql('people/users/users.lock')`select * from users where account_id = $1 and id = $2 for update`;

/** Locked, so that two changes of one user follow each other. */
export async function findUser({ db }: Work, actor: Actor, id: number | undefined): Promise<UserRecord> {
  return one<UserRecord>(db, LOCK, [actor.account.id, id ?? 0]);
}

export async function readSubscription({ db }: Reading, actor: Actor) {
  const rows = await query<PersonRow>(db, ENABLED, [actor.account.id]);
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

function toPerson(row: PersonRow): Person {
  const { owner, agent, users_admin, lists_admin, analyst, supervisor, listing_ids } = row;
  const status = row.disabled_at ? 'disabled' : row.accepted_at ? 'active' : 'invited';
  return {
    ...toUser(row),
    location: `/api/v2/users/${row.id}`,
    owner,
    agent,
    users_admin,
    lists_admin,
    analyst,
    supervisor,
    status,
    listing_ids,
  };
}

const FIND_ACTOR = sql('people/users/users.find_actor')`
  select a.id as account_id, a.name, a.base_url, ${userColumnsSql}, u.disabled_at is null as active
    from users u join accounts a on a.id = u.account_id where u.account_id = $1 and u.id = $2`;

/** A user as they act later, in a job that carries them: with the roles they have by then. Whoever was disabled meanwhile has none. */
export async function findActor({ db }: Reading, accountId: number, userId: number, via: Actor['via']): Promise<Actor> {
  type Row = UserRow & { account_id: number; name: string; base_url: string; active: boolean };
  const [row] = await query<Row>(db, FIND_ACTOR, [accountId, userId]);
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
