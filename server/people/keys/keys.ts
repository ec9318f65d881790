import { audit } from '../../audit/audit.ts';
import type { Actor } from '../../platform/actor.ts';
import { one, query } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { hashToken, makeToken } from '../../platform/secrets.ts';
import type { Reading, Work } from '../../platform/work.ts';
import type { Sweep } from '../../platform/sweep.ts';

/** Whose key: the account's, or a user's. */
export type Bearer = { accountId: number; userId: number | null };

export const accountKey = ({ account }: Actor): Bearer => ({ accountId: account.id, userId: null });
export const personalKey = ({ account, user }: Actor): Bearer => {
  if (!user) throw notFound();
  return { accountId: account.id, userId: user.id };
};

const ISSUE = sql('people/keys/keys.issue')`
  insert into api_keys (hash, account_id, user_id, sealed) values ($1, $2, $3, $4)`;

/** Gives the bearer its first key, random unless one is given. */
export async function issueKey(work: Work, { accountId, userId }: Bearer, given?: string): Promise<string> {
  const key = given ?? `${userId === null ? 'll_acct' : 'll_user'}_${makeToken()}`;
  await query(work.db, ISSUE, [hashToken(key), accountId, userId, work.secrets.seal(key)]);
  return key;
}

const OF_HOLDER = 'from api_keys where account_id = $1 and user_id is not distinct from $2::bigint';
const READ = sql('people/keys/keys.read')`select sealed ${OF_HOLDER} and expires_at is null`;

/** The key itself, for its bearer. */
export async function readKey({ db, secrets }: Reading, { accountId, userId }: Bearer): Promise<string | undefined> {
  const [row] = await query<{ sealed: Buffer }>(db, READ, [accountId, userId]);
  return row && secrets.open(row.sealed);
}

/** Without opening it: it may lie under a SECRET_KEY that is lost, and still works. */
export async function hasKey({ db }: Pick<Reading, 'db'>, { accountId, userId }: Bearer): Promise<boolean> {
  return (await query(db, READ, [accountId, userId])).length > 0;
}

export async function showKey(work: Work, actor: Actor, bearer: Bearer): Promise<string> {
  const key = await readKey(work, bearer);
  if (!key) throw notFound();
  await audit(work, actor, 'key.shown', nameKey(bearer));
  return key;
}

const DESCRIBE = sql('people/keys/keys.describe')`
  select created_at, last_used_at, expires_at ${OF_HOLDER} and (expires_at is null or expires_at > now())
   order by created_at desc`;

type Dates = { created_at: Date; last_used_at: Date | null; expires_at: Date | null };

export async function describeKey({ db }: Reading, { accountId, userId }: Bearer) {
  const keys = await query<Dates>(db, DESCRIBE, [accountId, userId]);
  const current = keys.find(({ expires_at }) => !expires_at);
  if (!current) throw notFound();
  const old = keys.find(({ expires_at }) => expires_at);
  return {
    created_at: current.created_at.toISOString(),
    last_used_at: current.last_used_at?.toISOString() ?? null,
    old_until: old?.expires_at?.toISOString() ?? null,
  };
}

/** A new key; the old one ends now, or in a day so that clients can be changed over. */
export async function replaceKey(work: Work, actor: Actor, bearer: Bearer, keepOld: boolean): Promise<string> {
  await lockHolder(work, bearer);
  await revokeKey(work, bearer, keepOld ? '24 hours' : '0');
  const key = await issueKey(work, bearer);
  await audit(work, actor, 'key.replaced', nameKey(bearer), { kept_old: keepOld });
  return key;
}

/** Replaced together with the password. Whoever has ended theirs is not given another. */
export async function renewKey(work: Work, actor: Actor, bearer: Bearer): Promise<void> {
  if (await hasKey(work, bearer)) await replaceKey(work, actor, bearer, false);
}

const LOCK_ACCOUNT = sql('people/keys/keys.lock_account')`select id from accounts where id = $1 for update`;
const LOCK_USER = sql('people/keys/keys.lock_user')`
  select id from users where account_id = $1 and id = $2 and disabled_at is null for update`;

/** Two replacements of one key follow each other; a user disabled meanwhile gets none. */
async function lockHolder({ db }: Work, { accountId, userId }: Bearer): Promise<void> {
  await (userId === null ? one(db, LOCK_ACCOUNT, [accountId]) : one(db, LOCK_USER, [accountId, userId]));
}

// Older ones that still had a while to go end with it: at most one old key works.
const REVOKE = sql('people/keys/keys.revoke')`
  update api_keys set expires_at = case when expires_at is null then now() + $3::interval else now() end
   where account_id = $1 and user_id is not distinct from $2::bigint and (expires_at is null or expires_at > now())`;

async function revokeKey({ db }: Work, { accountId, userId }: Bearer, after: string): Promise<void> {
  await query(db, REVOKE, [accountId, userId, after]);
}

/** Ends the bearer's keys, old ones included. */
export async function revokeKeys(work: Work, actor: Actor, bearer: Bearer): Promise<void> {
  await revokeKey(work, bearer, '0');
  await audit(work, actor, 'key.revoked', nameKey(bearer));
}

const nameKey = ({ userId }: Bearer) => (userId === null ? 'account key' : `personal key of user ${userId}`);

export const PAST_KEYS: Sweep = { table: 'api_keys', past: `expires_at < now() - interval '30 days'` };
