import type { Doing } from '../../../contract/calls.ts';
import type { Actor } from '../../platform/actor.ts';
import { query, type Db } from '../../platform/db.ts';
import { invalid } from '../../platform/read.ts';
import { sql } from '../../platform/sql.ts';
import type { Reading, Work } from '../../platform/work.ts';

/** What agents do from when to when, as their pages tell it, and whether they are away. */

const REASONS = sql('people/users/presence.reasons')`select away_reasons from accounts where id = $1`;

// Whoever names another reason is away since then.
const SET = sql('people/users/presence.set')`
  update users set away_reason = $3::text, away_since = case when $3::text is null then null
    when away_reason = $3::text then away_since else now() end
   where account_id = $1 and id = $2`;

/** Away for a reason of the account's, or with null back again. */
export async function setAway({ db }: Work, actor: Actor, reason: string | null): Promise<void> {
  if (reason !== null) {
    const [account] = await query<{ away_reasons: string[] }>(db, REASONS, [actor.account.id]);
    const reasons = account!.away_reasons;
    if (!reasons.includes(reason)) throw invalid({ reason: [`must be one of ${reasons.join(', ')}`] });
  }
  await query(db, SET, [actor.account.id, actor.user!.id, reason]);
}

const SEE = sql('people/users/presence.see')`
  with page as (update users set page_seen_at = now() where account_id = $1 and id = $2)
  update presences set seen_at = now()
   where account_id = $1 and user_id = $2 and ended_at is null and doing = $3 and reason is not distinct from $4
     and seen_at > now() - interval '2 minutes' returning id`;

// Of what was silent for long, the last sign of life was the end.
const END = sql('people/users/presence.end')`
  update presences set ended_at = case when seen_at < now() - interval '2 minutes' then seen_at else now() end
   where account_id = $1 and user_id = $2 and ended_at is null
     and (doing <> $3 or reason is distinct from $4 or seen_at < now() - interval '2 minutes')`;

// Two pages of one person tell the same, at the same moment perhaps.
const BEGIN = sql('people/users/presence.begin')`
  insert into presences (account_id, user_id, doing, reason) values ($1, $2, $3, $4) on conflict do nothing`;

/** A page of theirs is connected, and this is what they do. */
export async function notePresence(
  { db }: Pick<Reading, 'db'>,
  { account, user }: Actor,
  { doing, reason }: { doing: Doing; reason: string | null },
): Promise<void> {
  const values = [account.id, user!.id, doing, doing === 'away' ? reason : null];
  if ((await query(db, SEE, values)).length > 0) return;
  await query(db, END, values);
  await query(db, BEGIN, values);
}

const END_SILENT = sql('people/users/presence.end_silent')`
  update presences set ended_at = greatest(began_at, least(seen_at, now()))
   where ended_at is null and seen_at not between now() - interval '2 minutes' and now() + interval '5 seconds'`;

/** Whose pages are gone do nothing any more, since the last sign of life. */
export const endSilentPresences = (db: Db) => query(db, END_SILENT, []);
