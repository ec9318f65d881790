import { MOST_COUNTED, type Delivery, type DeliveryCounts, type DeliveryState } from '../../contract/webhooks.ts';
import type { Actor } from '../platform/actor.ts';
import { one, PLAN_ANEW, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { beginOf, endOf, fillAnswer, refuseTooLarge, type Filling, type Page } from '../platform/paging.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading, Work } from '../platform/work.ts';
import { isThere } from './webhooks.ts';
import { maskTarget } from './targets.ts';
import { DELETED_LISTS } from '../lists/people.ts';

/** Deliveries as those who look after a subscription see them. */

type Row = Omit<Delivery, 'resource_url' | 'created_at' | 'next_at' | 'log'> & {
  resource: string;
  created_at: Date;
  next_at: Date;
  /** As JSON: the answers in it can be long. */
  log: string;
};

const COLUMNS = `
  d.id, d.webhook_id, w.event, w.target_url, d.resource, d.state, d.attempts, d.next_at, d.created_at,
  (select coalesce(json_agg(json_build_object(
            'attempt', a.attempt, 'at', ${isoOf('a.at')}, 'status', a.status, 'ms', a.ms, 'answer', a.answer,
            'error', a.error) order by a.attempt desc), '[]')::text
     from delivery_attempts a where a.account_id = d.account_id and a.delivery_id = d.id) as log`;
const TABLES = 'deliveries d join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id';

/** Those of deleted lists are left out: of a webhook that is asked for as of all. */
const CHOSEN = `d.account_id = $1 and ($2::bigint is null or d.webhook_id = $2)
  and d.webhook_id not in (select w.id from webhooks w where w.account_id = $1 and w.list_id in ${DELETED_LISTS})`;
const PAGE = sql('webhooks/delivery-log.page')`${PLAN_ANEW}${fillAnswer(
  `select d.*, octet_length(d.log) + 500 as bytes from (
     select ${COLUMNS} from ${TABLES}
      where ${CHOSEN} and ($3::text is null or d.state = $3) and ($4::bigint is null or d.id < $4)
      order by d.id desc limit $5 offset $6) d`,
  'id desc',
)}`;

const TOTAL = sql('webhooks/delivery-log.total')`${PLAN_ANEW}
  select count(*) as total
    from (select d.state from deliveries d where ${CHOSEN}
           order by d.id desc limit ${MOST_COUNTED}) newest
   where $3::text is null or state = $3`;

export type Choice = { webhookId: number | null; state: DeliveryState | null };

/** Newest first, each with the log of its attempts. Counted are the newest alone: pages ask every few seconds. */
export async function listDeliveries({ db }: Reading, actor: Actor, { webhookId, state }: Choice, page: Page) {
  const chosen = [actor.account.id, webhookId, state];
  const { before, offset } = beginOf(page);
  const [rows, [counted]] = await Promise.all([
    query<Row & Filling>(db, PAGE, [...chosen, before, page.size, offset]),
    query<{ total: number }>(db, TOTAL, chosen),
  ]);
  refuseTooLarge(rows);
  const json = `[${rows.map((row) => writeDelivery(row, actor)).join(',')}]`;
  return { json, total: counted!.total, end: endOf(rows, page) };
}

const COUNT = sql('webhooks/delivery-log.count')`
  select counted.* from webhooks w cross join lateral (
    select count(*) as all, count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'waiting') as waiting
      from (select state from deliveries d where d.account_id = w.account_id and d.webhook_id = w.id
             order by id desc limit ${MOST_COUNTED}) newest) counted
   where w.account_id = $1 and w.id = $2 and ${isThere('w')}`;

export async function countDeliveries({ db }: Reading, actor: Actor, webhookId: number | undefined) {
  return one<DeliveryCounts>(db, COUNT, [actor.account.id, webhookId ?? 0]);
}

function writeDelivery(
  { id, webhook_id, event, target_url, resource, state, attempts, next_at, created_at, log }: Row,
  { account }: Actor,
) {
  const delivery: Omit<Delivery, 'log'> = {
    id,
    webhook_id,
    event,
    target_url: maskTarget(target_url),
    resource_url: `${account.baseUrl}${resource}`,
    state,
    attempts,
    next_at: state === 'waiting' ? next_at.toISOString() : null,
    created_at: created_at.toISOString(),
  };
  return `${JSON.stringify(delivery).slice(0, -1)},"log":${log}}`;
}

const REDELIVER = sql('webhooks/delivery-log.redeliver')`
  update deliveries d set state = 'waiting', next_at = now(), taken_by = null, attempts = d.attempts + 1,
         before_plan = d.attempts + 1
    from webhooks w
   where d.account_id = $1 and d.id = $2 and w.account_id = d.account_id and w.id = d.webhook_id and w.ended_at is null
     and ${isThere('w')}
  returning d.id`;

/**
 * Once more, at once, under the same id: a subscriber that has it already can tell. Counted, so that an attempt under way does not end this one; and
 * not as one of the plan, which begins anew: whoever asks while a subscriber is away would use it up.
 */
export async function redeliver({ db }: Work, actor: Actor, id: number | undefined): Promise<void> {
  await one(db, REDELIVER, [actor.account.id, id ?? 0]);
}

const SEND_TEST = sql('webhooks/delivery-log.send_test')`
  insert into deliveries (account_id, webhook_id, resource)
  select w.account_id, w.id, case when w.event in ('new_call', 'new_recording')
           then '/api/v2/calls/' || coalesce((select max(c.id) from calls c where c.account_id = w.account_id), 0)
           else '/api/v2/leads/' || coalesce((select l.id from leads l
             where l.account_id = w.account_id and l.list_id = w.list_id
                                               order by l.created_at desc, l.id desc limit 1), 0) end
    from webhooks w where w.account_id = $1 and w.id = $2 and w.ended_at is null and ${isThere('w')} returning id`;

/** As if something had happened just now, to the newest lead or call the subscriber could hear of. */
export async function sendTest({ db }: Work, actor: Actor, webhookId: number | undefined): Promise<number> {
  const row = await one<{ id: number }>(db, SEND_TEST, [actor.account.id, webhookId ?? 0]);
  return row.id;
}
