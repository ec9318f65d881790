import { MOST_MEASURED, type Measure } from '../platform/measures.ts';

const WAITING = `(select started_at from recordings where file is not null limit ${MOST_MEASURED}) w`;

export const RECORDINGS: Measure[] = [
  {
    name: 'leadline_recordings_waiting',
    help: `Recordings that are not stored yet, up to ${MOST_MEASURED}`,
    text: `select count(*) as value from ${WAITING}`,
  },
  {
    name: 'leadline_recordings_oldest_seconds',
    help: 'How long ago the oldest of them was recorded',
    text: `select coalesce(extract(epoch from now() - min(started_at)), 0) as value from ${WAITING}`,
  },
];
