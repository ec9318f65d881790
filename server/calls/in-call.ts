import { query } from '../platform/db.ts';
import type { Actor } from '../platform/actor.ts';
import { conflict } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { talksIn } from '../leads/tries.ts';

/** Who is in which call: one at a time. */

/** Whoever makes it or answers it. */
export const takesPartIn = (call: string, user: string) =>
  `(${call}.user_id = ${user} or (${call}.offered_to = ${user} and ${call}.taken_at is not null))`;

/** Nobody talks on automated calls, nor any more on those that were passed on, but for the colleague who has answered such a one. */
export const talksOn = (call: string, user: string) =>
  `${takesPartIn(call, user)} and ${call}.state <> 'completed' and ${talksIn(call, user)}`;

export const inCall = () => conflict('in_call', 'You are in a call already. Hang up first.');

const OWN = sql('calls/in-call.own')`
  select own.id from calls own where own.account_id = $1 and ${talksOn('own', '$2::bigint')} limit 1`;

/** Also whoever has answered a colleague: those who made a call are found by the table itself. */
export async function refuseInCall({ db }: Work, actor: Actor): Promise<void> {
  if (actor.user && (await query(db, OWN, [actor.account.id, actor.user.id])).length > 0) throw inCall();
}
