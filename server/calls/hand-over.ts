import { passClaim } from '../leads/claims.ts';
import { lockLead } from '../leads/access.ts';
import { passHold } from '../leads/holds.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { isNotFound } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';

// It goes on as it was: recorded, unless it is off the record just now. Whose page was there a moment ago is watched from here on.
const GIVE = sql('calls/hand-over.give')`
  update calls c set user_id = c.offered_to, handed_over_at = coalesce(c.handed_over_at, now()),
         recorded = former.recorded and not former.recording_paused, announced = former.announced,
         recording_paused = false, on_hold = false, on_hold_by_other = false,
         page_seen_at = case when u.page_seen_at > now() - interval '1 minute' then now() end
    from calls former, users u
   where c.account_id = $1 and c.id = $2 and former.account_id = c.account_id and former.id = c.transfer_of
     and u.account_id = c.account_id and u.id = c.offered_to
  returning c.lead_id, former.user_id as giver, u.id, u.email`;

type Given = { lead_id: number | null; giver: number | null; id: number; email: string };

/** The colleague who has answered gets the call, and with it the lead: it is open before them, and claimed by them if whoever gave it had claimed it. */
export async function giveToColleague(work: Work, actor: Actor, id: number): Promise<void> {
  const [given] = await query<Given>(work.db, GIVE, [actor.account.id, id]);
  if (!given || given.lead_id === null || given.giver === null) return;
  try {
    const lead = await lockLead(work, actor, given.lead_id, 'calls.make');
    await passClaim(work, actor, lead, given.giver, given);
    await passHold(work, actor, lead.id, given.giver, given.id);
  } catch (error) {
    // The lead went meanwhile; the call is theirs all the same.
    if (!isNotFound(error)) throw error;
  }
}
