import type { BulkAct } from '../../contract/bulk.ts';
import type { Matching } from '../../contract/lead-table.ts';
import { readMatching, stillMatch } from '../filters/matching.ts';
import { countBesides } from '../leads/counters.ts';
import { openGiveWay } from '../leads/give-way.ts';
import { OPEN_AT_A_DESK } from '../leads/holds.ts';
import { findActor } from '../people/users/users.ts';
import { shareShape } from '../lists/shape-lock.ts';
import type { Actor } from '../platform/actor.ts';
import { PLAN_ANEW, query, type Db } from '../platform/db.ts';
import { HttpError, isDatabaseAway, isSerializationConflict, notFound } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { sql } from '../platform/sql.ts';
import { startTurns, type Turns, type Waiting } from '../platform/turns.ts';
import type { Transact, Work } from '../platform/work.ts';
import { openAct, refuseRole, type ActRow, type Doing } from './acts.ts';
import { MENDED } from './bulk.ts';
import { gatherSome } from './gather.ts';
import { lockStanding, type Standing } from './standing.ts';
import { openUndo } from './undo.ts';

const AT_ONCE = 200;
/** Sent together: the database does one while the next are being written. More of them are no quicker, and others wait longer for the event loop. */
const TOGETHER = 8;
/** A turn ends after so long, and others have theirs. In turns three times as long no more was done, and agents waited longer for their next lead. */
const TURN_MS = 80;

const NEXT = sql('bulk/turns.next')`
  select next.* from (select distinct account_id from bulk_acts where finished_at is null) a
   cross join lateral (
     select account_id, user_id as person, min(id) as id from bulk_acts b
      where b.account_id = a.account_id and finished_at is null group by 1, 2 order by 3 limit 50) next`;

type Next = Waiting & { id: number };
type TurnMeans = { db: Db; transact: Transact; log: Log; restMs?: number };

/** A lead with which something went wrong that nobody foresaw, and how often, as far as this node knows. Then it is refused, and the act goes on. */
type Stumble = { lead: number; times: number };
const MOST_TIMES = 3;
/** Where a turn failed, and why: what else fails afterwards only says that the transaction is lost. */
type At = { lead?: number; error?: unknown };

/** An account has one turn at a time on a node, its people one after the other; each person's acts in the order they were given. */
export function giveBulkTurns({ db, transact, log, restMs }: TurnMeans): Turns {
  const stumbles = new Map<number, Stumble>();
  const giveWay = openGiveWay(db);
  const look = async () => {
    const next = await query<Next>(db, NEXT, []);
    const there = new Set(next.map(({ id }) => id));
    for (const id of stumbles.keys()) if (!there.has(id)) stumbles.delete(id);
    return next;
  };
  const take = async ({ account_id, id }: Next): Promise<boolean> => {
    const before = stumbles.get(id);
    let at: At = {};
    try {
      const begun = performance.now();
      const isMore = await transact((work) => doSome(work, account_id, id, (at = {}), before));
      if (isMore) await giveWay.rest(performance.now() - begun);
      return isMore;
    } catch (error) {
      if (at.lead === undefined || isDatabaseAway(error) || isSerializationConflict(error)) throw error;
      const times = at.lead === before?.lead ? before.times + 1 : 1;
      stumbles.set(id, { lead: at.lead, times });
      if (times === MOST_TIMES)
        log.error({ account: account_id, act: id, lead: at.lead }, 'A lead of a bulk act is given up');
      throw error;
    }
  };
  return startTurns<Next>({ what: 'Bulk acts', width: 3, ofAccount: 1, look, take, log, ...(restMs && { restMs }) });
}

type Some = {
  id: number;
  kind: BulkAct['kind'];
  asked: unknown;
  matching: Matching | null;
  gathered_after: number | null;
  undoes: number | null;
  user_id: number;
  via: Actor['via'];
  address: string;
  reasons: Record<string, number>;
  rows: ActRow[];
};

// From the last to the first: the queue hands out the first, and an act in its order would find every lead in front of it open at a desk.
const TAKE = sql('bulk/turns.take')`
  select b.id, b.kind, b.asked, b.matching, b.gathered_after, b.undoes, b.user_id, b.via, b.address, b.reasons,
         coalesce((select json_agg(r order by r.place desc) from (
           select l.place, l.lead_id, l.before, l.left_at from bulk_leads l
            where l.account_id = b.account_id and l.act_id = b.id and l.place <= b.total - b.unknown - b.position
            order by l.place desc limit ${AT_ONCE}) r), '[]') as rows
    from bulk_acts b where b.account_id = $1 and b.id = $2 and b.finished_at is null for update of b skip locked`;

/** What is done and how far it has come are one transaction. False: it is finished, or another node has it: the lock on the act says who works on it. */
async function doSome(
  work: Work,
  accountId: number,
  id: number,
  at: At,
  stumble: Stumble | undefined,
): Promise<boolean> {
  const until = performance.now() + TURN_MS;
  const [, , [some]] = await Promise.all([
    shareShape(work.db, accountId),
    countBesides(work.db),
    query<Some>(work.db, TAKE, [accountId, id]),
  ]);
  if (!some) return false;
  const actor = { ...(await findActor(work, accountId, some.user_id, some.via)), address: some.address };
  if (some.gathered_after !== null) await gatherSome(work, actor, some);
  else await noteResults(work, actor, some, await doRows(work, actor, some, { until, at, stumble }));
  return true;
}

/** What became of a lead. */
type Result = Pick<ActRow, 'place' | 'lead_id'> & { refused: string | null; before: object | null };
type Course = { until: number; at: At; stumble: Stumble | undefined };

