import { Type, type Static } from 'typebox';
import { Timestamp } from './users.ts';

/** Trying again: when a lead comes back that got a call back without a time at the desk, and when it is given up. */

/** More tries than anyone makes; a bound for counting them. */
export const MOST_TRIES = 50;
const MOST_MINUTES = 30 * 1_440;
const MOST_CATEGORIES = 1_000;

const ComesBackAfter = Type.Union([Type.Integer({ minimum: 1, maximum: MOST_MINUTES }), Type.Literal('next_day')]);
const ArchivedAfter = Type.Integer({ minimum: 1, maximum: MOST_TRIES });

export const Retry = Type.Object({
  comes_back_after: Type.Optional(
    Type.Union([ComesBackAfter, Type.Null()], {
      description:
        'Minutes, or `next_day`: the next day at nine where the lead is. Null: 15 for busy, 120 for no answer, `next_day` for voicemail, else 60.',
    }),
  ),
  archived_after: Type.Optional(
    Type.Union([ArchivedAfter, Type.Null()], {
      description: 'Tries in a row without reaching anyone after which the lead is archived. Null: never.',
    }),
  ),
});

export const Retries = Type.Record(Type.String(), Retry, {
  maxProperties: MOST_CATEGORIES,
  description: 'Call-back category → when a lead comes back that gets it without a time. What is not named stays.',
});
export type Retries = Static<typeof Retries>;

const Coming = Type.Object({
  category: Type.Union([Type.String(), Type.Null()], { description: 'Null: without one.' }),
  comes_back_after: ComesBackAfter,
  at: Type.String({ ...Timestamp, description: 'When that would be, given now.' }),
  attempt: Type.Integer({ description: 'Tries since someone was last reached, with the present one. 0: none.' }),
  archived_after: Type.Union([ArchivedAfter, Type.Null()], { description: 'How many there are at most.' }),
  archives: Type.Boolean({ description: 'Whether this one is the last: the service archives the lead after it.' }),
});
export type Coming = Static<typeof Coming>;

/** What would become of a lead that gets a call back without a time now. */
export const ComingBack = Type.Object({
  appointment: Type.Union([Timestamp, Type.Null()], {
    description: 'A time to call at that is still ahead, and stays as it is.',
  }),
  categories: Type.Array(Coming, { description: 'Without one first, then those of the list.' }),
});
export type ComingBack = Static<typeof ComingBack>;
