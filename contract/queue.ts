import { Type, type Static } from 'typebox';
import { LeadWithEvents } from './leads.ts';
import { COLUMN_KINDS, type ColumnKind } from './lists.ts';
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

/** What a list needs to be worked on screen. */
export const Desk = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  script: Type.String({ description: 'Markdown, with merge tags {{key}}.' }),
  inline_identifiers: Type.Boolean(),
  categories: Type.Record(Type.String(), Type.Array(Type.String())),
  columns: Type.Array(
    Type.Object({
      key: Type.String(),
      label: Type.String(),
      kind: Type.Enum(Object.keys(COLUMN_KINDS) as ColumnKind[]),
      visible: Type.Boolean(),
      required: Type.Boolean(),
      options: Type.Array(Type.String()),
    }),
  ),
});
export type Desk = Static<typeof Desk>;

/** What someone has done today. */
export const Day = Type.Object({ calls: Type.Integer(), outcomes: Type.Integer(), won: Type.Integer() });
export type Day = Static<typeof Day>;
