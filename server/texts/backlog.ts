import { MOST_MEASURED, type Measure } from '../platform/measures.ts';

const QUEUED = `(select created_at from texts where state = 'queued' limit ${MOST_MEASURED}) q`;

export const TEXTS: Measure[] = [
  {
    name: 'leadline_texts_queued',
    help: `Texts that have not been sent, up to ${MOST_MEASURED}`,
    text: `select count(*) as value from ${QUEUED}`,
  },
  {
    name: 'leadline_texts_oldest_seconds',
    help: 'Since when the oldest of them waits',
    text: `select coalesce(extract(epoch from now() - min(created_at)), 0) as value from ${QUEUED}`,
  },
];
