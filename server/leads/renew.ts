import { recordLast, type Happening } from '../activity/record.ts';
import type { Actor } from '../platform/actor.ts';
import { NOTHING, type Last } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { lockLead, refuseForeignClaim } from './access.ts';
import { countMove } from './counters.ts';

// Behind those that are new already: nobody has called them yet.
const RENEW = sql('leads/renew.renew')`
  update leads set state = 'new', category = null, scheduled_for = null, exactly = true, turn_at = now(),
         skipped = false, last_updated = greatest(last_updated, clock_timestamp())
   where account_id = $1 and id = $2`;

/** As if nobody had called it, but for its history; the claim stays. Nothing where it is new. */
export async function renewLead(work: Work, actor: Actor, id: number | undefined): Promise<Last<void>> {
  const lead = await lockLead(work, actor, id, 'leads.outcome');
  refuseForeignClaim(actor, lead, 'leads.outcome');
  if (lead.state === 'new') return NOTHING;
  const account = actor.account.id;
  const changes: Happening['changes'] = {
    state: [lead.state, 'new'],
    ...(lead.category !== null && { category: [lead.category, null] }),
    ...(lead.scheduled_for && { scheduled_for: [lead.scheduled_for, null] }),
  };
  return recordLast(work, actor, { lead, kind: 'lead_updated', changes }, [
    { text: RENEW, values: [account, lead.id] },
    ...countMove(account, lead, { list_id: lead.list_id, state: 'new', category: null }),
  ]).map(() => {});
}
