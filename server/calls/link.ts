import { fold } from '../../contract/fold.ts';
import { EVENT } from '../activity/record.ts';
import { isOutcome } from '../leads/outcomes.ts';
import { LINKS_FOR, talksIn } from '../leads/tries.ts';
import { saysNobody } from '../lists/retries.ts';
import type { Actor } from '../platform/actor.ts';
import type { Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

// The agent's last call with the lead. Where it led to an outcome not long ago, and nobody else gave one since, they correct what they said of
// it; the call stays that of the first. `event` is the outcome that is being recorded.
const LINK = sql('calls/link.link', EVENT)`
  update calls c set event_id = coalesce(c.event_id, event.id), nobody = $5,
         voicemail = c.voicemail or ($4 and c.state = 'active') from event
   where c.account_id = $1 and c.id = (
     select k.id from calls k
      where k.account_id = $1 and k.lead_id = $2 and k.user_id = $3 and ${talksIn('k', '$3')}
        and k.started_at > now() - ${LINKS_FOR}
      order by k.id desc limit 1)
     and (c.event_id is null or (
       select every(e.via = 'service' or e.user_id = $3) and min(e.created_at) > now() - interval '1 hour' from events e
        where e.account_id = $1 and e.lead_id = $2 and e.id >= c.event_id and ${isOutcome('e')}))`;

/** An outcome given at the desk is that of the call before it; the category may say that a machine had answered, or nobody. */
export function linkToOutcome({ account, user, via }: Actor, leadId: number, category: string | null): Statement[] {
  if (via !== 'app' || !user) return [];
  return [
    { text: LINK, values: [account.id, leadId, user.id, fold(category ?? '') === 'voicemail', saysNobody(category)] },
  ];
}

const MOVE = sql('calls/link.move')`
  update calls set lead_id = $3 where account_id = $1 and lead_id = $2`;

/** Calls of a lead that is merged into another are the other's. */
export const moveCalls = (accountId: number, from: number, to: number): Statement => ({
  text: MOVE,
  values: [accountId, from, to],
});
