import type { DeletedLead } from '../../contract/leads.ts';
import { STATES, type State } from '../../contract/states.ts';
import { audit } from '../audit/audit.ts';
import { findHoldingList, KEPT } from '../lists/deleted.ts';
import { shareShape } from '../lists/shape-lock.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query, together } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';
import type { Sweep } from '../platform/sweep.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading, Work } from '../platform/work.ts';
import { LIST, lockWholeLead, type LeadList, type WholeLead } from './access.ts';
import { writeData } from './change.ts';
import { countMove } from './counters.ts';
import { changeMarks } from './marks.ts';
import { nameNow } from './outcomes.ts';
import { readStored } from './stored.ts';

/**
 * A lead that is deleted by itself moves to the account's list of deleted leads, which is deleted: so what holds for leads of deleted lists
 * holds for it, too. What it says and how it stands stays with it for as long as it can be brought back.
 */

/** A day more than is told: an act on many may delete for hours, and can be undone until a week after its last lead. */
export const REMOVED_AFTER = `interval '8 days'`;

const MOVE = sql('leads/deleted.move')`update leads set list_id = $3 where account_id = $1 and id = $2`;
const MOVE_DATA = sql('leads/deleted.move_data')`
  update lead_data set list_id = $3 where account_id = $1 and lead_id = $2`;
const REMEMBER = sql('leads/deleted.remember')`
  insert into deleted_leads (account_id, lead_id, list_id, deleted_by) values ($1, $2, $3, $4)`;

/** Fires nothing and is no event of it. */
export async function deleteLead(work: Work, actor: Actor, lead: WholeLead): Promise<void> {
  const account = actor.account.id;
  const holding = await findHoldingList(work, account);
  await together(work.db, [
    { text: MOVE, values: [account, lead.id, holding] },
    { text: MOVE_DATA, values: [account, lead.id, holding] },
    ...changeMarks(account, lead.id, lead, { list_id: holding, marks: lead.marks }),
    ...countMove(account, lead, { ...lead, list_id: holding }),
    { text: REMEMBER, values: [account, lead.id, lead.list_id, actor.name] },
  ]);
}

/** The same of one lead, written down. */
export async function deleteOneLead(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  const lead = await lockWholeLead(work, actor, id, 'leads.manage');
  await deleteLead(work, actor, lead);
  await audit(work, actor, 'lead.deleted', `Lead ${lead.id}`, { list: lead.list.name });
}

const NEWEST = 100;

const LISTED = sql('leads/deleted.list')`
  select g.lead_id as id, coalesce((
           select value from unnest(li.identifiers) with ordinality as own (key, place)
            cross join lateral coalesce(d.data ->> key, d.hidden ->> key) as value
            where value <> '' order by place limit 1), '') as primary_identifier,
         coalesce(li.name, '') as list_name, ${isoOf('g.deleted_at')} as deleted_at, g.deleted_by,
         ${isoOf(`(g.deleted_at + ${KEPT})`)} as removed_at
    from deleted_leads g
    join lead_data d on d.account_id = g.account_id and d.lead_id = g.lead_id
    left join lists li on li.account_id = g.account_id and li.id = g.list_id
   where g.account_id = $1 and g.deleted_at > now() - ${KEPT} and ($2::bigint is null or g.lead_id = $2)
   order by g.deleted_at desc, g.lead_id desc limit ${NEWEST}`;

/** Those that can still be brought back, the last first; or one of them. */
export const listDeletedLeads = ({ db }: Reading, actor: Actor, id: number | null): Promise<DeletedLead[]> =>
  query<DeletedLead>(db, LISTED, [actor.account.id, id]);

type Deleted = Pick<WholeLead, 'id' | 'list_id' | 'category' | 'marks'> & {
  state: State;
  data: Record<string, string>;
  hidden: Record<string, string>;
  /** The one it was in, if that is there. */
  list: LeadList | null;
};

// The list is asked of the row that was waited for: two who bring it back at once would do it twice.
const LOCK = sql('leads/deleted.lock')`
  with l as materialized (
    select * from leads where account_id = $1 and id = $2 for no key update
  ), d as materialized (
    select data, hidden, marks from lead_data where account_id = $1 and lead_id = $2 for no key update
  )
  select l.id, l.list_id, l.state, l.category, d.data, d.hidden, d.marks,
         (select to_json(x) from (
            select ${LIST} from lists li join accounts a on a.id = li.account_id
             where li.account_id = $1 and li.id = g.list_id and li.deleted_at is null) x) as list
    from l cross join d
    join lists h on h.account_id = l.account_id and h.id = l.list_id and h.holds_deleted
    join deleted_leads g on g.account_id = l.account_id and g.lead_id = l.id
   where g.deleted_at > now() - ${REMOVED_AFTER}`;

const RESTORE = sql('leads/deleted.restore')`
  update leads set list_id = $3, category = $4,
         last_updated = case when category is distinct from $4 then greatest(last_updated, clock_timestamp())
                             else last_updated end
   where account_id = $1 and id = $2`;
const FORGET = sql('leads/deleted.forget')`delete from deleted_leads where account_id = $1 and lead_id = $2`;
// Pages hear of it, also of one that is brought back again.
const TELL = sql('leads/deleted.tell')`
  insert into leads_brought_back (account_id, lead_id, list_id) values ($1, $2, $3)
      on conflict (account_id, lead_id) do update set list_id = excluded.list_id, brought_back_at = now()`;

/** Whoever has not heard of it by then asks for everything anew. */
export const PAST_TOLD: Sweep = { table: 'leads_brought_back', past: `brought_back_at < now() - interval '1 hour'` };

export const LIST_DELETED = 'The list it was in is deleted. Bring back the list first.';

/** Where it was, and as it was. Its values are sorted by the fields that its list has by now, and a category that was renamed has its new name. */
export async function bringBack(work: Work, actor: Actor, id: number | undefined): Promise<LeadList> {
  const account = actor.account.id;
  const [, { list, ...lead }] = await Promise.all([
    shareShape(work.db, account),
    one<Deleted>(work.db, LOCK, [account, id ?? 0]),
  ]);
  if (!list) throw conflict('list_deleted', LIST_DELETED);
  const kind = STATES[lead.state];
  const category = (kind && lead.category && nameNow(list, kind, lead.category)) || lead.category;
  await together(work.db, [
    { text: RESTORE, values: [account, lead.id, list.id, category] },
    ...writeData(account, lead.id, list, { ...readStored(list.columns, lead), former: lead }),
    ...countMove(account, lead, { state: lead.state, list_id: list.id, category }),
    { text: FORGET, values: [account, lead.id] },
    { text: TELL, values: [account, lead.id, list.id] },
  ]);
  return list;
}

/** The same of one lead, written down. */
export async function restoreLead(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  const { name } = await bringBack(work, actor, id);
  await audit(work, actor, 'lead.restored', `Lead ${id}`, { list: name });
}
