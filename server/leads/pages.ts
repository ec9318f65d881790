import { seesList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import type { Page } from '../platform/paging.ts';
import { invalid } from '../platform/read.ts';
import type { Reading } from '../platform/work.ts';
import { readLeads, writeLeads } from './lead.ts';
import { findMilestone } from './milestones.ts';

export type Order = 'created_at' | 'last_updated';

/** One page of leads as JSON, how many there are on all pages, and where it ended, if another may follow. */
export type LeadPage = { json: string; total: number; end: string | undefined };

/** Where a lead stands in an order: pages continue after it. */
export type Mark = { at: Date; id: number };

export const writeMark = ({ at, id }: Mark): string => `${at.getTime()}.${id}`;

export function readMark(after: string): Mark {
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? [];
  const mark = { at: new Date(Number(at)), id: Number(id) };
  if (!id || Number.isNaN(mark.at.getTime())) throw invalid({ after: ['must be taken from the Link header'] });
  return mark;
}

/** A list if the actor sees it, how many leads it has, and the ids that `ids` selects from `leads l`. */
export const pageOf = (ids: string) => `
  select c.total, c.moves, array(select l.id from leads l where l.account_id = $1 and l.list_id = $2 ${ids}) as ids
    from lists li
   cross join lateral (select coalesce(sum(leads), 0)::int8 as total, coalesce(sum(moves), 0)::int8 as moves
     from lead_counts
                        where account_id = li.account_id and list_id = li.id) c
   where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

const textsFor = (order: Order) => ({
  fromNewest: pageOf(`order by l.${order} desc, l.id desc limit $4 offset $5`),
  fromOldest: pageOf(`order by l.${order}, l.id limit $4 offset $5`),
  after: pageOf(`and (l.${order}, l.id) < ($5, $6) order by l.${order} desc, l.id desc limit $4`),
  fromMilestone: pageOf(`and (l.${order}, l.id) <= ($6, $7) order by l.${order} desc, l.id desc limit $4 offset $5`),
});
const TEXTS = { created_at: textsFor('created_at'), last_updated: textsFor('last_updated') };

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
  const last = rows.length === page.size ? rows.at(-1) : undefined;
  return {
    json: writeLeads(rows, actor.account.baseUrl),
    total,
    end: last && writeMark({ at: last[order], id: last.id }),
  };
}

async function findIds(
  reading: Reading,
  actor: Actor,
  listId: number | undefined,
  order: Order,
  page: Page,
): Promise<Found> {
  const account = actor.account.id;
  const select = async (text: string, ...values: unknown[]): Promise<Found> => {
    return one<Found>(reading.db, text, [account, listId ?? 0, boundOf(actor, 'leads.read'), ...values]);
  };
  const texts = TEXTS[order];
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
