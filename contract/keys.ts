import { Type } from 'typebox';
import { Timestamp } from './users.ts';

export const KeyFacts = Type.Object({
  created_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
  /** A replaced key that still works until then. */
  old_until: Type.Union([Timestamp, Type.Null()]),
});

export const KeyShown = Type.Object({ key: Type.String() });

export const KeyRequest = Type.Object({ password: Type.String({ maxLength: 1000 }) });

export const KeyReplacement = Type.Object({
  password: Type.String({ maxLength: 1000 }),
  keep_old: Type.Optional(Type.Boolean({ description: 'Let the old key work for 24 more hours.' })),
});
