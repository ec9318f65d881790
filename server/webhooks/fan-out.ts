import { WEBHOOK_EVENTS, type WebhookEvent } from '../../contract/webhooks.ts';
import { EVENT } from '../activity/record.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import type { Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Told } from '../platform/work.ts';

/** How many seconds a call waits for its recording before it is told all the same. */
export const WAITS_FOR_RECORDING = 30;

const SILENT = new Set(['unclaim', 'migration']);
const TEXTS = new Set(['text', 'inbound_text']);

/** Which subscriptions an event of a lead concerns. */
export function namesOf({ kind, comment }: Pick<Told, 'kind' | 'comment'>): WebhookEvent[] {
  const names: WebhookEvent[] = [];
  const own = WEBHOOK_EVENTS.find((name) => name === kind);
  if (own) names.push(own);
  if (!SILENT.has(kind)) names.push('new_event');
  // What was written to or by the lead stands where comments do, and is none.
  if (comment !== '' && !TEXTS.has(kind)) names.push('new_comment');
  return names;
}

const FAN_OUT = sql('webhooks/fan-out.fan_out', EVENT)`
  insert into deliveries (account_id, webhook_id, event_id, resource, later)
  select w.account_id, w.id, event.id, '/api/v2/leads/' || event.lead_id, $3::boolean
    from event join webhooks w on w.account_id = $1 and w.list_id = event.list_id
   where w.event = any ($2::text[]) and w.ended_at is null and w.list_id not in ${DELETED_LISTS}`;

/** A delivery for everyone who subscribed, from the rows `event` that are being written. Nothing where nobody did. */
export const fanOut = (told: Told): Statement => ({
  text: FAN_OUT,
  values: [told.accountId, namesOf(told), told.later ?? false],
});

/** What stands for the calls that are told of, where a statement refers to them. */
export const TOLD_ROWS = {
  told: 'select id, list_id, true as account_wide, now() as due_at from calls',
};

const FAN_OUT_CALLS = sql('webhooks/fan-out.fan_out_calls', TOLD_ROWS)`
  insert into deliveries (account_id, webhook_id, resource, next_at)
  select w.account_id, w.id, '/api/v2/calls/' || told.id, told.due_at
    from told join webhooks w on w.account_id = $1
     and case when w.list_id is null then told.account_wide
              else w.list_id = told.list_id and w.list_id not in ${DELETED_LISTS} end
   where w.event = $2 and w.ended_at is null`;

/** The same for calls, from the rows `told (id, list_id, account_wide, due_at)`, to those who subscribed to their list or to the account. */
export const fanOutCalls = (accountId: number, event: 'new_call' | 'new_recording'): Statement => ({
  text: FAN_OUT_CALLS,
  values: [accountId, event],
});

// Found by when they are due, among those that were not tried yet: a subscriber that is away may have any number of others waiting.
const HASTEN = sql('webhooks/fan-out.hasten', TOLD_ROWS)`
  update deliveries d set next_at = now() from told join webhooks w on w.account_id = $1 and w.event = 'new_call'
   where d.account_id = $1 and d.webhook_id = w.id and d.state = 'waiting' and d.taken_by is null and d.attempts = 0
     and not d.later
     and d.next_at > now() and d.next_at < now() + interval '${2 * WAITS_FOR_RECORDING} seconds'
     and d.resource = '/api/v2/calls/' || told.id`;

/** What waits for the recordings of calls waits no more, from the rows `told (id)`. */
export const hastenCalls = (accountId: number): Statement => ({ text: HASTEN, values: [accountId] });
