import type { Migration } from '../../contract/leads.ts';
import { scopeOf } from '../../contract/roles.ts';
import { recordLast, type Happening } from '../activity/record.ts';
import type { Actor } from '../platform/actor.ts';
import { NOTHING, settle, type Last } from '../platform/db.ts';
import { forbidden } from '../platform/errors.ts';
import { named } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import { findLeadList, lockWholeLead, refuseForeignClaim, type LeadList, type WholeLead } from './access.ts';
import { writeData } from './change.ts';
import { releaseLead } from './claims.ts';
import { countMove } from './counters.ts';
import { sortValues } from './stored.ts';
import { sql } from '../platform/sql.ts';

/** Moves a lead to another list, or within its own only gives it back. */
export async function migrateLead(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => Migration,
): Promise<Last<void>> {
  const lead = await lockWholeLead(work, actor, id, 'leads.release');
  const { to_list_id, give_back_leads = false } = read();
  const elsewhere = to_list_id !== lead.list_id;
  if (elsewhere && !scopeOf(actor.roles, 'leads.migrate'))
    throw forbidden('Only data managers move leads to another list.');
  const destination = elsewhere
    ? await named('to_list_id', 'is no list of this account', findLeadList(work, actor, to_list_id, 'leads.migrate'))
    : undefined;
  refuseForeignClaim(actor, lead, 'leads.release');
  const moved = destination ? move(work, actor, lead, destination) : NOTHING;
  if (!give_back_leads) return moved;
  await settle(work.db, moved);
  return releaseLead(work, actor, { ...lead, list_id: to_list_id });
}

const MOVE = sql('leads/migrate.move')`
  update leads set list_id = $3, last_updated = greatest(last_updated, clock_timestamp())
   where account_id = $1 and id = $2`;

/**
 * Only a move: state, category, schedule and history stay. Values carry over by their keys; those without a column there stay hidden and
 * come back with a move back.
 */
function move(work: Work, actor: Actor, lead: WholeLead, list: LeadList): Last<void> {
  const account = actor.account.id;
  const moved = { id: lead.id, list_id: list.id };
  const changes: Happening['changes'] = { list_id: [lead.list_id, list.id] };
  return recordLast(work, actor, { lead: moved, kind: 'migration', changes }, [
    { text: MOVE, values: [account, lead.id, list.id] },
    ...writeData(account, lead.id, list, { ...sortValues(list.columns, lead), former: lead }),
    ...countMove(account, lead, { ...lead, list_id: list.id }),
  ]).map(() => {});
}
