import { MOST_MEASURED, type Measure } from '../platform/measures.ts';

export const MAILS: Measure[] = [
  {
    name: 'leadline_mails_failed',
    help: `Mails of the last hour that could not be sent so far, up to ${MOST_MEASURED}`,
    text: `select count(*) as value from (
             select from mails
              where sent_at is null and attempts > 0 and ends_at > now() and created_at > now() - interval '1 hour'
              limit ${MOST_MEASURED}) m`,
  },
];
