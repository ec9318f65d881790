import { measureWaiting } from '../platform/measures.ts';

export const TEXTS = measureWaiting(
  'texts_queued',
  'Texts that have not been sent',
  'created_at',
  `texts where state = 'queued'`,
);
