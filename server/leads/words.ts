import { fold } from '../../contract/fold.ts';
import type { ColumnKind } from '../../contract/lists.ts';
import { askedDigits, PHONE_SHAPE, readPhone, type Phone } from '../platform/phones.ts';

// Together they keep a lead's vector below the megabyte that the database takes.
const LONGEST_WORD = 40;
const MOST_IN_DATA = 10_000;
const MOST_SAID = 8_000;
// However often the same is repeated: a megabyte of words, or of numbers to be read, would hold up everyone else.
const MOST_LOOKED_AT = 20_000;
const MOST_NUMBERS = 500;

/** `phone` where the text is one, read already. */
export type Text = { kind: ColumnKind; text: string; phone?: Phone | undefined };

/** The vector of a lead's data, as the database reads it. Weighted above what was said about the lead. */
export const dataVector = (values: Text[], country: string): string =>
  collectWords(values, country, MOST_IN_DATA)
    .map((word) => `${word}:1A`)
    .join(' ');

/** The vector of comments. */
export const saidVector = (comments: string[], country: string): string =>
  collectWords(
    comments.map((text) => ({ kind: 'text', text })),
    country,
    MOST_SAID,
  ).join(' ');

function collectWords(values: Text[], country: string, most: number): string[] {
  const words = new Set<string>();
  const numbers = new Set<string>();
  let lookedAt = 0;
  const look = (found: string[]) => {
    lookedAt += found.length;
    for (const word of found) words.add(word.slice(0, LONGEST_WORD));
  };
  for (const value of values) {
    look(splitWords(value.text));
    if (value.phone) look(value.phone.digits);
    for (const number of numbersIn(value)) {
      if (numbers.has(number) || numbers.size >= MOST_NUMBERS) continue;
      const phone = readPhone(number, country);
      numbers.add(number);
      look(phone?.digits ?? []);
    }
    if (words.size >= most || lookedAt >= MOST_LOOKED_AT) break;
  }
  return [...words].slice(0, most);
}

const numbersIn = ({ kind, text }: Text): string[] =>
  kind === 'none' || kind === 'text' ? (text.match(PHONE_SHAPE) ?? []) : [];

/** Letters and digits in ASCII: what is left can be written into a vector or a query as it stands. */
const splitWords = (text: string): string[] =>
  fold(text)
    .split('_')
    .filter((word) => word !== '')
    .map((word) => word.slice(0, LONGEST_WORD));

type Term = { words: string[]; digits?: string };

/**
 * What is found, and what of it is a better match: a whole word counts for more than the beginning of one. `words`: each that `exact` asks for, as
 * a query of its own. `longer`: what is found by longer words than `last` alone, where that is a plain word; the two are all that `matches`.
 */
export type Query = { matches: string; exact: string; words: string[]; last: string; longer?: string };

/**
 * What was typed, as a query: all words in any order, the last also as a prefix. A run of digits is a phone number, or else the words it is
 * made of. Undefined where nothing can be asked for.
 */
export function readQuery(typed: string): Query | undefined {
  const terms: Term[] = [];
  let end = 0;
  for (const { 0: number, index } of typed.matchAll(PHONE_SHAPE)) {
    terms.push(...splitWords(typed.slice(end, index)).map((word) => ({ words: [word] })));
    terms.push({ words: splitWords(number), digits: askedDigits(number).slice(0, LONGEST_WORD) });
    end = index + number.length;
  }
  terms.push(...splitWords(typed.slice(end)).map((word) => ({ words: [word] })));
  if (terms.length === 0) return undefined;
  const last = terms.at(-1)!;
  const word = last.words.at(-1)!;
  const before = terms.slice(0, -1).map((term) => writeTerm(term, false));
  const whole = writeTerm(last, false);
  const all = (ending: string) => [...before, ending].join(' & ');
  return {
    matches: all(writeTerm(last, true)),
    exact: all(whole),
    words: [...before, whole],
    last: word,
    ...(!last.digits && word.length < LONGEST_WORD && { longer: all(`(${longerThan(word)})`) }),
  };
}

/** Words are written in these alone (`fold`). */
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz0123456789');
const longerThan = (word: string) => LETTERS.map((letter) => `${word}${letter}:*`).join(' | ');

function writeTerm({ words, digits }: Term, last: boolean): string {
  const asWords = words.map((word, index) => (last && index === words.length - 1 ? `${word}:*` : word)).join(' & ');
  if (!digits) return asWords;
  return `(${last ? `${digits}:*` : digits} | (${asWords}))`;
}
