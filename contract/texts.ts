import { Type, type Static } from 'typebox';
import { Timestamp } from './users.ts';

export const TEXT_STATES = ['queued', 'sent', 'delivered', 'failed', 'received'] as const;

export const Text = Type.Object({
  id: Type.Integer(),
  direction: Type.Enum(['outbound', 'inbound']),
  state: Type.Enum([...TEXT_STATES]),
  number: Type.String({ description: 'Theirs.' }),
  own_number: Type.Union([Type.String(), Type.Null()]),
  body: Type.String(),
  error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed.' }),
  user_email: Type.String({ description: 'Who wrote it; empty for what came in.' }),
  event_id: Type.Union([Type.Integer(), Type.Null()]),
  opted_out: Type.Boolean({ description: 'The number asked for no more text messages.' }),
  created_at: Timestamp,
});
export type Text = Static<typeof Text>;

export const NewText = Type.Object({
  text: Type.Object({
    body: Type.String({ minLength: 1, maxLength: 1_600 }),
    number: Type.Optional(Type.String({ maxLength: 100, description: "Unless it is one of the lead's columns." })),
    column: Type.Optional(
      Type.String({ description: 'Key of the phone column to write to; else the first filled in.' }),
    ),
  }),
});
export type NewText = Static<typeof NewText>['text'];
