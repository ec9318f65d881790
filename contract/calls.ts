import { Type, type Static } from 'typebox';
import { Timestamp, timestamp } from './users.ts';

export const DIRECTIONS = ['outbound', 'inbound', 'transfer', 'local', 'automated'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** In the only order in which a call passes them. */
export const CALL_STATES = ['initiated', 'calling', 'active', 'completed'] as const;
export type CallState = (typeof CALL_STATES)[number];

/** What an agent does: `calling` until someone answers, `wrapping_up` while the lead of the call before waits for its outcome. */
export const DOINGS = ['ready', 'calling', 'on_call', 'wrapping_up', 'away'] as const;
export type Doing = (typeof DOINGS)[number];

/** Who ended a call: whose call it is, the other end, the line that failed, or nobody was there. */
export const ENDERS = ['agent', 'other', 'line', 'nobody'] as const;
export type Ender = (typeof ENDERS)[number];
const endedBy = Type.Union([Type.Enum([...ENDERS]), Type.Null()], {
  description: 'Who ended it; null while it goes on, and of calls from before this was kept.',
});

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

const maybeText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const maybeId = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const Call = Type.Object(
  {
    id: Type.Integer(),
    location: Type.String({ description: 'Path of the call.', examples: ['/api/v2/calls/1'] }),
    user_email: Type.String({
      description:
        'E-mail of the agent who made or answered it; of a call that nobody has answered, of the user who claims its lead now; `""` for nobody.',
    }),
    destination_number: Type.String({
      description: 'The number dialled; of a call that came in, ours; of one to a colleague, their e-mail.',
    }),
    duration: Type.Integer({ description: 'Seconds; 0 for unanswered and failed attempts.' }),
    started_at: timestamp('When it began to be dialled, or came in.'),
    caller_id: Type.Object(
      { number: maybeText('What the recipient saw.'), name: maybeText('And by which name.') },
      {
        description:
          'The caller ID actually used; of a call that came in, the caller; of one that was passed on to a colleague, whom it is about, and who passed it on.',
      },
    ),
    direction: Type.Enum([...DIRECTIONS], { description: 'Who called whom.' }),
    disposition: Type.Union([Type.Enum([...DISPOSITIONS]), Type.Null()], {
      description: 'How it ended; null until the call has been processed.',
    }),
    state: Type.Enum([...CALL_STATES], { description: 'How far it has come; it never goes back.' }),
    lead_id: maybeId('The lead that the call belongs to.'),
    event_id: maybeId('The event of the lead that it led to: its outcome. Use this instead of matching times.'),
    lead: maybeText('Path of the lead.'),
    list: maybeText('Path of the list that the lead is in.'),
    recordings: Type.Array(
      Type.Object({
        started_at: timestamp('When the recording begins.'),
        url: Type.String({ description: 'Address of the audio file: works without a key, for 7 days.' }),
      }),
      { description: 'Empty where nothing was recorded, or for a key that may not hear it.' },
    ),
  },
  { title: 'Call', description: 'One attempt to talk to someone, answered or not.' },
);
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
  ended_by: endedBy,
  recordings: Type.Array(
    Type.Object({
      seconds: Type.Union([Type.Number(), Type.Null()]),
      channels: Type.Array(
        Type.String({ description: 'How loud each of 480 moments is, a byte each, in Base64. The agent comes first.' }),
      ),
      gaps: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number() }), {
        description: 'Seconds between which nothing was recorded: it was paused, or interrupted.',
      }),
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

/** Where a number is, as far as its digits tell. */
export const Whereabouts = Type.Object({
  zone: Type.String({ examples: ['Europe/London'], description: 'The time zone, or the likely one of several.' }),
  place: Type.String({
    description: 'The country, or where its clocks differ, the city that the zone is named after.',
  }),
  others: Type.Array(Type.String(), { description: 'Zones in which it may be as well, where it is another time.' }),
});
export type Whereabouts = Static<typeof Whereabouts>;

/** A lead's numbers, as far as they can be read. */
export const ReadNumbers = Type.Array(
  Type.Object({
    column: Type.String({ description: 'Key of the phone column.' }),
    number: Type.String({ examples: ['+44 20 7946 0183'] }),
    country: Type.String({ examples: ['GB'] }),
    there: Type.Union([Whereabouts, Type.Null()], { description: 'Null where nothing tells.' }),
  }),
);

export const CallChange = Type.Object({
  call: Type.Object({ lead_id: Type.Integer({ description: 'The lead that the call was about.' }) }),
});

export const Transfer = Type.Object({
  number: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Where the call goes on.' })),
  user_id: Type.Optional(Type.Integer({ description: 'The colleague with whom it goes on, instead of a number.' })),
  asked: Type.Optional(
    Type.Boolean({
      description:
        'One talks to whoever is there first, while the call is on hold, and then hands it over. Default false.',
    }),
  ),
});

/** A colleague whom a call can be passed on to. */
export const Taker = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String({ description: 'Their e-mail address where they gave none.' }),
  doing: Type.Enum([...DOINGS], { description: 'What they do just now.' }),
  refusal: maybeText(
    'Why they cannot take it, as it goes on after their name: `is in a call`; null for those who can.',
  ),
});
export type Taker = Static<typeof Taker>;

