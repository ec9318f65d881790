import { UNDONE_FOR_DAYS, type BulkQuestion, type NewBulkAct } from '../../contract/bulk.ts';
import type { Matching } from '../../contract/lead-table.ts';
import { MOST_TOKENS } from '../../contract/filters.ts';
import { countMatching, readMatching, stillMatch } from '../filters/matching.ts';
import { OPEN_AT_A_DESK } from '../leads/holds.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isoOf } from '../platform/times.ts';
import type { Work } from '../platform/work.ts';
import { namesOf } from '../webhooks/fan-out.ts';
import type { Act } from './acts.ts';
import { readAct } from './bulk.ts';

/** Where nothing was measured yet. */
const A_SECOND = 400;

const RATE = sql('bulk/question.rate')`
  select ${isoOf(`(now() + interval '${UNDONE_FOR_DAYS} days')`)} as undo_until,
         sum(position) / sum(extract(epoch from finished_at - begun_at))::float8 as a_second
    from (select position, finished_at, begun_at from bulk_acts
           where account_id = $1 and finished_at > begun_at and position >= 1000 order by id desc limit 5) last`;

/** What would be done and what would follow. Nothing is done. */
export async function askBulkAct(work: Work, actor: Actor, given: NewBulkAct): Promise<BulkQuestion> {
  const { act, matching } = await readAct(work, actor, given);
  const asked: Asked = { matching, ids: given.lead_ids ?? [], except: given.except_ids ?? [] };
  const number = await countAmong(work, actor, asked, {});
  const { undo_until, a_second } = await one<{ undo_until: string; a_second: number | null }>(work.db, RATE, [
    actor.account.id,
  ]);
  return {
    number,
    tells: act.fires ? await findSubscribers(work, actor, act.fires, asked, number) : [],
    left_out: await findLeftOut(work, actor, act, asked, number),
    undo_until,
    seconds: Math.ceil(number / (a_second || A_SECOND)),
  };
}

type Asked = { matching: Matching | undefined; ids: number[]; except: number[] };

/** How many of those that are asked for match this, too. */
async function countAmong(
  work: Work,
  actor: Actor,
  { matching, ids, except }: Asked,
  among: Matching,
): Promise<number> {
  const filter = [...(matching?.filter ?? []), ...(among.filter ?? [])];
  if (filter.length > MOST_TOKENS) return 0;
  const read = await readMatching(work, actor, { ...matching, filter });
  // Among the lists that are meant: one of them alone may not have the fields that are asked for.
  const wanted = among.list_ids && new Set(among.list_ids);
  const isAmong = (id: number) => !wanted || wanted.has(id);
  const both = { ...read, lists: read.lists.filter(isAmong), elsewhere: read.elsewhere.filter(isAmong) };
  if (!matching) return (await stillMatch(work, actor, both, ids)).size;
  const taken = except.length > 0 ? (await stillMatch(work, actor, both, except)).size : 0;
  return (await countMatching(work, actor, both)) - taken;
}

const SUBSCRIBERS = sql('bulk/question.subscribers')`
  select w.target_url, w.list_id,
         (select coalesce(sum(c.leads), 0)::int8 from lead_counts c
           where c.account_id = $1 and c.list_id = w.list_id) as leads
    from webhooks w
   where w.account_id = $1 and w.list_id = any ($2::bigint[]) and w.event = any ($3::text[]) and w.ended_at is null`;

const LISTS_OF = sql('bulk/question.lists_of')`
  select list_id, count(*) as leads from leads where account_id = $1 and id = any ($2::bigint[]) group by 1`;

/** By host, and how often at most: once for each lead, of each list as many as it has. */
async function findSubscribers(
  work: Work,
  actor: Actor,
  fires: NonNullable<Act['fires']>,
  { matching, ids }: Asked,
  number: number,
): Promise<BulkQuestion['tells']> {
  const account = actor.account.id;
  const named = matching
    ? undefined
    : new Map(
        (await query<{ list_id: number; leads: number }>(work.db, LISTS_OF, [account, `{${ids.join()}}`])).map(
          ({ list_id, leads }) => [list_id, leads],
        ),
      );
  const lists = named ? [...named.keys()] : (await readMatching(work, actor, matching!)).lists;
  type Subscriber = { target_url: string; list_id: number | null; leads: number };
  const found = await query<Subscriber>(work.db, SUBSCRIBERS, [account, lists, namesOf(fires)]);
  const times = new Map<string, number>();
  for (const { target_url, list_id, leads } of found) {
    const host = URL.parse(target_url)?.host ?? target_url;
    times.set(host, (times.get(host) ?? 0) + Math.min(number, named?.get(list_id!) ?? leads));
  }
  return [...times].map(([target, often]) => ({ target, times: often })).toSorted((a, b) => b.times - a.times);
}

const OPEN = sql('bulk/question.open')`
  select id from leads where account_id = $1 and held_by is not null and held_until > now()`;

async function findLeftOut(
  work: Work,
  actor: Actor,
  { already, refusing = [] }: Act,
  asked: Asked,
  number: number,
): Promise<BulkQuestion['left_out']> {
  const rows = await query<{ id: number }>(work.db, OPEN, [actor.account.id]);
  const [named, except] = [new Set(asked.ids), new Set(asked.except)];
  const ids = rows.map(({ id }) => id).filter((id) => (asked.matching ? !except.has(id) : named.has(id)));
  const filter = await readMatching(work, actor, asked.matching ?? {});
  const open = ids.length > 0 ? (await stillMatch(work, actor, filter, ids)).size : 0;
  const refused: BulkQuestion['left_out'] = [];
  for (const { reason, lists } of refusing)
    refused.push({ reason, number: await countAmong(work, actor, asked, { list_ids: lists }) });
  // Where no lead is left there may be none of whom it could be asked.
  const isLeft = refused.reduce((sum, { number: out }) => sum + out, 0) < number;
  const done = already && isLeft ? await countAmong(work, actor, asked, already.among) : 0;
  return [{ reason: OPEN_AT_A_DESK, number: open }, ...refused, { reason: already?.reason ?? '', number: done }].filter(
    ({ number: out }) => out > 0,
  );
}
