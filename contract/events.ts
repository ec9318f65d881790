import { Type, type Static } from 'typebox';
import { Timestamp } from './users.ts';

/** What can happen to a lead. One act is one event. */
export const EVENT_KINDS = [
  'winner',
  'loser',
  'archive',
  'call_back',
  'skip',
  'text',
  'inbound_text',
  'comment',
  'lead_created',
  'lead_updated',
  'claim',
  'unclaim',
  'migration',
  'duplicate_ignored',
  'merge',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const Event = Type.Object({
  id: Type.Integer({ description: 'What a call names as its `event_id`.' }),
  kind: Type.Enum([...EVENT_KINDS]),
  category: Type.Union([Type.String(), Type.Null()]),
  comment: Type.String(),
  user_email: Type.String({ description: "Empty for the account's key and for the service itself." }),
  call: Type.Union([Type.String(), Type.Null()], { description: 'Path of the call that led to it.' }),
  created_at: Timestamp,
});
export type Event = Static<typeof Event>;
