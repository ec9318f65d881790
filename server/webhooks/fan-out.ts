import { WEBHOOK_EVENTS, type WebhookEvent } from '../../contract/webhooks.ts';
import type { Statement } from '../platform/db.ts';
import type { Told } from '../platform/work.ts';

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

const FAN_OUT = `
  insert into deliveries (account_id, webhook_id, event_id, resource)
  select w.account_id, w.id, event.id, '/api/v2/leads/' || event.lead_id
    from event join webhooks w on w.account_id = $1 and w.list_id = event.list_id
   where w.event = any ($2::text[]) and w.ended_at is null`;

/** A delivery for everyone who subscribed, from the rows `event` that are being written. Nothing where nobody did. */
export const fanOut = (told: Told): Statement => ({ text: FAN_OUT, values: [told.accountId, namesOf(told)] });

const FAN_OUT_CALLS = `
  insert into deliveries (account_id, webhook_id, resource)
  select w.account_id, w.id, '/api/v2/calls/' || told.id
    from told join webhooks w on w.account_id = $1 and (w.list_id is null or w.list_id = told.list_id)
   where w.event = $2 and w.ended_at is null`;

/** The same for calls, from the rows `told (id, list_id)`, to those who subscribed to their list or to the account. */
export const fanOutCalls = (accountId: number, event: 'new_call' | 'new_recording'): Statement => ({
  text: FAN_OUT_CALLS,
  values: [accountId, event],
});
