import { Type, type Static } from 'typebox';
import { CallerIdChange } from './calls.ts';
import { Timestamp } from './users.ts';

const MaybeText = Type.Union([Type.String(), Type.Null()]);

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
  recordings_keep_days: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: for ever.' }),
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
    recordings_keep_days: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()])),
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
