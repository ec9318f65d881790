import { parsePhoneNumberFromString, type CountryCode, type PhoneNumber } from 'libphonenumber-js/max';

export type Phone = {
  /** `+4533112233`, or bare digits where the number makes no sense in any country. */
  normal: string;
  /** Every way its digits are asked for: international, national with or without the trunk zero, or the last seven or more. */
  digits: string[];
};

const FEWEST_DIGITS = 5;
const SHORTEST_ENDING = 7;
// No number is as long; a text of digits alone would else be written out once for each of them.
const LONGEST_ENDING = 40;

/** Reads a number as it is written in a country. Undefined where there is none. */
export function readPhone(text: string, country: string): Phone | undefined {
  const bare = text.replaceAll(/\D/g, '');
  if (bare.length < FEWEST_DIGITS) return undefined;
  const number = parse(text, country as CountryCode);
  if (!number) return { normal: bare, digits: endings(bare) };
  const { nationalNumber, countryCallingCode } = number;
  const international = `${countryCallingCode}${nationalNumber}`;
  const digits = new Set([...endings(international), ...endings(bare), nationalNumber, `0${nationalNumber}`]);
  return { normal: number.number, digits: [...digits] };
}

/**
 * The digits by which a number is known, however it was written. Networks stop listening once a number is complete: digits too many after
 * a good one do not make another. What begins with no good number is known as it stands.
 */
export function digitsOf(text: string, country: string): string {
  const written = text.slice(0, LONGEST_ENDING);
  for (let end = written.length; end > SHORTEST_ENDING; end -= 1) {
    const number = parse(written.slice(0, end), country as CountryCode);
    if (number?.isValid()) return number.number.slice(1);
  }
  return (readPhone(text, country)?.normal ?? text).replaceAll(/\D/g, '');
}

/** As one writes it, and where it is: `+45 33 11 22 33`, `DK`. Undefined where it makes no sense in any country. */
export function writePhone(text: string, country?: string): { number: string; country: string } | undefined {
  const number = parse(text, country as CountryCode | undefined);
  const where = number && countryOf(number);
  return where && number.isPossible() ? { number: number.formatInternational(), country: where } : undefined;
}

// A number that is longer or shorter by more is none.
const MOST_ASTRAY = 4;
const COUNTED = ['One', 'Two', 'Three', 'Four'];

/** Whether it has the length of a number of its country. */
export const isPhone = (text: string, country: string): boolean =>
  parse(text, country as CountryCode)?.isPossible() ?? false;

/** Of a text that is none: why, in a few words. */
export function whyNoPhone(text: string, country: string): string {
  const written = text.trim();
  for (let digits = 1; digits <= MOST_ASTRAY; digits += 1) {
    const [count, s] = [COUNTED[digits - 1], digits === 1 ? '' : 's'];
    if (isPhone(written + '0'.repeat(digits), country)) return `${count} digit${s} short`;
    if (isPhone(written.slice(0, -digits), country)) return `${count} digit${s} too many`;
  }
  return 'No number of any country';
}

/** Of several that share a code, the one it is known by, where the number itself is not given out to anyone. */
export const countryOf = (number: PhoneNumber): CountryCode | undefined =>
  number.country ?? number.getPossibleCountries()[0];

/** `00` stands for `+` in most of the world, and begins no number where it does not. */
export function parse(text: string, country: CountryCode | undefined) {
  const number = parsePhoneNumberFromString(text, country);
  if (number?.isPossible() || !/^\s*00/.test(text)) return number;
  return parsePhoneNumberFromString(text.replace(/^\s*00/, '+'), country) ?? number;
}

function endings(digits: string): string[] {
  const short = digits.length - SHORTEST_ENDING;
  return Array.from({ length: Math.max(0, short) + 1 }, (_, start) => digits.slice(start, start + LONGEST_ENDING));
}

/** A run of digits as people write numbers, with what they put between them. */
export const PHONE_SHAPE = /(?:\+|\b)\d(?:[\s().\-/]*\d){6,}/g;

/** What someone types to find a number, down to digits as `readPhone` tells them. */
export const askedDigits = (text: string): string =>
  text
    .replace(/^\s*00/, '')
    // `+44 (0)20 …`: the zero is not dialled from abroad.
    .replace(/^(\+\d[\d\s]*)\(0\)/, '$1')
    .replaceAll(/\D/g, '');
