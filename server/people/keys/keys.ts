import { sql } from 'kysely';
import { audit } from '../../audit/audit.ts';
import type { Actor } from '../../platform/actor.ts';
import { notFound } from '../../platform/errors.ts';
import { hashToken, makeToken } from '../../platform/secrets.ts';
import type { Reading, Work } from '../../platform/work.ts';
import type { Sweep } from '../../platform/sweep.ts';

/** Whose key: the account's, or a user's. */
export type Holder = { accountId: number; userId: number | null };

export const accountKey = ({ account }: Actor): Holder => ({ accountId: account.id, userId: null });
export const personalKey = ({ account, user }: Actor): Holder => {
  if (!user) throw notFound();
  return { accountId: account.id, userId: user.id };
};

/** Gives the holder its first key, random unless one is given. */
export async function issueKey(work: Work, { accountId, userId }: Holder, given?: string): Promise<string> {
  const key = given ?? `${userId === null ? 'll_acct' : 'll_user'}_${makeToken()}`;
  await work.db
    .insertInto('api_keys')
    .values({ hash: hashToken(key), account_id: accountId, user_id: userId, sealed: work.secrets.seal(key) })
    .execute();
  return key;
}

const currentKeys = (db: Reading['db'], { accountId, userId }: Holder) =>
  db
    .selectFrom('api_keys')
    .where('account_id', '=', accountId)
    .where((where) => (userId === null ? where('user_id', 'is', null) : where('user_id', '=', userId)));

/** The key itself, for its holder. */
export async function readKey({ db, secrets }: Reading, holder: Holder): Promise<string | undefined> {
  const row = await currentKeys(db, holder).select('sealed').where('expires_at', 'is', null).executeTakeFirst();
  return row && secrets.open(row.sealed);
}

export async function showKey(work: Work, actor: Actor, holder: Holder): Promise<string> {
  const key = await readKey(work, holder);
  if (!key) throw notFound();
  await audit(work, actor, 'key.shown', nameKey(holder));
  return key;
}

export async function describeKey({ db }: Reading, holder: Holder) {
  const keys = await currentKeys(db, holder)
    .select(['created_at', 'last_used_at', 'expires_at'])
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .orderBy('created_at', 'desc')
    .execute();
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
export async function replaceKey(work: Work, actor: Actor, holder: Holder, keepOld: boolean): Promise<string> {
  await lockHolder(work, holder);
  await revokeKey(work, holder, keepOld ? '24 hours' : '0');
  const key = await issueKey(work, holder);
  await audit(work, actor, 'key.replaced', nameKey(holder), { kept_old: keepOld });
  return key;
}

/** Replaced together with the password. Whoever has ended theirs is not given another. */
export async function renewKey(work: Work, actor: Actor, holder: Holder): Promise<void> {
  if (await readKey(work, holder)) await replaceKey(work, actor, holder, false);
}

/** Two replacements of one key follow each other; a user disabled meanwhile gets none. */
async function lockHolder({ db }: Work, { accountId, userId }: Holder): Promise<void> {
  const found =
    userId === null
      ? await db.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().executeTakeFirst()
      : await db
          .selectFrom('users')
          .select('id')
          .where('account_id', '=', accountId)
          .where('id', '=', userId)
          .where('disabled_at', 'is', null)
          .forUpdate()
          .executeTakeFirst();
  if (!found) throw notFound();
}

async function revokeKey({ db }: Work, { accountId, userId }: Holder, after: string): Promise<void> {
  // Older ones that still had a while to go end with it: at most one old key works.
  await sql`
    update api_keys set expires_at = case when expires_at is null then now() + ${after}::interval else now() end
     where account_id = ${accountId} and user_id is not distinct from ${userId} and (expires_at is null or expires_at > now())`.execute(
    db,
  );
}

/** Ends the holder's keys, old ones included. */
export async function revokeKeys(work: Work, actor: Actor, holder: Holder): Promise<void> {
  await revokeKey(work, holder, '0');
  await audit(work, actor, 'key.revoked', nameKey(holder));
}

const nameKey = ({ userId }: Holder) => (userId === null ? 'account key' : `personal key of user ${userId}`);

export const PAST_KEYS: Sweep = { table: 'api_keys', past: `expires_at < now() - interval '30 days'` };
