import { measureWaiting } from '../platform/measures.ts';

export const RECORDINGS = measureWaiting(
  'recordings_waiting',
  'Recordings that are not stored yet',
  'started_at',
  'recordings where file is not null',
);
