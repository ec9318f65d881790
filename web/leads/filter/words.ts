import { isField, SUBJECTS, type Operator, type Subject, type Token } from '../../../contract/filters.ts';
import type { State } from '../../../contract/states.ts';
import { daysFromToday, midSentence, sayDate, sayDay, sayWhenWithin } from '../../times.ts';
import { STATES } from '../../ui/states.tsx';

/** A filter as people read it. */

/** What a token can be about. */
export type About = {
  name: string;
  label: string;
  /** What its values are, and so how they are chosen. */
  values: 'choice' | 'person' | 'time' | 'number' | 'yes_or_no' | 'text';
  choices: { value: string; label: string; hint?: string | undefined }[];
  operators: readonly Operator[];
  /** Its times lie behind: `thu` is the last one. */
  isPast: boolean;
};

export const SUBJECT_WORDS: Record<Subject, string> = {
  state: 'State',
  category: 'Category',
  claimed_by: 'Claimed by',
  due: 'Due',
  created: 'Created',
  updated: 'Changed',
  attempts: 'Calls made',
  last_outcome: 'Last outcome',
  duplicate: 'Possible duplicate',
  imported_by: 'Added by',
  import: 'Import',
};

const WORDS: Record<Operator, string> = {
  is: 'is',
  is_not: 'is not',
  in: 'is one of',
  contains: 'contains',
  starts_with: 'starts with',
  is_set: 'is set',
  empty: 'is empty',
  at_least: 'at least',
  at_most: 'at most',
  between: 'between',
};
const OF_TIMES: Partial<Record<Operator, string>> = { at_least: 'from', at_most: 'until' };

export const sayOperator = (operator: Operator, about: Pick<About, 'values'>): string =>
  (about.values === 'time' && OF_TIMES[operator]) || WORDS[operator];

export const isSubject = (name: string): name is Subject => Object.hasOwn(SUBJECTS, name);

/** How a name is called where nothing is known of it: a field that was removed by its key. */
export const sayName = (name: string): string =>
  isField(name) ? name.slice('field.'.length).replaceAll('_', ' ') : isSubject(name) ? SUBJECT_WORDS[name] : name;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A day, or a moment of it; what cannot be read as it was written. */
export function sayMoment(value: string): string {
  const isDay = DAY.test(value);
  const at = new Date(isDay ? `${value}T00:00` : value);
  if (Number.isNaN(at.getTime())) return value;
  if (!isDay) return sayWhenWithin(at);
  return Math.abs(daysFromToday(at)) < 2 ? midSentence(sayDay(at)) : sayDate(at);
}

/** `nameOf`: of a person, by id or e-mail. */
export function sayValue(
  value: string,
  about: Pick<About, 'values' | 'name'>,
  nameOf: (value: string) => string,
): string {
  if (about.name === 'state') return Object.hasOwn(STATES, value) ? STATES[value as State].word : value;
  if (about.values === 'person') return nameOf(value);
  if (about.values === 'time') return sayMoment(value);
  if (about.values === 'yes_or_no') return value === 'yes' ? 'yes' : value === 'no' ? 'no' : value;
  return value;
}

const MOST_SAID = 2;

export function sayValues({ operator, values }: Token, say: (value: string) => string): string {
  if (operator === 'between') return values.map(say).join(' and ');
  const more = values.length - MOST_SAID;
  return values.slice(0, MOST_SAID).map(say).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const ORDERS: Record<string, string> = {
  queue: 'in queue order',
  '-queue': 'in queue order, the last first',
  created: 'oldest first',
  '-created': 'newest first',
  updated: 'longest unchanged first',
  '-updated': 'last changed first',
  due: 'by when they are due',
  '-due': 'by when they are due, the last first',
};

/** `in queue order`, `by vehicles`. */
export function sayOrder(order: string, labelOf: (name: string) => string): string {
  const name = order.replace(/^-/, '');
  return ORDERS[order] ?? `by ${labelOf(name).toLowerCase()}${name === order ? '' : ', the last first'}`;
}
