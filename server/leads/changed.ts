import { seesList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, type Db } from '../platform/db.ts';
import { MOST_COUNTED, notFromLink, reachOf, readMark, readTotal, writeMark, type Page } from '../platform/paging.ts';
import { sql, whenRun } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { readLeads, writeLeads } from './lead.ts';

/*
 * Leads of a list that changed at or after a time, for whoever keeps a copy of them. The longest unchanged come first: a lead that changes
 * meanwhile moves to the end, where the walk has yet to come, so that whoever follows the links meets each of them, perhaps twice.
 *
 * A change bears the time at which it was made and is seen when its transaction commits, so it may appear behind a walk that has passed its
 * time. The next walk therefore begins where no such transaction was under way when this one began: before the oldest of them. That time
 * travels in the links, and every page tells it (`next`).
 */

export type ChangedPage = { json: string; total: number | undefined; end: string | undefined; next: Date };

// Ten seconds before, for what the clocks of a database do by themselves: times are rounded, and set by NTP, and another host takes over.
const SETTLED = sql('leads/changed.settled')`
  select least(clock_timestamp(), min(xact_start)) - interval '10 seconds' as at
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`;

const [SINCE, AT] = [whenRun('$4::timestamptz'), whenRun('$5::timestamptz')];
const [SIZE, OFFSET] = [whenRun('$7::bigint'), whenRun('$8::bigint')];

// One bound alone where a page begins: with two the index may be entered at the lower one and walked up to the other.
const CHANGED = sql('leads/changed.changed')`
  select page.ids, page.at,
         (select count(*) from (select from leads l where l.account_id = $1 and l.list_id = $2
                                    and l.last_updated >= ${SINCE} limit ${MOST_COUNTED + 1}) counted) as counted
    from lists li
   cross join lateral (
     select coalesce(array_agg(found.id order by found.last_updated, found.id), '{}') as ids,
            max(found.last_updated) as at
       from (select l.id, l.last_updated from leads l
              where l.account_id = $1 and l.list_id = $2 and (l.last_updated, l.id) > (${AT}, $6)
              order by l.last_updated, l.id limit ${SIZE} offset ${OFFSET}) found) page
   where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

type Found = { ids: number[]; at: Date | null; counted: number };

export async function readChangedLeads(
  reading: Reading,
  actor: Actor,
  listId: number | undefined,
  since: Date,
  page: Page,
): Promise<ChangedPage> {
  const walk = await beginOrGoOn(reading.db, since, page);
  const { size, offset } = reachOf(page);
  const values = [actor.account.id, listId ?? 0, boundOf(actor, 'leads.read'), since, walk.at, walk.id, size, offset];
  const { ids, at, counted } = await one<Found>(reading.db, CHANGED, values);
  const total = readTotal(page, counted);
  const rows = await readLeads(reading, actor, ids);
  const isFull = ids.length > 0 && ids.length === page.size;
  return {
    json: writeLeads(rows, actor.account.baseUrl),
    total,
    end: isFull ? `${writeMark({ at: at!, id: ids.at(-1)! })}.${Math.max(0, walk.next.getTime())}` : undefined,
    next: walk.next,
  };
}

type Walk = { at: Date; id: number; next: Date };

/** What is under way is asked before the page is read: what ends in between is on the page. */
async function beginOrGoOn(db: Db, since: Date, { number, after }: Page): Promise<Walk> {
  // No lead has the id 0, so all of that moment come after it.
  const begin = { at: since, id: 0 };
  // Of a page by number nobody knows when its walk began.
  if (after === undefined && number > 1) return { ...begin, next: since };
  if (after === undefined) return { ...begin, next: (await one<{ at: Date }>(db, SETTLED, [])).at };
  const [, mark, next] = /^(.+)\.(\d{1,15})$/.exec(after) ?? [];
  if (!mark) throw notFromLink();
  const reached = readMark(mark);
  return { ...(reached.at < since ? begin : reached), next: new Date(Number(next)) };
}
