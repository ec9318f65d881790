import { Type, type Static, type TSchema } from 'typebox';
import { MOST_DUPLICATES } from './duplicates.ts';
import { Event } from './events.ts';
import { STATES, type State } from './states.ts';
import { Text } from './texts.ts';
import { timestamp } from './users.ts';

const maybe = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const maybeTime = (description: string) => Type.Union([timestamp(description), Type.Null()], { description });
const duplicates = (description: string) => Type.Array(Type.Integer(), { maxItems: MOST_DUPLICATES, description });

export const Lead = Type.Object(
  {
    id: Type.Integer(),
    location: Type.String({ description: 'Path of the lead.', examples: ['/api/v2/leads/1'] }),
    url: Type.String({ description: 'Address of the lead in the web application.' }),
    list_name: Type.String(),
    list_location: Type.String({ description: 'Path of its list.', examples: ['/api/v2/lists/1'] }),
    primary_identifier: Type.String({ description: 'The value of the first visible column; `""` for none.' }),
    secondary_identifier: Type.String({ description: 'Of the second.' }),
    tertiary_identifier: Type.String({ description: 'Of the third.' }),
    state: Type.Enum(Object.keys(STATES) as State[], { description: 'What the last outcome made of it.' }),
    category: maybe('That of the last outcome, where one was given.'),
    scheduled_for: maybeTime('Of a call back: when it is due. Otherwise a reminder.'),
    claimed_by: maybe('E-mail of the user who holds the claim.'),
    claimed_at: maybeTime('Since when.'),
    detected_duplicates: duplicates('Ids of leads that share a value with it: of those you may see, the lowest.'),
    ignored_duplicates: duplicates('Those of which someone said that they are none.'),
    created_at: timestamp('When the lead was created.'),
    last_updated: timestamp('When data, state, category, schedule, claim or list changed, or a comment or text came.'),
    lead_data: Type.Record(Type.String(), Type.String(), {
      description: 'Every column key of the list; `""` where nothing is stored. Date-times are `YYYY-MM-DD HH:MM:SS`.',
    }),
  },
  { title: 'Lead', description: 'Someone to call.' },
);
export type Lead = Static<typeof Lead>;

export const LeadWithEvents = Type.Object(
  {
    ...Lead.properties,
    events: Type.Array(Event, { description: 'Newest first, up to 20; all are at `/api/v2/leads/{id}/events`.' }),
  },
  { title: 'LeadWithEvents', description: 'A lead with what happened to it last.' },
);

export const FoundLeads = Type.Object(
  {
    total: Type.Integer({ description: 'How many there are, on all pages.' }),
    leads: Type.Array(Lead, { description: 'This page of them.' }),
  },
  { title: 'FoundLeads' },
);

/** Column key → value. What a value may be depends on its column. */
export const LeadValues = Type.Object(
  {
    lead: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Keys are the column keys of the list, values text. `null` or `""` clears.',
      published: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
    }),
  },
  { title: 'LeadValues' },
);

const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

export const Outcome = Type.Object(
  {
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
      category: orNull(
        Type.String(),
        'One of the list’s categories for this kind, exactly; for 30 days also what one was called before, recorded by the name it has now.',
      ),
    }),
  },
  { title: 'Outcome' },
);
export type Outcome = Static<typeof Outcome>['lead'];

export const Comment = Type.Object({ comment: Type.String({ maxLength: 10_000 }) });

export const Duplicate = Type.Object({ duplicate_id: Type.Integer({ description: 'The other lead.' }) });

/** A deleted lead that can still be brought back. */
export const DeletedLead = Type.Object({
  id: Type.Integer(),
  primary_identifier: Type.String({ description: 'The first of its identifiers that says something.' }),
  list_name: Type.String({ description: 'Where it was.' }),
  deleted_at: timestamp('When it was deleted.'),
  deleted_by: Type.String(),
  removed_at: timestamp('When it goes for good.'),
});
export type DeletedLead = Static<typeof DeletedLead>;

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
    description: 'Name → before and after. A field that is named like what else changes is told of as `field.state`.',
  }),
  text: Type.Union([Type.Pick(Text, ['state', 'error']), Type.Null()], {
    description: 'What became of the message that was sent.',
  }),
});

export const Delegation = Type.Object(
  {
    lead: Type.Object({
      delegate_to: Type.Union([Type.Integer(), Type.String()], {
        description: 'Id or e-mail of the user who should hold the claim.',
      }),
    }),
  },
  { title: 'Delegation' },
);

export const Migration = Type.Object(
  {
    lead: Type.Object({
      to_list_id: Type.Integer({ description: 'May be the current list, to only release a claim.' }),
      give_back_leads: Type.Optional(
        Type.Boolean({
          description: '`"1"` releases the lead if claimed; `"0"` leaves the claim.',
          published: { type: 'string', enum: ['0', '1'], default: '0' },
        }),
      ),
    }),
  },
  { title: 'Migration' },
);
export type Migration = Static<typeof Migration>['lead'];
