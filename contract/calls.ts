import { Type, type Static } from 'typebox';
import { Timestamp } from './users.ts';

export const DIRECTIONS = ['outbound', 'inbound', 'transfer', 'local', 'automated'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** In the only order in which a call passes them. */
export const CALL_STATES = ['initiated', 'calling', 'active', 'completed'] as const;
export type CallState = (typeof CALL_STATES)[number];

export const DISPOSITIONS = [
  'busy',
  'failed',
  'invalid_number',
  'normal',
  'no_answer',
  'temp_unavail',
  'voicemail',
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

const MaybeText = Type.Union([Type.String(), Type.Null()]);
const MaybeId = Type.Union([Type.Integer(), Type.Null()]);

export const Call = Type.Object({
  id: Type.Integer(),
  location: Type.String({ examples: ['/api/v2/calls/1'] }),
  user_email: Type.String(),
  destination_number: Type.String(),
  duration: Type.Integer({ description: 'Seconds; 0 for unanswered and failed attempts.' }),
  started_at: Timestamp,
  caller_id: Type.Object({ number: MaybeText, name: MaybeText }),
  direction: Type.Enum([...DIRECTIONS]),
  disposition: Type.Union([Type.Enum([...DISPOSITIONS]), Type.Null()]),
  state: Type.Enum([...CALL_STATES]),
  lead_id: MaybeId,
  event_id: MaybeId,
  lead: MaybeText,
  list: MaybeText,
  recordings: Type.Array(Type.Object({ started_at: Timestamp, url: Type.String() })),
});
export type Call = Static<typeof Call>;

/** Why there is nothing to hear of a call. */
export const SILENCES = [
  'under_way',
  'not_answered',
  'not_recorded',
  'not_stored_yet',
  'removed',
  'lost',
  'no_right',
] as const;
export type Silence = (typeof SILENCES)[number];

export const Sound = Type.Object({
  silence: Type.Union([Type.Enum([...SILENCES]), Type.Null()], { description: 'Why there is nothing to hear.' }),
  recordings: Type.Array(
    Type.Object({
      seconds: Type.Union([Type.Number(), Type.Null()]),
      channels: Type.Array(
        Type.String({ description: 'How loud each of 480 moments is, a byte each, in Base64. The agent comes first.' }),
      ),
    }),
    { description: 'In the order in which the call names them.' },
  ),
});
export type Sound = Static<typeof Sound>;

/** Shown to those who are called. */
export const CallerIdChange = {
  caller_number: Type.Optional(
    Type.Union([Type.String({ pattern: '^\\+\\d{5,15}$', examples: ['+4570101010'] }), Type.Null()]),
  ),
  caller_name: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()])),
};

export const NewCall = Type.Object({
  call: Type.Object({
    lead_id: Type.Optional(Type.Integer({ description: 'Whom to call.' })),
    column: Type.Optional(
      Type.String({ description: "Key of the lead's phone column; else the first that is filled in." }),
    ),
    number: Type.Optional(Type.String({ maxLength: 100, description: 'Another number, with or without a lead.' })),
    user_id: Type.Optional(Type.Integer({ description: 'A colleague instead; no line is needed for that.' })),
    automated: Type.Optional(
      Type.Boolean({ description: 'Nobody talks: what answers is told apart by the carrier. Default false.' }),
    ),
  }),
});
export type NewCall = Static<typeof NewCall>['call'];

/** A lead's numbers, as far as they can be read. */
export const ReadNumbers = Type.Array(
  Type.Object({
    column: Type.String({ description: 'Key of the phone column.' }),
    number: Type.String({ examples: ['+44 20 7946 0183'] }),
    country: Type.String({ examples: ['GB'] }),
    time_zone: Type.Union([Type.String(), Type.Null()], {
      description: 'Null where the country has several at the moment.',
    }),
  }),
);

export const CallChange = Type.Object({
  call: Type.Object({ lead_id: Type.Integer({ description: 'The lead that the call was about.' }) }),
});

export const Transfer = Type.Object({
  number: Type.String({ minLength: 2, maxLength: 100, description: 'Where the call goes on.' }),
});

export const HangUp = Type.Object({
  voicemail: Type.Optional(Type.Boolean({ description: 'A machine had answered. Default false.' })),
});

export const Line = Type.Object({
  call: Type.Union([Call, Type.Null()], { description: 'The call one is in.' }),
  recorded: Type.Boolean({ description: 'Whether it is being recorded.' }),
  connected_at: Type.Union([Timestamp, Type.Null()], { description: 'When someone answered it.' }),
  ringing: Type.Array(Call, { description: 'Calls that came in and that one may answer.' }),
});

const Number = Type.String({ minLength: 2, maxLength: 100, examples: ['+37060000001'] });

export const Simulation = Type.Object({
  kind: Type.Enum(['inbound_call', 'missed_call', 'inbound_text'], {
    description: 'A call that rings for 25 s, one whose caller gives up at once, or a text message.',
  }),
  from: Number,
  to: Type.Optional(Type.String({ maxLength: 100, description: "The number called; else the account's own." })),
  body: Type.Optional(Type.String({ maxLength: 1_600, description: 'Of a text message.' })),
  seconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3_600, description: 'After so long the caller hangs up; else you do.' }),
  ),
});
