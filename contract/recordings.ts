import { Type, type Static } from 'typebox';
import { Timestamp } from './users.ts';

export const RecordingTrouble = Type.Object({
  waiting: Type.Integer({ description: 'How many recordings cannot be stored; they are kept and tried again.' }),
  since: Type.Union([Timestamp, Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
  lost: Type.Integer({ description: 'How many of the last seven days could not even be kept.' }),
  lost_reason: Type.Union([Type.String(), Type.Null()]),
});
export type RecordingTrouble = Static<typeof RecordingTrouble>;
