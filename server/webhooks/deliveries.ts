import type { WebhookEvent } from '../../contract/webhooks.ts';
import { PLAN_ANEW, query, type Db, type Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Node } from '../platform/nodes.ts';
import { WAITS_FOR_RECORDING } from './fan-out.ts';
import { LONGEST_WAITS, waitAfter, type Attempt, type Taken } from './deliver.ts';
import { sweep, sweepSql, type Sweep } from '../platform/sweep.ts';

/** Of all subscribers together, give or take one of them: the next are taken when these have begun. */
const MOST_AT_ONCE = 500;

// What was done to many is taken where there is room behind the rest. Accounts take turns, a subscriber each, whoever has waited longest first: what
// one has in plenty comes no sooner than the first of another. Planned anew, as the noting below: a plan made while there were few deliveries reads all of them when there are many.
const TAKE = sql('webhooks/deliveries.take')`${PLAN_ANEW}
  with lines as (
    select w.account_id, w.id, w.target_url, w.sealed, coalesce(known.most, $1) as most, first.later, first.next_at,
           row_number() over (partition by w.account_id order by first.later, first.next_at, w.id) as turn
      from webhooks w
      left join unnest($2::bigint[], $3::integer[]) as known (id, most) on known.id = w.id
      cross join lateral (
        select d.later, d.next_at from deliveries d
         where d.webhook_id = w.id and d.later in (false, true) and d.state = 'waiting' and d.taken_by is null
           and d.next_at <= now()
         order by d.later, d.next_at limit 1) first
     where w.ended_at is null and coalesce(known.most, $1) > 0
       and (known.most >= $6 or w.account_id <> all ($4::bigint[]))
  ), counted as (
    select line.*, own.number as own, rest.number as rest
      from (select * from lines order by turn, later, next_at, id limit ${MOST_AT_ONCE}) line
      cross join lateral (
        select count(*) as number from (
          select from deliveries
           where webhook_id = line.id and not later and state = 'waiting' and taken_by is null and next_at <= now()
           limit line.most) d) own
      cross join lateral (
        select count(*) as number from (
          select from deliveries
           where webhook_id = line.id and later and state = 'waiting' and taken_by is null and next_at <= now()
           limit line.most - own.number) d) rest
  ), filled as (
    select *, sum(own + rest) over (order by turn, later, next_at, id) - own - rest as before_it from counted
  ), due as (
    select d.account_id, d.id, f.target_url, f.sealed, a.base_url
      from filled f join accounts a on a.id = f.account_id
      cross join lateral (values (false, f.own), (true, f.rest)) as share (later, number)
      cross join lateral (
        select account_id, id from deliveries
         where webhook_id = f.id and later = share.later and state = 'waiting' and taken_by is null and next_at <= now()
         order by next_at, id limit share.number for update skip locked) d
     where f.before_it < ${MOST_AT_ONCE}
  )
  update deliveries d set attempts = d.attempts + 1, taken_by = $5
    from due where d.account_id = due.account_id and d.id = due.id
  returning d.account_id, d.id, d.webhook_id, d.resource, d.attempts as attempt, d.attempts - d.before_plan as planned,
    due.target_url, due.sealed, due.base_url`;

/** How many of each subscriber: as many as is known to be right for it, or so many. Of accounts that are `full`, only for those known as `quick`. */
type Most = { known: Map<number, number>; unknown: number; full: number[]; quick: number };

/** This node's until they are noted or given back, or it is gone. */
export async function takeDeliveries(db: Db, nodeId: number, { known, unknown, full, quick }: Most): Promise<Taken[]> {
  const values = [unknown, [...known.keys()], [...known.values()], full, nodeId, quick];
  const taken = await query<Taken>(db, TAKE, values);
  return taken.toSorted((a, b) => a.id - b.id);
}

const GIVE_BACK = sql('webhooks/deliveries.give_back')`
  update deliveries d set attempts = d.attempts - 1, taken_by = null
    from unnest($1::bigint[], $2::bigint[], $3::integer[]) as b (account_id, id, attempt)
   where d.account_id = b.account_id and d.id = b.id and d.attempts = b.attempt and d.taken_by = $4`;