export const Hold = Type.Object({
  on: Type.Boolean({
    description: 'Neither hears the other while it is on. One ends only what one has begun oneself.',
  }),
});

export const Digits = Type.Object({
  digits: Type.String({
    pattern: '^[0-9*#A-D]{1,32}$',
    examples: ['12#'],
    description: 'As they are pressed; they are sent as tones, one after another.',
  }),
});

export const RecordingPause = Type.Object({
  paused: Type.Boolean({ description: 'What is said meanwhile is not kept.' }),
});

export const HangUp = Type.Object({
  voicemail: Type.Optional(Type.Boolean({ description: 'A machine had answered. Default false.' })),
});

/** What became of a call that was passed on to a colleague: it rings, they are asked, they have it, or it is back, because they … */
export const BECAME = ['ringing', 'asked', 'taken', 'declined', 'not_answered', 'hung_up'] as const;
export type Became = (typeof BECAME)[number];

const LineCall = Type.Object({
  ...Call.properties,
  number: Type.String({ description: 'Of the other end, as one writes it; `""` where it is hidden.' }),
  ended_by: endedBy,
  asks: Type.Boolean({
    description:
      'Whether a colleague asks one before they pass it on: until they do, one talks to them and the lead is theirs.',
  }),
});
export type LineCall = Static<typeof LineCall>;

export const Line = Type.Object({
  call: Type.Union([LineCall, Type.Null()], { description: 'The call one is in.' }),
  recorded: Type.Boolean({ description: 'Whether it is being recorded.' }),
  recording_paused: Type.Boolean({ description: 'Whether what is said now is left out of the recording.' }),
  connected_at: Type.Union([Timestamp, Type.Null()], { description: 'When someone answered it.' }),
  sound: Type.Boolean({ description: 'Whether it can be heard in the browser.' }),
  on_hold: Type.Boolean({ description: 'Whether the other end waits; it does while one asks someone else.' }),
  on_hold_by_other: Type.Boolean({
    description: 'Whether the colleague at the other end lets one wait; only they can end that.',
  }),
  consultation: Type.Union(
    [Type.Object({ ...LineCall.properties, connected_at: Type.Union([Timestamp, Type.Null()]) }), Type.Null()],
    { description: 'The call to whoever is asked before they get this one.' },
  ),
  passed_on: Type.Union([Type.Object({ ...LineCall.properties, became: Type.Enum([...BECAME]) }), Type.Null()], {
    description:
      'The call to the colleague whom one passes one’s own on to, and what became of it, until fifteen seconds after that.',
  }),
  ringing: Type.Array(LineCall, { description: 'Calls that came in or are passed on, and that one may answer.' }),
  wrapping_up: Type.Union([LineCall, Type.Null()], {
    description: 'The call before, while its lead is open and has no outcome.',
  }),
  away: Type.Union([Type.Object({ reason: Type.String(), since: Timestamp }), Type.Null()], {
    description: 'Whoever is away is not rung and gets no lead.',
  }),
  away_reasons: Type.Array(Type.String(), { description: 'Why people of the account may be away.' }),
});
export type Line = Static<typeof Line>;

export const Away = Type.Object({
  reason: Type.String({ maxLength: 100, description: 'One of the reasons of the account.' }),
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
