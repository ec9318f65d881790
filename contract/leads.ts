import { Type, type Static, type TSchema } from 'typebox';
import { MOST_DUPLICATES } from './duplicates.ts';
import { Event } from './events.ts';
import { Timestamp } from './users.ts';

const Maybe = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);
const Duplicates = Type.Array(Type.Integer(), {
  maxItems: MOST_DUPLICATES,
  description: 'Of those one may see, the lowest ids.',
});

export const Lead = Type.Object({
  id: Type.Integer(),
  location: Type.String({ examples: ['/api/v2/leads/1'] }),
  url: Type.String({ description: 'Address of the lead in the web application.' }),
  list_name: Type.String(),
  list_location: Type.String({ examples: ['/api/v2/lists/1'] }),
  primary_identifier: Type.String(),
  secondary_identifier: Type.String(),
  tertiary_identifier: Type.String(),
  state: Type.Enum(['new', 'call_back', 'won', 'lost', 'archived']),
  category: Maybe(Type.String()),
  scheduled_for: Maybe(Timestamp),
  claimed_by: Type.Union([Type.String(), Type.Null()], { description: 'E-mail of the user who holds the claim.' }),
  claimed_at: Maybe(Timestamp),
  detected_duplicates: Duplicates,
  ignored_duplicates: Duplicates,
  created_at: Timestamp,
  last_updated: Timestamp,
  lead_data: Type.Record(Type.String(), Type.String(), {
    description: 'Every column key of the list; `""` where nothing is stored.',
  }),
});
export type Lead = Static<typeof Lead>;

export const LeadWithEvents = Type.Object({
  ...Lead.properties,
  events: Type.Array(Event, { description: 'Newest first, up to 20; all are at /leads/:id/events.' }),
});

export const FoundLeads = Type.Object({ total: Type.Integer(), leads: Type.Array(Lead) });

/** Column key → value. What a value may be depends on its column. */
export const LeadValues = Type.Object({
  lead: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Keys are the column keys of the list, values text. `null` or `""` clears.',
  }),
});

const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

export const Outcome = Type.Object({
  lead: Type.Object({
    call_back_in: orNull(Type.Integer({ minimum: 0, maximum: 5_256_000 }), 'Minutes until the scheduled call back.'),
    scheduled_for: orNull(
      Type.String({ examples: ['2026-12-01 09:30:00 UTC'] }),
      '`YYYY-MM-DD HH:MM:SS UTC`; goes before `call_back_in`.',
    ),
    exactly: Type.Optional(
      Type.Boolean({ description: 'Of a call back: at that time (default), or any time after it.' }),
    ),
    comment: orNull(Type.String({ maxLength: 10_000 }), 'Kept with the event.'),
    category: orNull(Type.String(), 'One of the list’s categories for this kind, exactly.'),
  }),
});
export type Outcome = Static<typeof Outcome>['lead'];

export const Comment = Type.Object({ comment: Type.String({ maxLength: 10_000 }) });

export const Duplicate = Type.Object({ duplicate_id: Type.Integer({ description: 'The other lead.' }) });

export const Merge = Type.Object({
  ...Duplicate.properties,
  take: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: 1_000,
      description:
        'Keys of the columns whose value is to be that of the other lead. Left out: of those that are empty here.',
    }),
  ),
});
export type Merge = Static<typeof Merge>;

/** An event with all that the pages show of it. */
export const Activity = Type.Object({
  ...Event.properties,
  via: Type.Enum(['api', 'app', 'service']),
  changes: Type.Record(Type.String(), Type.Tuple([Type.Unknown(), Type.Unknown()]), {
    description: 'Name → before and after.',
  }),
});

export const Delegation = Type.Object({
  lead: Type.Object({
    delegate_to: Type.Union([Type.Integer(), Type.String()], {
      description: 'Id or e-mail of the user who should hold the claim.',
    }),
  }),
});

export const Migration = Type.Object({
  lead: Type.Object({
    to_list_id: Type.Integer({ description: 'May be the current list, to only release a claim.' }),
    give_back_leads: Type.Optional(Type.Boolean({ description: '`"1"` releases the lead if claimed.' })),
  }),
});
export type Migration = Static<typeof Migration>['lead'];
