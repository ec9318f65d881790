import type { Event } from '../../contract/events.ts';

/** The members of an event, from `events e`. */
export const EVENT_COLUMNS = `
  e.id, e.kind, e.category, e.comment, coalesce(eu.email, '') as user_email,
  (select c.id from calls c where c.account_id = e.account_id and c.event_id = e.id order by c.id limit 1) as call_id,
    e.created_at`;

export const EVENT_TABLES = 'events e left join users eu on eu.account_id = e.account_id and eu.id = e.user_id';

/** Times are text where they come by way of JSON. */
export type EventRow = Omit<Event, 'call' | 'created_at'> & { call_id: number | null; created_at: Date | string };

export const toEvent = ({ id, kind, category, comment, user_email, call_id, created_at }: EventRow): Event => ({
  id,
  kind,
  category,
  comment,
  user_email,
  call: call_id === null ? null : `/api/v2/calls/${call_id}`,
  created_at: new Date(created_at).toISOString(),
});
