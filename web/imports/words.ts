import { DELIMITERS, ENCODINGS, type HowRead, type Import } from '../../contract/imports.ts';
import { sayCount } from '../counts.ts';
import { sayRoughly } from '../times.ts';

const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const;

/** `61 MB`, `1.4 GB`. */
export function sayBytes(bytes: number): string {
  // What would be 1,000 of one is 1 of the next.
  const [size, unit] = UNITS.find(([least]) => bytes >= least * 0.9995) ?? [1, bytes === 1 ? 'byte' : 'bytes'];
  const digits = bytes / size < 9.95 && size > 1 ? 1 : 0;
  return `${(bytes / size).toLocaleString(undefined, { maximumFractionDigits: digits })} ${unit}`;
}

export const sayRows = (rows: number): string => sayCount(rows, 'row');

/** `Windows-1252`: without where it is used. */
export const sayEncoding = (encoding: HowRead['encoding']): string => ENCODINGS[encoding].split(',')[0]!;

/** `Windows-1252, semicolon, 412,604 rows`. */
export function sayHow({ how_read: how, sheets, rows }: Pick<Import, 'how_read' | 'sheets' | 'rows'>): string {
  if (!how) return sayRows(rows);
  const sheet = sheets.length > 1 ? `, sheet ${sheets[how.sheet]}` : '';
  const said =
    how.format === 'xlsx'
      ? `Excel${sheet}`
      : `${sayEncoding(how.encoding)}, ${DELIMITERS[how.delimiter].toLowerCase()}`;
  return `${said}, ${sayRows(rows)}`;
}

/** `about 11 seconds left`, or nothing while nobody can know. */
export function sayLeft(seconds: number | null): string {
  if (seconds === null) return '';
  if (seconds < 90) return `about ${sayCount(Math.max(1, Math.round(seconds)), 'second')} left`;
  return `about ${sayRoughly(seconds)} left`;
}

/** `by phone or e-mail`. */
export const sayBy = (by: string[]): string =>
  by.length === 0 ? '' : `by ${new Intl.ListFormat('en', { type: 'disjunction' }).format(by)}`;

const ENDING = /\.[a-z]{1,5}$/i;

/** A list that is made from a file is called as it is. */
export const nameWithoutEnding = (file: string): string => file.replace(ENDING, '').trim() || file;

/** `UK operators 2026`, or what the new one will be called. */
export const nameOfList = ({ list, plan, file_name }: Pick<Import, 'list' | 'plan' | 'file_name'>): string =>
  list?.name ?? plan?.new_list?.name ?? nameWithoutEnding(file_name);
