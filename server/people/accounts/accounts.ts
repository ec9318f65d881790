import type { AccountChange } from '../../../contract/accounts.ts';
import { isCountry } from '../../../contract/places.ts';
import type { Accounts } from '../../../db/schema.ts';
import { audit } from '../../audit/audit.ts';
import { hasKey, issueKey } from '../keys/keys.ts';
import { settleAllLists } from '../../lists/jobs.ts';
import { lockShape } from '../../lists/shape-lock.ts';
import { NO_ROLES, serviceActor, type Account, type Actor } from '../../platform/actor.ts';
import { query } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { HttpError, isUniqueViolation } from '../../platform/errors.ts';
import { readOrigin } from '../../platform/origin.ts';
import { invalid, type Faults } from '../../platform/read.ts';
import type { Reading, Work } from '../../platform/work.ts';
import { endSessions } from '../sessions/sessions.ts';
import { withdrawTokens } from '../users/mailed-tokens.ts';
import { checkEmail } from '../users/users.ts';
import { findAccount } from './find.ts';

/** What an account is called that was made without asking anybody. */
export const UNNAMED = 'Leadline';

export type Owner = { email: string; passwordHash: string; firstName?: string; lastName?: string };
export type NewAccount = { name: string; baseUrl: string; apiKey?: string };

// Two first runs, or two nodes with OWNER_EMAIL set, must not both find the database empty.
const FIRST_RUN_LOCK = 4_951_002;

function tellTakenHost(error: unknown): never {
  throw isUniqueViolation(error) ? invalid({ base_url: ['belongs to another account'] }) : error;
}

const CREATE = sql('people/accounts/accounts.create')`
  insert into accounts (name, base_url, host) values ($1, $2, $3) returning id`;

/** Makes the account and its key. */
export async function createAccount(
  work: Work,
  { name, baseUrl, apiKey }: NewAccount,
  by = 'command line',
  address = '',
): Promise<Account> {
  const host = hostOf(baseUrl);
  const [created] = await query<{ id: number }>(work.db, CREATE, [name, baseUrl, host]).catch(tellTakenHost);
  const { id } = created!;
  const account = { id, name, baseUrl };
  await issueKey(work, { accountId: id, userId: null }, apiKey);
  await audit(work, { ...serviceActor(account, by), address }, 'account.created', name);
  return account;
}

/**
 * The account and the person to begin with. An account that the command line made, and that nobody can enter yet, is taken over; someone
 * who was invited already becomes its owner.
 */
export async function setUp(
  work: Work,
  existing: Account | undefined,
  { name, baseUrl, apiKey }: NewAccount,
  owner: Owner,
  address = '',
) {
  if (!existing) {
    const account = await createAccount(work, { name, baseUrl, ...(apiKey && { apiKey }) }, owner.email, address);
    return { account, user: await createOwner(work, account, owner) };
  }
  // Beside other accounts the operator has decided where this one answers.
  const taken = (await isAlone(work, existing)) ? { name, base_url: baseUrl } : { name };
  const { base_url } = await rename(work, { ...serviceActor(existing, owner.email), address }, taken);
  return { account: { ...existing, name, baseUrl: base_url }, user: await createOwner(work, existing, owner) };
}

const OTHERS = sql('people/accounts/accounts.others')`select from accounts where id <> $1 limit 1`;

/** Hosts are what tells accounts apart: beside others, the operator decides who answers where. */
export async function isAlone({ db }: Pick<Reading, 'db'>, account: Account): Promise<boolean> {
  return (await query(db, OTHERS, [account.id])).length === 0;
}

const CREATE_OWNER = sql('people/accounts/accounts.create_owner')`
  insert into users (account_id, email, email_folded, first_name, last_name, password_hash, owner, accepted_at)
  values ($1, $2, $3, $4, $5, $6, true, now())
  on conflict (account_id, email_folded) do update
     set first_name = excluded.first_name, last_name = excluded.last_name, password_hash = excluded.password_hash,
         owner = true, accepted_at = now(), disabled_at = null
  returning id`;

async function createOwner(
  work: Work,
  account: Account,
  { email, passwordHash, firstName = '', lastName = '' }: Owner,
) {
  const folded = email.trim().toLowerCase();
  const values = [account.id, checkEmail(email), folded, firstName, lastName, passwordHash];
  const [created] = await query<{ id: number }>(work.db, CREATE_OWNER, values);
  const { id } = created!;
  const bearer = { accountId: account.id, userId: id };
  if (!(await hasKey(work, bearer))) await issueKey(work, bearer);
  // Someone invited, or already in, becomes the owner: earlier ways in end.
  await withdrawTokens(work, { account_id: account.id, id });
  await endSessions(work, account.id, id);
  return { id, email };
}

const LOCK = sql('people/accounts/accounts.lock')`select pg_advisory_xact_lock($1)`;

