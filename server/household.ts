import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateFile } from '../db/embedded/cluster.ts';
import type { OpenDatabase } from '../db/open.ts';
import { Refusal } from '../db/refusal.ts';
import { createAccount, hasOwner, hostOf, lockFirstRun, setUp, UNNAMED } from './people/accounts/accounts.ts';
import { findAccount } from './people/accounts/find.ts';
import { isUnsealed, noKey, openSecrets } from './canary.ts';
import type { Config } from './config.ts';
import { firstRunLink } from './door/first-run.ts';
import { readKey } from './people/keys/keys.ts';
import type { Account } from './platform/actor.ts';
import type { Database, Db, Pool } from './platform/db.ts';
import { HttpError } from './platform/errors.ts';
import type { Log } from './platform/log.ts';
import { hashPassword } from './platform/passwords.ts';
import type { Secrets } from './platform/secrets.ts';
import { faultIn } from './people/users/choose-password.ts';
import type { Transact, Work } from './platform/work.ts';
import type { Recordings } from './settings.ts';

/** What a started process has at hand. */
export type Household = { pool: Pool; db: Database; secrets: Secrets; transact: Transact; incoming: string };

/** Configured, or, beside the embedded database, made once and kept in its folder. */
export function readSecretKey({ secretKey }: Config, { embedded }: OpenDatabase): string {
  if (secretKey) return secretKey;
  return readPrivateFile(embedded!.home.folder, 'secret', () => randomBytes(32).toString('base64url'));
}

/** The secrets of this installation, under a key that is made where nothing is sealed yet. */
export async function unseal(db: Db, config: Config, database: OpenDatabase): Promise<Secrets> {
  if (!config.secretKey && !(await isUnsealed(db))) {
    // Looked for after that: whoever made the key has written the file before they sealed anything.
    const file = join(database.embedded!.home.folder, 'secret');
    if (!existsSync(file)) throw noKey(file);
  }
  return openSecrets(db, readSecretKey(config, database));
}

/** Configured, or beside the database that comes along, or else in the data folder. */
export const placeRecordings = ({ recordings, dataDir }: Config, { embedded }: OpenDatabase): Recordings =>
  recordings ?? { folder: join(embedded?.home.folder ?? dataDir.path, 'recordings') };

/**
 * Where they wait until they are stored. A store of its own may be full, read-only or away: then they are kept in the data folder. Never where
 * others could make it before us.
 */
export function placeIncoming({ recordings, dataDir }: Config, { embedded }: OpenDatabase): string {
  const home = embedded?.home.folder ?? dataDir.path;
  return recordings ? join(home, 'incoming') : join(home, 'recordings', 'incoming');
}

/** OWNER_EMAIL and OWNER_PASSWORD make the account and its owner without a browser, on an empty database. */
export async function makeOwner(
  transact: Transact,
  { owner, baseUrl, accountApiKey }: Config,
  log: Log,
): Promise<void> {
  const { email, password } = owner!;
  const ignore = () =>
    log.info('OWNER_EMAIL, OWNER_PASSWORD and ACCOUNT_API_KEY are ignored: there is an account already');
  // A password that is in use is not judged.
  if (await transact((work) => findAccount(work, ''))) return ignore();
  const fault = await faultIn(password, { account: UNNAMED, email });
  if (fault) throw new Refusal(`OWNER_PASSWORD ${fault}.`);
  const passwordHash = await hashPassword(password);
  const made = await transact(async (work) => {
    await lockFirstRun(work);
    if (await findAccount(work, '')) return false;
    const account = { name: UNNAMED, baseUrl, ...(accountApiKey && { apiKey: accountApiKey }) };
    await setUp(work, undefined, account, { email, passwordHash });
    return true;
  });
  if (made) log.info('The account and its owner were made from OWNER_EMAIL and OWNER_PASSWORD');
  else ignore();
}

/** The key of the first account, made with it where there is none. */
export function printKey(transact: Transact, { baseUrl, accountApiKey }: Config): Promise<string> {
  return transact(async (work) => {
    await lockFirstRun(work);
    const account =
      (await findAccount(work, '')) ??
      (await createAccount(work, { name: UNNAMED, baseUrl, ...(accountApiKey && { apiKey: accountApiKey }) }));
    return tellKey(work, account);
  });
}

async function tellKey(work: Work, account: Account): Promise<string> {
  const key = await readKey(work, { accountId: account.id, userId: null });
  if (key) return key;
  throw new Refusal('The account key was revoked. An owner can make a new one: POST /app/keys/account/replace.');
}

/**
 * One more account beside the first, with an address of its own. Asked for again, what nobody has entered yet is told again: whoever was cut off
 * before they read its key and link has no other way to them.
 */
export async function addAccount(transact: Transact, { name: given, baseUrl }: { name: string; baseUrl: string }) {
  const name = given.trim();
  try {
    return await transact(async (work) => {
      const there = await findAccount(work, hostOf(baseUrl));
      const isSame = there?.name === name && there.baseUrl === baseUrl && !(await hasOwner(work.db, there));
      const account = isSame ? there : await createAccount(work, { name, baseUrl });
      return { key: await tellKey(work, account), link: await firstRunLink(work, account, baseUrl) };
    });
  } catch (error) {
    throw error instanceof HttpError ? new Refusal(error.message) : error;
  }
}
