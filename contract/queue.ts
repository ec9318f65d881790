import { Type, type Static } from 'typebox';
import { LeadWithEvents } from './leads.ts';
import { Timestamp } from './users.ts';

export const Next = Type.Object({
  lead: Type.Union([LeadWithEvents, Type.Null()], { description: 'Held for whoever asked; null when there is none.' }),
  next_due_at: Type.Union([Timestamp, Type.Null()], { description: 'When the next call back falls due.' }),
});

export const SignOfLife = Type.Object({
  input: Type.Optional(
    Type.Boolean({ description: 'Whether the person did something since the last one. Default true.' }),
  ),
});

export const Hold = Type.Object({ held_until: Timestamp });

export const Skip = Type.Object({
  lead: Type.Object({
    category: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    comment: Type.Optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])),
  }),
});
export type Skip = Static<typeof Skip>['lead'];
