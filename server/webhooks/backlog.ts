import { MOST_MEASURED, type Measure } from '../platform/measures.ts';
import { createCounter } from '../platform/metrics.ts';
import { waitAfter, type Attempt } from './deliver.ts';

// Two branches, because each has an index of its own: those that nobody has taken, and the few that are under way.
const WAITING = `(
  select webhook_id, id from deliveries where taken_by is not null and state = 'waiting'
  union all
  select webhook_id, id from deliveries where taken_by is null and state = 'waiting' limit ${MOST_MEASURED}) waiting`;

/** What waits to be brought to subscribers, and how it goes. */
export const DELIVERIES: Measure[] = [
  {
    name: 'leadline_deliveries_waiting',
    help: `Deliveries that have not arrived and are not given up, up to ${MOST_MEASURED}`,
    text: `select count(*) as value from ${WAITING}`,
  },
  {
    name: 'leadline_deliveries_oldest_seconds',
    help: 'Since when the oldest of them waits, retries and all',
    // By their ids, which the index has: to look at the age of each would read them all.
    text: `select coalesce(max(extract(epoch from now() - d.created_at)), 0) as value
             from (select webhook_id, id from ${WAITING} order by id limit 1) oldest
             join webhooks w on w.id = oldest.webhook_id
               join deliveries d on d.account_id = w.account_id and d.id = oldest.id`,
  },
  {
    name: 'leadline_deliveries_overdue_seconds',
    help: 'For how long the next attempt of one is due without having begun',
    // Whose attempt has begun is taken, so what lies in the past and is not has not begun. What was done to many waits behind the others.
    text: `select coalesce(greatest(extract(epoch from now() - min(first.next_at)), 0), 0) as value
             from webhooks w cross join lateral (
               select next_at from deliveries d
                where d.webhook_id = w.id and not d.later and d.state = 'waiting' and d.taken_by is null
                order by next_at limit 1) first
            where w.ended_at is null`,
  },
];

export const deliveryAttempts = createCounter(
  'leadline_delivery_attempts_total',
  'Attempts to bring a delivery; failed: it is given up',
  'result',
  ['delivered', 'again', 'failed'],
);

export function countAttempt({ verdict, taken }: Attempt): void {
  const again = verdict === 'again' && waitAfter(taken.planned) !== undefined;
  deliveryAttempts.inc({ result: verdict === 'delivered' ? 'delivered' : again ? 'again' : 'failed' });
}