/** Taken, and then not tried after all, or not to its end: as if it had never been. */
export async function giveBack(db: Db, nodeId: number, taken: Taken[]): Promise<void> {
  if (taken.length === 0) return;
  await query(db, GIVE_BACK, [
    taken.map(({ account_id }) => account_id),
    taken.map(({ id }) => id),
    taken.map(({ attempt }) => attempt),
    nodeId,
  ]);
}

// Whatever was taken was due. Where the clock was set back since, its time would come only when the clock is there again.
const FREE = sql('webhooks/deliveries.free')`
  update deliveries d set attempts = d.attempts - 1, taken_by = null, next_at = least(d.next_at, now())
   where d.taken_by is not null and d.taken_by <> $1
     and (d.taken_by = any ($2::bigint[]) or not exists (select from nodes n where n.id = d.taken_by))`;

/** What nodes had taken that are gone. Nobody knows how far they came, so it is brought once more, under the same id. */
export const freeDeliveries = (db: Db, { id, silent }: Pick<Node, 'id' | 'silent'>) => query(db, FREE, [id, silent()]);

const FREE_OWN = sql('webhooks/deliveries.free_own')`
  update deliveries set attempts = attempts - 1, taken_by = null, next_at = least(next_at, now())
   where taken_by = $1 and state = 'waiting' and not (id = any ($2::bigint[]))`;

/** What this node has taken without having heard of it: the answer was lost with the connection, and nobody else looks at it while the node lives. */
export const freeUnknown = (db: Db, nodeId: number, inHand: Taken[]) =>
  query(db, FREE_OWN, [nodeId, inHand.map(({ id }) => id)]);

// Of a subscription that ended: what was more than its end gave up at once, and what was written beside it, by a transaction that could not see it yet.
const CLOSE = sql('webhooks/deliveries.close')`${sweepSql({
  table: 'deliveries',
  past: `webhook_id = any (array(select id from webhooks where ended_at is not null))
           and state = 'waiting' and taken_by is null`,
  set: "state = 'failed'",
})}`;
// Nothing waits longer than the plan of attempts says from now on, wherever the clock stood when its time was written; before the first only a
// call does, for its recording.
const PULL = sql('webhooks/deliveries.pull')`${PLAN_ANEW}
  update deliveries d set next_at = now() + coalesce(($1::interval[])[d.attempts - d.before_plan + 1], interval '0')
   where d.state = 'waiting' and d.taken_by is null
     and d.next_at > now() + interval '5 seconds'
           + greatest(coalesce(($1::interval[])[d.attempts - d.before_plan + 1], interval '0'), interval '${WAITS_FOR_RECORDING} seconds')`;

/** What nobody would ever look at again: of subscriptions that ended, and what a clock that was set back put far ahead. */
export async function tidyDeliveries(db: Db): Promise<void> {
  await sweep(db, [CLOSE]);
  await query(db, PULL, [LONGEST_WAITS.map((ms) => `${Math.ceil(ms / 1_000)} seconds`)]);
}

const NOTE = sql('webhooks/deliveries.note')`${PLAN_ANEW}
  with result as materialized (
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::integer[], $6::integer[],
      $7::integer[], $8::text[], $9::text[],
      $10::text[], $11::float8[]) as r (account_id, webhook_id, id, attempt, ago, ms, status, answer, error, state,
        wait)
  ), logged as (
    insert into delivery_attempts (account_id, delivery_id, attempt, at, ms, status, answer, error)
    select d.account_id, d.id, r.attempt, now() - r.ago * interval '1 millisecond', r.ms, r.status, r.answer, r.error
      from result r join deliveries d on d.account_id = r.account_id and d.id = r.id
    on conflict do nothing
  ), told as (
    update webhooks w set last_error = l.error
      from (select distinct on (webhook_id) account_id, webhook_id, error from result order by webhook_id, ago) l
     where w.account_id = l.account_id and w.id = l.webhook_id and w.last_error is distinct from l.error
  )
  update deliveries d set next_at = coalesce(now() + r.wait * interval '1 millisecond', d.next_at), taken_by = null,
         state = case when r.state = 'waiting' and w.ended_at is not null then 'failed' else r.state end
    from result r join webhooks w on w.account_id = r.account_id and w.id = r.webhook_id
   where d.account_id = r.account_id and d.id = r.id and d.attempts = r.attempt and d.taken_by = $12`;

