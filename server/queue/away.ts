import { releaseAllHolds } from '../leads/holds.ts';
import { readLine } from '../calls/line.ts';
import { setAway } from '../people/users/presence.ts';
import type { Actor } from '../platform/actor.ts';
import { settle } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';

/** Away: the lead that is open goes back to its place. The one of a call stays until it has its outcome, and no other comes after it. */
export async function goAway(work: Work, actor: Actor, reason: string): Promise<void> {
  await setAway(work, actor, reason);
  const { call, wrapping_up } = await readLine(work, actor);
  if (!call && !wrapping_up) await settle(work.db, releaseAllHolds(work, actor));
}

/** Back again. */
export const comeBack = (work: Work, actor: Actor): Promise<void> => setAway(work, actor, null);
