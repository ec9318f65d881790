import { isWholeNumber, misfit } from '../../../contract/fits.ts';
import type { DateOrder } from '../../../contract/imports.ts';
import type { ColumnKind } from '../../../contract/lists.ts';

/** What values look like, when nothing but themselves tells. */

export type Look = Extract<ColumnKind, 'phone' | 'email' | 'url' | 'date' | 'integer' | 'boolean'>;

export function lookOf(text: string): Look | undefined {
  const value = text.trim();
  if (value === '' || value.length > 300) return undefined;
  if (value.includes('@')) return misfit('email', [], value) === undefined ? 'email' : undefined;
  if (looksLikeUrl(value)) return 'url';
  if (YES_NO.has(value.toLowerCase())) return 'boolean';
  if (dateParts(value)) return 'date';
  if (looksLikePhone(value)) return 'phone';
  return isWholeNumber(value) ? 'integer' : undefined;
}

/** What nearly all of them look like. A few strays are what faulty rows are for. */
export function commonLook(samples: string[]): Look | undefined {
  const looks = samples.filter((sample) => sample.trim() !== '').map((sample) => lookOf(sample));
  const counted = new Map<Look, number>();
  for (const look of looks) if (look) counted.set(look, (counted.get(look) ?? 0) + 1);
  const [most] = [...counted].toSorted(([, one], [, other]) => other - one);
  return most && most[1] >= looks.length * 0.8 ? most[0] : undefined;
}

const looksLikeUrl = (value: string): boolean =>
  /^(https?:\/\/|www\.)/i.test(value)
    ? misfit('url', [], value) === undefined
    : /^([a-z\d-]+\.)+(com|org|net|io|eu|biz|info|de|at|ch|fr|be|lu|es|it|pt|nl|dk|se|no|fi|pl|cz|uk|ie|us|ca)(\/\S*)?$/i.test(
        value,
      ) && !/^[\d.]+$/.test(value);

/** A whole number is one only if it is written as no number is: with a plus, a zero before it, or in groups. */
function looksLikePhone(value: string): boolean {
  if (isShortened(value)) return true;
  const [number = ''] = value.split(/ext|[x#w]/i);
  if (!/^(?:tel[.:]?)?[\d\s()./+-]+$/i.test(number)) return false;
  const digits = number.replaceAll(/\D/g, '').length;
  if (digits < 7 || digits > 17) return false;
  // Prices and amounts have one dot, and two digits after it.
  if (/^\d+\.\d{1,2}$/.test(value)) return false;
  return !/^[1-9]\d*$/.test(value) || digits >= 10;
}

/** `4.5E+10`: a spreadsheet wrote a long number so, and its last digits are gone. */
export const isShortened = (text: string): boolean => /^\d([.,]\d+)?E\+\d{1,2}$/i.test(text.trim());

/** Words for yes and no, in small letters. */
export const YES_NO = wordsFor(
  'true yes y ja j oui o sí si sì sim s da tak ano wahr vrai kyllä k on x',
  'false no n nein non não nao nee nej nei nie ne net ei falsch faux off',
);
/** They say so where the field is known to be of that kind, and anything elsewhere. */
export const YES_NO_SIGNS = wordsFor('1 ✓', '0 - ✗');

function wordsFor(yes: string, no: string): ReadonlyMap<string, boolean> {
  return new Map([
    ...yes.split(' ').map((word) => [word, true] as const),
    ...no.split(' ').map((word) => [word, false] as const),
  ]);
}

type DateParts = { order: 'year_first' } | { order: undefined; first: number; second: number; dots: boolean };

function dateParts(value: string): DateParts | undefined {
  if (/^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d{1,2}:\d\d.*)?$/.test(value)) return { order: 'year_first' };
  const [, first, mark, second, again] =
    /^(\d{1,2})([./-])(\d{1,2})([./-])(?:\d{4}|\d\d)(?:,?[ T]\d{1,2}:\d\d.*)?$/.exec(value) ?? [];
  if (!mark || mark !== again) return undefined;
  const [one, two] = [Number(first), Number(second)];
  if (Math.min(one, two) < 1 || Math.min(one, two) > 12 || Math.max(one, two) > 31) return undefined;
  return { order: undefined, first: one, second: two, dots: mark === '.' };
}

/** Which comes first, and whether a value proves it. Nobody who writes dots puts the month first. */
export function dateOrderOf(samples: string[]): { order: DateOrder; proven: boolean } | undefined {
  const dates = samples.map((sample) => dateParts(sample.trim())).filter((parts) => parts !== undefined);
  if (dates.length === 0) return undefined;
  if (dates.every(({ order }) => order === 'year_first')) return { order: 'year_first', proven: true };
  const written = dates.filter((date) => date.order === undefined);
  const day = written.some(({ first, dots }) => first > 12 || dots);
  const month = written.some(({ second, dots }) => second > 12 && !dots);
  if (month && !day) return { order: 'month_first', proven: true };
  return { order: 'day_first', proven: day && !month };
}