async function doRows(work: Work, actor: Actor, some: Some, { until, at, stumble }: Course): Promise<Result[]> {
  // Up to the lead that went wrong, then that one alone, so that it takes none of the others with it.
  const wrong = some.rows.findIndex(({ lead_id }) => lead_id === stumble?.lead);
  const rows = wrong < 0 ? some.rows : some.rows.slice(0, Math.max(wrong, 1));
  const ids = rows.map(({ lead_id }) => lead_id);
  const field = some.kind === 'change' ? (some.asked as { field: string }).field : undefined;
  const { leads, open } = await lockStanding(work, actor.account.id, ids, field);
  const [doing, matches] = await Promise.all([
    openDoing(work, actor, some, rows, leads),
    matchStill(work, actor, some.matching, ids),
  ]);
  const leave = (row: ActRow): string | undefined => {
    const lead = leads.get(row.lead_id);
    if (stumble?.lead === row.lead_id && stumble.times >= MOST_TIMES) return 'Something went wrong on our side.';
    if (!lead) return open.has(row.lead_id) ? OPEN_AT_A_DESK : notFound().message;
    return matches(row.lead_id) ?? doing.leaves(lead, row);
  };
  const doOne = async (row: ActRow): Promise<Result> => {
    const { place, lead_id } = row;
    const refused = leave(row);
    if (refused !== undefined) return { place, lead_id, refused, before: null };
    const lead = leads.get(lead_id)!;
    try {
      await doing.do(asMany(work), actor, lead, row);
      return { place, lead_id, refused: null, before: doing.before?.(lead) ?? row.before };
    } catch (error) {
      // A refusal comes before anything was written; whatever else goes wrong, goes wrong for all. The first is why the others did.
      if (!(error instanceof HttpError) || error.status >= 500) {
        at.lead ??= lead_id;
        at.error ??= error;
        throw error;
      }
      return { place, lead_id, refused: error.message, before: null };
    }
  };
  const results: Result[] = [];
  for (let from = 0; from < rows.length; from += TOGETHER) {
    if (from > 0 && performance.now() > until) break;
    // All are waited for, also where one fails: nothing may be sent once the transaction is over.
    const settled = await Promise.allSettled(rows.slice(from, from + TOGETHER).map(doOne));
    if (at.error) throw at.error;
    for (const one of settled) if (one.status === 'fulfilled') results.push(one.value);
  }
  return results;
}

/** Subscribers hear of it behind what else they are told, and a call that somebody had with a lead did not lead to it. */
const asMany = (work: Work): Work => ({
  ...work,
  tell: (told) => work.tell({ ...told, later: true }),
  outcomeGiven: () => [],
});

/** What can no longer be done at all is refused for each. */
async function openDoing(
  work: Work,
  actor: Actor,
  { kind, asked, undoes }: Some,
  rows: ActRow[],
  leads: Map<number, Standing>,
): Promise<Doing> {
  try {
    const doing = await (kind === 'undo'
      ? openUndo(work, actor, undoes!, rows, leads)
      : openAct(work, actor, kind, asked));
    // Asked again: it may have been taken from them meanwhile.
    refuseRole(actor, doing.right);
    return doing;
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    return { right: 'leads.bulk', leaves: () => error.message, do: async () => undefined };
  }
}

/** Why a lead is not meant any more. Whose duplicate it is does not count: the act itself may have done something to the other. */
async function matchStill(work: Work, actor: Actor, matching: Matching | null, ids: number[]) {
  if (!matching || ids.length === 0) return () => undefined;
  const filter = matching.filter?.filter(({ name }) => name !== 'duplicate') ?? [];
  try {
    const still = await stillMatch(work, actor, await readMatching(work, actor, { ...matching, filter }), ids);
    return (id: number) => (still.has(id) ? undefined : 'no longer matches the filter');
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    return () => error.message;
  }
}

// Planned anew, and within bounds: a plan made while there were few rows reads all of them when there are many.
const WRITE = sql('bulk/turns.write')`${PLAN_ANEW}
  update bulk_leads b set refused = r.refused, before = r.before::jsonb, left_at = l.last_updated
    from unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[]) as r (place, lead_id, refused, before)
    left join leads l on l.account_id = $1 and l.id = r.lead_id
   where b.account_id = $1 and b.act_id = $2 and b.place = r.place and b.place between $7 and $8`;

const NOTE = sql('bulk/turns.note')`
  update bulk_acts set position = position + $3, refusals = refusals + $4, reasons = $5,
         begun_at = coalesce(begun_at, now()),
         finished_at = case when position + $3 >= total - unknown then clock_timestamp() end
   where account_id = $1 and id = $2`;

// There may be as many as people; what is told stays short.
const MOST_REASONS = 50;
const LONGEST_REASON = 300;

async function noteResults({ db }: Work, actor: Actor, { id, reasons }: Some, results: Result[]): Promise<void> {
  const own = [actor.account.id, id];
  const counts = new Map(Object.entries(reasons));
  const refused = results.map(({ refused: reason }) => reason?.slice(0, LONGEST_REASON) ?? null);
  for (const reason of refused.filter((one) => one !== null)) {
    // By those that can be mended it is known whether the rest can be undone.
    const isNamed = counts.has(reason) || counts.size < MOST_REASONS || MENDED.includes(reason);
    const name = isNamed ? reason : 'for other reasons';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  await Promise.all([
    query(db, WRITE, [
      ...own,
      results.map(({ place }) => place),
      results.map(({ lead_id }) => lead_id),
      refused,
      results.map(({ before }) => before && JSON.stringify(before)),
      results.at(-1)?.place ?? 0,
      results.at(0)?.place ?? 0,
    ]),
    query(db, NOTE, [
      ...own,
      results.length,
      refused.filter((reason) => reason !== null).length,
      JSON.stringify(Object.fromEntries(counts)),
    ]),
  ]);
}
