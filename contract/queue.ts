import { Type, type Static } from 'typebox';
import { LeadWithEvents } from './leads.ts';
import { CATEGORY_KINDS, COLUMN_KINDS, type ColumnKind } from './lists.ts';
import { STATES, type State } from './states.ts';
import { Timestamp } from './users.ts';

export const Next = Type.Object({
  lead: Type.Union([LeadWithEvents, Type.Null()], { description: 'Held for whoever asked; null when there is none.' }),
  next_due_at: Type.Union([Timestamp, Type.Null()], { description: 'When the next call back falls due.' }),
  paused: Type.Boolean({
    description: 'The list is paused or archived: it gives nothing but what whoever asks has open already.',
  }),
});

const MOST_BEHIND = 100;

export const Going = Type.Object({
  past: Type.Optional(
    Type.Union([Type.Integer(), Type.Array(Type.Integer(), { maxItems: MOST_BEHIND })], {
      description:
        'The lead that is being finished or left just now, and those that were gone past before: another one is given, though they may still be open.',
    }),
  ),
});

export const SignOfLife = Type.Object({
  input: Type.Optional(
    Type.Boolean({ description: 'Whether the person did something since the last one. Default true.' }),
  ),
  opens: Type.Optional(
    Type.Boolean({
      description:
        'Whether it is opened in any case where nobody has it. Default true; who has it open says false, so that what comes late opens nothing again that was finished meanwhile.',
    }),
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
  country: Type.String({ description: 'Of the account: numbers and days are written as they are there.' }),
  caller_number: Type.Union([Type.String(), Type.Null()], { description: 'What those who are called see.' }),
  claims: Type.Object(
    { schedule: Type.Boolean(), put_off: Type.Boolean() },
    { description: 'After which call backs a lead stays with whoever gave it.' },
  ),
  paused: Type.Boolean({ description: 'Or archived: its queue gives nothing.' }),
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

const Waiting = Type.Object({
  id: Type.Integer(),
  primary_identifier: Type.String(),
  secondary_identifier: Type.String(),
  state: Type.Enum(Object.keys(STATES) as State[]),
  category: Type.Union([Type.String(), Type.Null()]),
  at: Type.String({ format: 'date-time', description: 'When its turn comes, or came.' }),
  yours: Type.Boolean({ description: 'Claimed by whoever asks; else it is anyone’s.' }),
});
export type Waiting = Static<typeof Waiting>;

export const Past = Type.Object({
  past: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'Ids of leads that were gone past, separated by commas; they come later.',
    }),
  ),
});

/** What the queue of a list will bring. */
export const Ahead = Type.Object({
  next: Type.Union([Waiting, Type.Null()], { description: 'Likely the next lead: a forecast, not a hold.' }),
  coming: Type.Array(Waiting, { description: 'Those that fall due soonest.' }),
  later_today: Type.Integer({
    description: 'How many fall due until midnight in the account’s time zone; 1,000 at most are counted.',
  }),
  tomorrow: Type.Integer({ description: 'And on the day after.' }),
});
export type Ahead = Static<typeof Ahead>;

const Done = Type.Object({
  lead_id: Type.Integer(),
  primary_identifier: Type.String(),
  secondary_identifier: Type.String(),
  kind: Type.Enum([...CATEGORY_KINDS]),
  category: Type.Union([Type.String(), Type.Null()]),
  at: Timestamp,
  duration: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds of the call that led to it.' }),
});

/** What someone has done today, in the account's time zone. */
export const Day = Type.Object({
  calls: Type.Integer(),
  reached: Type.Integer({ description: 'Calls in which someone answered.' }),
  talked: Type.Integer({ description: 'Seconds.' }),
  won: Type.Integer(),
  call_back: Type.Integer(),
  lost: Type.Integer(),
  archived: Type.Integer(),
  hours: Type.Array(Type.Integer(), {
    description: 'Calls begun in each hour of the day.',
    minItems: 24,
    maxItems: 24,
  }),
  done: Type.Array(Done, { description: 'Outcomes, newest first.' }),
});
export type Day = Static<typeof Day>;
