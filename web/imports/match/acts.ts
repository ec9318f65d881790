import type { Match, Plan } from '../../../contract/imports.ts';
import { aim, change as changeMatch, join, kindOf, orderOfDates, type Target } from './matching.ts';
import { readChoice, type Known } from './targets.ts';

export type Current = Known & { change: (matches: Plan['matches']) => void };

/** How the dates of a column are written, for what holds dates. */
const dating =
  ({ fields, columns }: Known) =>
  (target: Target, places: number[]) =>
    kindOf(target, fields) === 'date' ? orderOfDates(columns[places[0]!]?.samples ?? []) : undefined;

/** What can be done to the column at a place, with what is known when it is done. */
export const actsOn = (known: { current: Current }) => ({
  choose: (place: number, value: string) => {
    const { matches, change } = known.current;
    const { target, joins } = readChoice(value, place, known.current);
    change(joins === undefined ? aim(matches, place, target, dating(known.current)) : join(matches, place, joins));
  },
  /** Someone has looked at it, or said more of it. */
  confirm: (place: number, more: Partial<Match> = {}) => {
    const { matches, change } = known.current;
    change(changeMatch(matches, place, more));
  },
  describe: (place: number, new_field: NonNullable<Match['new_field']>) => {
    const { matches, change } = known.current;
    const dates = dating(known.current)({ new_field }, [place]);
    change(
      changeMatch(matches, place, { new_field }).map((match) => {
        if (!match.columns.includes(place)) return match;
        const { dates: before, ...rest } = match;
        return { ...rest, ...(dates && { dates: before ?? dates }) };
      }),
    );
  },
});
export type Acts = ReturnType<typeof actsOn>;