/** How attempts went, and what becomes of their deliveries, unless they were taken from this node meanwhile. */
export async function noteAttempts(db: Db, nodeId: number, attempts: Attempt[]): Promise<void> {
  // Before they are noted: after that nobody would come back to it, should this node die in between.
  for (const { taken } of attempts.filter(({ verdict }) => verdict === 'gone'))
    await endWebhook(db, taken.account_id, taken.webhook_id);
  const column = <T>(of: (attempt: Attempt) => T) => attempts.map(of);
  const waits = column(({ verdict, taken }) => (verdict === 'again' ? waitAfter(taken.planned) : undefined));
  const now = performance.now();
  await query(db, NOTE, [
    column(({ taken }) => taken.account_id),
    column(({ taken }) => taken.webhook_id),
    column(({ taken }) => taken.id),
    column(({ taken }) => taken.attempt),
    column(({ begun }) => Math.round(now - begun)),
    column(({ ms }) => ms),
    column(({ status }) => status),
    column(({ answer }) => answer),
    column(({ error }) => error),
    column(({ verdict }, index = 0) =>
      verdict === 'delivered' ? 'delivered' : waits[index] === undefined ? 'failed' : 'waiting',
    ),
    waits.map((wait) => wait ?? null),
    nodeId,
  ]);
}

const REDIRECT = sql('webhooks/deliveries.redirect')`
  update deliveries set resource = '/api/v2/leads/' || $3::bigint
   where account_id = $1 and event_id in (select id from events where account_id = $1 and lead_id = $2)
     and state = 'waiting'`;

/**
 * What is still to be told of a lead that becomes part of another is told of that one. Found by its events while they are its own: of what
 * waits there may be any number.
 */
export const redirectDeliveries = (accountId: number, from: number, to: number): Statement => ({
  text: REDIRECT,
  values: [accountId, from, to],
});

/** More than this is given up by and by: the deliveries of all others wait for this statement. */
const GIVEN_UP_AT_ONCE = 1_000;

// What is just being taken or noted is passed over: whoever does so waits for the subscription's own row in turn.
const END = sql('webhooks/deliveries.end')`${PLAN_ANEW}
  with ended as (
    update webhooks set ended_at = now() where account_id = $1 and id = $2 and ended_at is null
    returning id, event, target_url, list_id, created_at, last_error
  ), given_up as (
    update deliveries d set state = 'failed' from ended
     where d.account_id = $1 and d.webhook_id = ended.id
       and d.id = any (array(
             select id from deliveries
              where account_id = $1 and webhook_id = $2 and state = 'waiting' and taken_by is null
              limit ${GIVEN_UP_AT_ONCE} for update skip locked) || array(
             select id from deliveries
              where account_id = $1 and webhook_id = $2 and state = 'waiting' and taken_by is not null
                for update skip locked))
  )
  select * from ended`;

/** A subscription, as it was when it ended. */
export type WebhookRow = {
  id: number;
  event: WebhookEvent;
  target_url: string;
  list_id: number | null;
  created_at: Date;
  last_error: string | null;
};

/** What was still on its way is not brought any more; the log stays. Of whatever list: who wants no more must hear no more when it is back. */
export async function endWebhook(db: Db, accountId: number, id: number): Promise<WebhookRow | undefined> {
  const [row] = await query<WebhookRow>(db, END, [accountId, id]);
  return row;
}

export const PAST_DELIVERIES: Sweep = { table: 'deliveries', past: `created_at < now() - interval '30 days'` };
