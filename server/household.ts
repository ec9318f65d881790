import { randomBytes } from 'node:crypto';
import { readPrivateFile } from '../db/embedded/cluster.ts';
import type { OpenDatabase } from '../db/open.ts';
import { Refusal } from '../db/refusal.ts';
import { createAccount, findAccount, isFirstRun, setUp } from './accounts/accounts.ts';
import type { Config } from './config.ts';
import { readKey } from './keys/keys.ts';
import type { Db, Pool } from './platform/db.ts';
import { HttpError } from './platform/errors.ts';
import type { Log } from './platform/log.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Transact } from './platform/work.ts';

/** What a started process has at hand. */
export type Household = { pool: Pool; db: Db; secrets: Secrets; transact: Transact };

/** Configured, or, beside the embedded database, made once and kept in its folder. */
export function readSecretKey({ secretKey }: Config, { embedded }: OpenDatabase): string {
  if (secretKey) return secretKey;
  return readPrivateFile(embedded!.home.folder, 'secret', () => randomBytes(32).toString('base64url'));
}

const FIRST_NAME = 'Leadline';

/** OWNER_EMAIL and OWNER_PASSWORD make the account and its owner without a browser, where there is none yet. */
export async function makeOwner(
  transact: Transact,
  { owner, baseUrl, accountApiKey }: Config,
  log: Log,
): Promise<void> {
  const made = await transact(async (work) => {
    if (!(await isFirstRun(work))) return false;
    await setUp(work, { name: FIRST_NAME, baseUrl, ...(accountApiKey && { apiKey: accountApiKey }) }, owner!);
    return true;
  });
  if (made) log.info('The account and its owner were made from OWNER_EMAIL and OWNER_PASSWORD');
  else log.info('OWNER_EMAIL, OWNER_PASSWORD and ACCOUNT_API_KEY are ignored: there is an owner already');
}

/** The key of the first account, made with it where there is none. */
export function printKey(transact: Transact, { baseUrl, accountApiKey }: Config): Promise<string> {
  return transact(async (work) => {
    await isFirstRun(work);
    const account =
      (await findAccount(work, '')) ??
      (await createAccount(work, { name: FIRST_NAME, baseUrl, ...(accountApiKey && { apiKey: accountApiKey }) }));
    return (await readKey(work, { accountId: account.id, userId: null }))!;
  });
}

/** One more account beside the first, with an address of its own. Returns its key. */
export async function addAccount(
  transact: Transact,
  { name, baseUrl }: { name: string; baseUrl: string },
): Promise<string> {
  try {
    return await transact(async (work) => {
      const { id } = await createAccount(work, { name: name.trim(), baseUrl });
      return (await readKey(work, { accountId: id, userId: null }))!;
    });
  } catch (error) {
    throw error instanceof HttpError ? new Refusal(error.message) : error;
  }
}