/** Serialises first runs. Look for the account only after it: another may just have made one. */
export async function lockFirstRun({ db }: Pick<Work, 'db'>): Promise<void> {
  await query(db, LOCK, [FIRST_RUN_LOCK]);
}

const LOCK_ONE = sql('people/accounts/accounts.lock_one')`
  select from accounts where id = $1 for no key update`;

/** What is done once for an account waits for whoever is doing it. */
export async function lockAccount({ db }: Pick<Work, 'db'>, { id }: Account): Promise<void> {
  await query(db, LOCK_ONE, [id]);
}

const OWNERS = sql('people/accounts/accounts.owners')`select from users where account_id = $1 and owner limit 1`;

export async function hasOwner(db: Reading['db'], account: Account | undefined): Promise<boolean> {
  if (!account) return false;
  return (await query(db, OWNERS, [account.id])).length > 0;
}

/** Someone at the door of an account who has not said who they are. */
export async function nobody(reading: Pick<Reading, 'db'>, host: string, address: string): Promise<Actor> {
  const account = await findAccount(reading, host);
  if (!account)
    throw new HttpError(409, 'no_account', 'There is no account yet. The console shows a link to make one.');
  return { account, roles: NO_ROLES, via: 'app', address, name: 'nobody' };
}

export const hostOf = (baseUrl: string) => new URL(baseUrl).host.toLowerCase();

type AccountRow = Omit<Accounts, 'host' | 'updated_at'>;

const READ = sql('people/accounts/accounts.read')`
  select id, name, base_url, country, time_zone, claim_on_win, claim_on_schedule, claim_on_put_off, claim_lapse_days,
         caller_number, caller_name, record_calls, announce_recording, recordings_keep_days, away_reasons,
         most_automated_calls,
         most_calls_a_number, most_texts_a_number, most_calls_a_day, most_texts_a_day, created_at
    from accounts where id = $1`;

export async function readAccount({ db }: Reading, actor: Actor) {
  const [account] = await query<AccountRow>(db, READ, [actor.account.id]);
  return { ...account!, created_at: account!.created_at.toISOString() };
}

export async function changeAccount(work: Work, actor: Actor, change: AccountChange['account']) {
  if (change.base_url !== undefined && !(await isAlone(work, actor.account))) {
    throw invalid({ base_url: ['is set by the operator where there are several accounts'] });
  }
  return rename(work, actor, change);
}

// What is not given stays as it is.
const CHANGE = sql('people/accounts/accounts.change')`
  update accounts a
     set (name, base_url, host, country, time_zone, claim_on_win, claim_on_schedule, claim_on_put_off, claim_lapse_days,
          caller_number, caller_name, record_calls, announce_recording, recordings_keep_days, most_automated_calls,
          most_calls_a_number, most_texts_a_number, most_calls_a_day, most_texts_a_day, away_reasons, updated_at) =
         (select g.name, g.base_url, g.host, g.country, g.time_zone, g.claim_on_win, g.claim_on_schedule,
           g.claim_on_put_off,
                 g.claim_lapse_days, g.caller_number, g.caller_name, g.record_calls, g.announce_recording,
                 g.recordings_keep_days,
                 g.most_automated_calls, g.most_calls_a_number, g.most_texts_a_number, g.most_calls_a_day,
                 g.most_texts_a_day, g.away_reasons,
                 now() from jsonb_populate_record(a, $2::jsonb) g)
   where id = $1`;

async function rename(work: Work, actor: Actor, change: AccountChange['account']) {
  const { base_url, country, time_zone, ...rest } = change;
  const faults: Faults = {};
  if (country !== undefined && !isCountry(country))
    faults.country = ['must be a country, by its two capital letters, such as DK'];
  if (time_zone !== undefined && !isTimeZone(time_zone))
    faults.time_zone = ['must be a time zone such as Europe/Copenhagen'];
  const origin = base_url === undefined ? undefined : readOrigin(base_url);
  if (base_url !== undefined && !origin) faults.base_url = ['must be an http(s) address without a path'];
  if (Object.keys(faults).length > 0) throw invalid(faults);
  const given = {
    ...rest,
    ...(country && { country }),
    ...(time_zone && { time_zone }),
    ...(origin && { base_url: origin, host: hostOf(origin) }),
  };
  const isElsewhere = country !== undefined && country !== (await readAccount(work, actor)).country;
  // Numbers of leads are read by the country, of those that are just being written, too.
  if (isElsewhere) await lockShape(work.db, actor.account.id);
  await query(work.db, CHANGE, [actor.account.id, JSON.stringify(given)]).catch(tellTakenHost);
  if (isElsewhere) await settleAllLists(work, actor, 'The country of the account has changed.');
  await audit(work, actor, 'account.changed', actor.account.name, change);
  return readAccount(work, actor);
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
