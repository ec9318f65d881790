import { measureWaiting } from '../platform/measures.ts';

export const BULK_ACTS = measureWaiting(
  'bulk_acts_waiting',
  'Bulk acts that are not finished',
  'created_at',
  'bulk_acts where finished_at is null',
);
