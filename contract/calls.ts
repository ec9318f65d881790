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
