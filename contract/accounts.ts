import { Type, type Static } from 'typebox';
import { CallerIdChange } from './calls.ts';
import { Timestamp } from './users.ts';

const MaybeText = Type.Union([Type.String(), Type.Null()]);

const ceiling = (maximum: number, description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum }), Type.Null()], { description: `${description} Null: no ceiling.` });

/** A day is the last 24 hours. */
const CEILINGS = {
  most_automated_calls: ceiling(1_000, 'Automated calls at the same moment.'),
  most_calls_a_number: ceiling(1_000, 'Calls to one number in 24 hours.'),
  most_texts_a_number: ceiling(1_000, 'Texts to one number in 24 hours.'),
  most_calls_a_day: ceiling(1_000_000, 'Calls of the account in 24 hours, automated ones and transfers included.'),
  most_texts_a_day: ceiling(1_000_000, 'Texts of the account in 24 hours.'),
};
const Ceilings = Type.Object(CEILINGS);
export type Ceilings = Static<typeof Ceilings>;

export const Account = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  base_url: Type.String(),
  country: Type.String(),
  time_zone: Type.String(),
  claim_on_win: Type.Boolean(),
  claim_on_schedule: Type.Boolean(),
  claim_on_put_off: Type.Boolean(),
  claim_lapse_days: Type.Union([Type.Integer(), Type.Null()]),
  caller_number: MaybeText,
  caller_name: MaybeText,
  record_calls: Type.Boolean(),
  announce_recording: Type.Boolean({ description: 'Whether both hear first that a call is recorded.' }),
  recordings_keep_days: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: for ever.' }),
  away_reasons: Type.Array(Type.String(), { description: 'Why agents may be away, in this order.' }),
  ...CEILINGS,
  created_at: Timestamp,
});

export const AccountChange = Type.Object({
  account: Type.Object({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    base_url: Type.Optional(Type.String({ maxLength: 255 })),
    country: Type.Optional(Type.String({ minLength: 2, maxLength: 2 })),
    time_zone: Type.Optional(Type.String({ maxLength: 100 })),
    claim_on_win: Type.Optional(Type.Boolean()),
    claim_on_schedule: Type.Optional(Type.Boolean()),
    claim_on_put_off: Type.Optional(Type.Boolean()),
    claim_lapse_days: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 3650 }), Type.Null()])),
    ...CallerIdChange,
    record_calls: Type.Optional(Type.Boolean()),
    announce_recording: Type.Optional(Type.Boolean()),
    recordings_keep_days: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()])),
    away_reasons: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40, pattern: '\\S' }), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
      }),
    ),
    ...Type.Partial(Ceilings).properties,
  }),
});
export type AccountChange = Static<typeof AccountChange>;

export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  actor: Type.String(),
  address: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  detail: Type.Record(Type.String(), Type.Unknown()),
});

export const Mail = Type.Object({
  id: Type.Integer(),
  recipient: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  created_at: Timestamp,
  sent_at: Type.Union([Timestamp, Type.Null()]),
  last_error: Type.Union([Type.String(), Type.Null()]),
});
