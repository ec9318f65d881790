import type { ColumnKind } from './lists.ts';
import { readTime } from './times.ts';

/** Whether a value fits the kind of its field. Values from before a field had its kind stay as they are, and are marked where they do not. */

export const isWholeNumber = (text: string): boolean => /^[+-]?\d+$/.test(text.trim());
export const isBoolean = (text: string): boolean => /^(true|false)$/i.test(text.trim());

// No shorter number is anyone's, and the plan of the world's numbers has none longer.
const FEWEST_DIGITS = 5;
const MOST_DIGITS = 15;

/** Why not, in a few words; undefined where it fits, or there is nothing. Of phones the digits alone are counted here: the service asks the plans of their countries besides. */
export function misfit(kind: ColumnKind, options: string[], text: string): string | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  switch (kind) {
    case 'integer':
      return isWholeNumber(value) ? undefined : 'Not a whole number';
    case 'boolean':
      return isBoolean(value) ? undefined : 'Neither true nor false';
    case 'date':
      return readTime(value) ? undefined : 'Not a date';
    case 'options':
      return options.length === 0 || options.includes(text) ? undefined : 'Not one of the options';
    case 'email':
      return misfitEmail(value);
    case 'url':
      return misfitUrl(value);
    case 'phone':
      return misfitPhone(value);
    default:
      return undefined;
  }
}

function misfitEmail(value: string): string | undefined {
  const parts = value.split('@');
  if (parts.length === 1) return 'No @';
  if (parts.length > 2) return 'More than one @';
  if (/\s/.test(value)) return 'A space in it';
  return /^[^@.]+(\.[^@.]+)*$/.test(parts[0]!) && /^[^.]+(\.[^.]+)+$/.test(parts[1]!)
    ? undefined
    : 'Not an e-mail address';
}

function misfitUrl(value: string): string | undefined {
  if (/\s/.test(value)) return 'A space in it';
  // Most people leave out how it is reached.
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `https://${value}`;
  if (!URL.canParse(whole)) return 'Not a web address';
  const { protocol, hostname } = new URL(whole);
  return /^https?:$/.test(protocol) && hostname.includes('.') ? undefined : 'Not a web address';
}

function misfitPhone(value: string): string | undefined {
  const digits = value.replaceAll(/\D/g, '').length;
  if (digits === 0) return 'No digits';
  if (digits < FEWEST_DIGITS) return 'Too few digits';
  // "00" before an international one is dialled, and no part of it.
  return digits > MOST_DIGITS + 2 ? 'Too many digits' : undefined;
}
