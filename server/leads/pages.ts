import { seesList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import { sqlFor, whenRun, type MadeOf, type Sql } from '../platform/sql.ts';
import { readMark, writeMark, type Page } from '../platform/paging.ts';
import type { Reading } from '../platform/work.ts';
import { readLeads, writeLeads, type LeadRow } from './lead.ts';
import { findMilestone } from './milestones.ts';

export type Order = 'created_at' | 'last_updated';
const ORDERS: [Order][] = [['created_at'], ['last_updated']];

/** One page of leads as JSON, how many there are on all pages, and where it ended, if another may follow. */
export type LeadPage = { json: string; total: number; end: string | undefined };

const SIZE = whenRun('$4::bigint');
const OFFSET = whenRun('$5::bigint');

/** A list if the actor sees it, how many leads it has, and the ids that `ids` selects from `leads l`. */
export const pageOf = (ids: string) => `
  select c.total, c.moves, array(select l.id from leads l where l.account_id = $1 and l.list_id = $2 ${ids}) as ids
    from lists li
   cross join lateral (select coalesce(sum(leads), 0)::int8 as total, coalesce(sum(moves), 0)::int8 as moves
     from lead_counts
                        where account_id = li.account_id and list_id = li.id) c
   where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

const FROM_NEWEST = sqlFor(
  'leads/pages.from_newest',
  (order: Order) => pageOf(`order by l.${order} desc, l.id desc limit ${SIZE} offset ${OFFSET}`),
  ORDERS,
);
const FROM_OLDEST = sqlFor(
  'leads/pages.from_oldest',
  (order: Order) => pageOf(`order by l.${order}, l.id limit ${SIZE} offset ${OFFSET}`),
  ORDERS,
);
const AFTER = sqlFor(
  'leads/pages.after',
  (order: Order) => pageOf(`and (l.${order}, l.id) < ($5, $6) order by l.${order} desc, l.id desc limit ${SIZE}`),
  ORDERS,
);
const FROM_MILESTONE = sqlFor(
  'leads/pages.from_milestone',
  (order: Order) =>
    pageOf(`and (l.${order}, l.id) <= ($6, $7) order by l.${order} desc, l.id desc limit ${SIZE} offset ${OFFSET}`),
  ORDERS,
);

/** Written once: pages are asked for all day. */
const textsOf = (order: Order) => ({
  fromNewest: FROM_NEWEST(order),
  fromOldest: FROM_OLDEST(order),
  after: AFTER(order),
  fromMilestone: FROM_MILESTONE(order),
});
const TEXTS = { created_at: textsOf('created_at'), last_updated: textsOf('last_updated') };

type Found = { total: number; moves: number; ids: number[] };

// As far as this from either end, counting along the index is quicker than asking how to avoid it.
const NEAR = 2_000;

export async function readPageOfList(
  reading: Reading,
  actor: Actor,
  listId: number | undefined,
  order: Order,
  page: Page,
): Promise<LeadPage> {
  const { total, ids } = await findIds(reading, actor, listId, order, page);
  const rows = await readLeads(reading, actor, ids);
  return {
    json: writeLeads(rows, actor.account.baseUrl),
    total,
    end: ids.length === page.size ? endOf(rows, order) : undefined,
  };
}

/** Of those that are still there, the one furthest behind: one that was changed since it was found stands before all others by now. */
function endOf(rows: LeadRow[], order: Order): string | undefined {
  let last = rows[0];
  for (const row of rows) {
    const later = row[order].getTime() - last![order].getTime() || row.id - last!.id;
    if (later < 0) last = row;
  }
  return last && writeMark({ at: last[order], id: last.id });
}

async function findIds(
  reading: Reading,
  actor: Actor,
  listId: number | undefined,
  order: Order,
  page: Page,
): Promise<Found> {
  const account = actor.account.id;
  const texts = TEXTS[order];
  const select = async (text: Sql<MadeOf<Found>>, ...values: unknown[]): Promise<Found> => {
    return one<Found>(reading.db, text, [account, listId ?? 0, boundOf(actor, 'leads.read'), ...values]);
  };
  if (page.after !== undefined) {
    const { at, id } = readMark(page.after);
    return select(texts.after, page.size, at, id);
  }
  const offset = (page.number - 1) * page.size;
  if (offset < NEAR) return select(texts.fromNewest, page.size, offset);

  // By number and far away: from the nearer end, or from the nearest place whose number is known.
  const { total, moves } = await select(texts.fromNewest, 0, 0);
  const size = Math.min(page.size, total - offset);
  if (size <= 0) return { total, moves, ids: [] };
  const behind = total - offset - size;
  if (Math.min(offset, behind) >= NEAR && order === 'created_at') {
    const milestone = await findMilestone(
      reading,
      { accountId: account, listId: listId!, total, moves },
      total - offset,
    );
    if (milestone)
      return { ...(await select(texts.fromMilestone, size, milestone.beyond, milestone.at, milestone.id)), total };
  }
  if (offset <= behind) return { ...(await select(texts.fromNewest, size, offset)), total };
  const { ids } = await select(texts.fromOldest, size, behind);
  return { total, moves, ids: ids.toReversed() };
}
