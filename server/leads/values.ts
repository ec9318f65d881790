import { isBoolean, isWholeNumber } from '../../contract/fits.ts';
import { readTime } from '../../contract/times.ts';
import type { ListColumn } from '../lists/columns.ts';
import { invalid, noFaults } from '../platform/read.ts';
import { writeTime } from '../platform/times.ts';

/** What was given for a lead, told apart: text for its columns, and text for which the list has no column. `''` clears. */
export type Values = { data: Map<string, string>; hidden: Map<string, string> };

const LONGEST_VALUE = 10_000;
const LONGEST_KEY = 255;
const MOST_HIDDEN = 500;
const LONGEST_HIDDEN = 100_000;
// A body has as many. Without it a lead could grow, one change after another, until no answer can hold it.
const LONGEST_DATA = 1_000_000;

/** They never assign anything but data: `state`, `id`, `claimed_by` are just unknown keys. */
export function readValues(columns: ListColumn[], given: Record<string, unknown>): Values {
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const values: Values = { data: new Map(), hidden: new Map() };
  const faults = noFaults();
  for (const [key, value] of Object.entries(given)) {
    const column = byKey.get(key);
    const read = readText(value);
    const text = 'fault' in read || !column ? read : readOfKind(column, read.text);
    if ('fault' in text) faults[key] = [text.fault];
    else if (!column && key.length > LONGEST_KEY)
      faults[key.slice(0, 50)] = [`must be a key of at most ${LONGEST_KEY} characters`];
    else (column ? values.data : values.hidden).set(key, text.text);
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  const unknown = [...values.hidden.keys()];
  if (unknown.length > 0 && values.data.size === 0) {
    throw invalid(Object.fromEntries(unknown.slice(0, 100).map((key) => [key, ['is no column of this list']])));
  }
  return values;
}

const NOTHING: Values = { data: new Map(), hidden: new Map() };

/** All that a lead would say; what has no column is kept, within reason. One that said too much before may do so until it says less. */
export function refuseTooMuch({ data, hidden }: Values, before = NOTHING): void {
  const tooMany = hidden.size > Math.max(MOST_HIDDEN, before.hidden.size);
  if (tooMany || countCharacters(hidden) > Math.max(LONGEST_HIDDEN, countCharacters(before.hidden))) {
    throw invalid({
      lead: [`must have at most ${MOST_HIDDEN} keys that are no columns, with 100,000 characters together`],
    });
  }
  if (countCharacters(data) > Math.max(LONGEST_DATA, countCharacters(before.data)))
    throw invalid({ lead: ['must have at most 1,000,000 characters'] });
}

const countCharacters = (values: Map<string, string>): number =>
  [...values].reduce((sum, [key, text]) => sum + key.length + text.length, 0);

/** Of a new lead, or of columns that are being cleared. */
export function refuseMissing(columns: ListColumn[], values: Map<string, string>, only: 'all' | 'given'): void {
  const missing = columns.filter(
    ({ key, required }) => required && (only === 'all' || values.has(key)) && (values.get(key) ?? '').trim() === '',
  );
  if (missing.length > 0) throw invalid(Object.fromEntries(missing.map(({ key }) => [key, ['must not be empty']])));
}

/** What is being typed: text for columns as far as it can be read, the rest as it stands or not at all. Nothing is at fault yet. */
export function readLeniently(columns: ListColumn[], given: Record<string, unknown>): Map<string, string> {
  const values = new Map<string, string>();
  for (const column of columns) {
    const read = readText(Object.hasOwn(given, column.key) ? given[column.key] : undefined);
    if ('fault' in read) continue;
    const typed = readOfKind(column, read.text);
    values.set(column.key, 'fault' in typed ? read.text : typed.text);
  }
  return values;
}

type Read = { text: string } | { fault: string };

function readText(value: unknown): Read {
  if (value === null || value === undefined) return { text: '' };
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return { fault: 'must be text, not an array or an object' };
  const text = String(value);
  // Characters, not halves of them; counted only where it matters.
  const tooLong = text.length > LONGEST_VALUE && Array.from(text).length > LONGEST_VALUE;
  return tooLong ? { fault: 'must have at most 10,000 characters' } : { text };
}

/** A value as it is stored in a column of its kind. What is asked for in `find` is read the same way. */
export function readOfKind({ kind, options }: Pick<ListColumn, 'kind' | 'options'>, text: string): Read {
  if (text === '') return { text };
  switch (kind) {
    case 'integer':
      return isWholeNumber(text) ? { text: text.trim() } : { fault: 'must be a whole number' };
    case 'boolean':
      return isBoolean(text) ? { text: text.trim().toLowerCase() } : { fault: 'must be true or false' };
    case 'date': {
      const time = readTime(text);
      return time ? { text: writeTime(time) } : { fault: 'must be a time such as 2026-01-31 14:30:00' };
    }
    case 'options':
      return options.length === 0 || options.includes(text)
        ? { text }
        : { fault: `must be one of ${options.slice(0, 20).join(', ')}` };
    default:
      return { text };
  }
}
