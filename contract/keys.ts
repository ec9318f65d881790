import { Type, type Static } from 'typebox';
import { Timestamp } from './users.ts';

export const KeyFacts = Type.Object({
  created_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
  /** A replaced key that still works until then. */
  old_until: Type.Union([Timestamp, Type.Null()]),
});

export const KeyUse = Type.Object({
  windows: Type.Array(
    Type.Object({
      seconds: Type.Integer(),
      limit: Type.Integer(),
      requests: Type.Integer({ description: 'Those that were refused count too.' }),
      ends_at: Timestamp,
    }),
    { description: 'Those running now; none where nothing is limited.' },
  ),
  refusing_until: Type.Union([Timestamp, Type.Null()]),
});
export type KeyUse = Static<typeof KeyUse>;

export const KeyShown = Type.Object({ key: Type.String() });

export const KeyRequest = Type.Object({ password: Type.String({ maxLength: 1000 }) });

export const KeyReplacement = Type.Object({
  password: Type.String({ maxLength: 1000 }),
  keep_old: Type.Optional(Type.Boolean({ description: 'Let the old key work for 24 more hours.' })),
});
