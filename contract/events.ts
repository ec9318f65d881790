import { Type, type Static } from 'typebox';
import { timestamp } from './users.ts';

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

export const Event = Type.Object(
  {
    id: Type.Integer({ description: 'What a call names as its `event_id`.' }),
    kind: Type.Enum([...EVENT_KINDS], { description: 'What happened.' }),
    category: Type.Union([Type.String(), Type.Null()], {
      description: 'Of an outcome or a skip: the one that was chosen.',
    }),
    comment: Type.String({ description: 'What was written with it, or the text of a message; `""` for none.' }),
    user_email: Type.String({ description: "Empty for the account's key and for the service itself." }),
    call: Type.Union([Type.String(), Type.Null()], { description: 'Path of the call that led to it.' }),
    created_at: timestamp('When it happened.'),
  },
  { title: 'Event', description: 'Something that happened to a lead.' },
);
export type Event = Static<typeof Event>;
