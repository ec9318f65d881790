import { isWholeNumber } from '../../contract/fits.ts';
import { unguard } from '../../contract/formulas.ts';
import type { DateOrder, HowRead } from '../../contract/imports.ts';
import { readTime } from '../../contract/times.ts';
import type { ListColumn } from '../lists/columns.ts';
import { writeTime } from '../platform/times.ts';
import { YES_NO, YES_NO_SIGNS } from './files/looks.ts';

/** What stands in cells, as people and spreadsheets write it. Faults go on from the name of the field. */
export type Read = { text: string } | { fault: string };

const LONGEST_VALUE = 10_000;

/** Without what our own files put before formulas and before spaces that are meant. */
export function cleanCell(cell: string): string {
  const plain = unguard(cell);
  return plain === cell ? cell.trim() : plain;
}

/** What a cell does not say itself: the order of its dates, and of what kind of file it is. */
type Written = { dates?: DateOrder | undefined; format?: HowRead['format'] };

export function readCell(
  column: Pick<ListColumn, 'kind' | 'options'>,
  text: string,
  { dates, format }: Written = {},
): Read {
  if (text === '') return { text };
  if (text.length > LONGEST_VALUE && Array.from(text).length > LONGEST_VALUE)
    return { fault: ' must have at most 10,000 characters' };
  switch (column.kind) {
    case 'integer':
      return readWhole(text, format);
    case 'boolean':
      return readYesNo(text);
    case 'date': {
      const date = readDate(text, dates);
      return 'fault' in date ? date : { text: writeTime(date.time) };
    }
    case 'phone':
      return readWrittenPhone(text);
    case 'options':
      return readOption(column, text);
    default:
      return { text };
  }
}

const GROUPED = /^[+-]?[1-9]\d{0,2}(?:[ .,'’\u00a0\u202f]\d{3})+$/;
const isGrouped = (text: string): boolean => GROUPED.test(text) && new Set(text.replaceAll(/[\d+-]/g, '')).size === 1;
/** As a workbook shows a number that is not whole: `1.125` is none of a thousand there. */
const FRACTION = /^-?\d+\.\d*[1-9]$/;
const NO_MORE_THAN_WHOLE = /^([+-]?\d+)[.,]0+$/;

function readWhole(text: string, format: HowRead['format'] | undefined): Read {
  if (isWholeNumber(text)) return { text };
  if (isGrouped(text) && !(format === 'xlsx' && FRACTION.test(text))) return { text: text.replaceAll(/[^\d+-]/g, '') };
  const [, whole] = NO_MORE_THAN_WHOLE.exec(text) ?? [];
  if (whole) return { text: whole };
  const written = writeOut(text);
  if (written?.exact) return { text: written.digits };
  return { fault: /\d/.test(text) && !/[^\d.,'’\s+-]/.test(text) ? ' must be a whole number' : ' must be a number' };
}

/** `4.5E+10` is how spreadsheets write a number they have no room for: some digits may be gone. */
function writeOut(text: string): { digits: string; exact: boolean } | undefined {
  const [, whole, fraction = '', power] = /^\+?(\d)(?:[.,](\d{1,20}))?E\+?(\d{1,2})$/i.exec(text) ?? [];
  if (!whole) return undefined;
  const more = Number(power) - fraction.length;
  return { digits: `${whole}${fraction}${'0'.repeat(Math.max(more, 0))}`, exact: more === 0 };
}

function readWrittenPhone(text: string): Read {
  const written = writeOut(text);
  // By an apostrophe people tell a spreadsheet that it is no number.
  if (!written) return { text: text.replace(/^'(?=[+(\d])/, '') };
  return written.exact
    ? { text: written.digits }
    : { fault: ' lost its digits in a spreadsheet; format the column as text there and save it again' };
}

function readYesNo(text: string): Read {
  const meant = YES_NO.get(text.toLowerCase()) ?? YES_NO_SIGNS.get(text);
  return meant === undefined ? { fault: ' must be yes or no' } : { text: String(meant) };
}

function readOption({ options }: Pick<ListColumn, 'options'>, text: string): Read {
  if (options.length === 0 || options.includes(text)) return { text };
  const folded = text.toLowerCase();
  const meant = options.find((option) => option.toLowerCase() === folded);
  return meant === undefined ? { fault: ` must be one of ${options.slice(0, 20).join(', ')}` } : { text: meant };
}

const NOT_A_DATE = { fault: ' must be a date' };
const NO_SUCH_DATE = { fault: ': no such date' };
const LONGEST_DATE = 60;
const ISO = /^\d{4}-\d\d-\d\d(?:[ T]|$)/;
const ZONE = /(?:\d ?(?:UTC|GMT|Z)|:\d\d ?[+-]\d\d(?::?\d\d)?)$/i;
const WRITTEN =
  /^(\d{1,4})([./ -])(\d{1,2})([./ -])(\d{1,4})(?:[ T,]{1,3}(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?: ?([ap])\.?m\.?)?)?$/i;
const RUN_TOGETHER = /^(\d{4})(\d\d)(\d\d)$/;

/** `zoned`: it says itself by which clock; others are taken as if by that of Greenwich. */
export type ReadDate = { time: Date; zoned: boolean } | { fault: string };

/** As programs write it, or three numbers in the order that the match names, or in the only one that makes sense. */
export function readDate(text: string, order: DateOrder | undefined): ReadDate {
  if (text.length > LONGEST_DATE) return NOT_A_DATE;
  if (ISO.test(text)) {
    const time = readTime(text);
    return time ? { time, zoned: ZONE.test(text) } : NO_SUCH_DATE;
  }
  const [, together, month, day] = RUN_TOGETHER.exec(text) ?? [];
  if (together) return dateOf(together, month!, day!);
  const [, first, between, second, again, third, hour, minute, seconds, half] = WRITTEN.exec(text) ?? [];
  if (!first || between !== again) return NOT_A_DATE;
  const [year, ...rest] = inOrder(first, second!, third!, order) ?? [];
  if (!year) return { fault: ': day or month first? Say how its dates are written' };
  return dateOf(year, rest[0]!, rest[1]!, { hour, minute, seconds, half });
}

/** Year, month, day. */
function inOrder(first: string, second: string, third: string, order?: DateOrder): string[] | undefined {
  if (first.length > 2 || (order === 'year_first' && third.length <= 2)) return [first, second, third];
  const [a, b] = [Number(first), Number(second)];
  if (order === 'month_first') return [third, first, second];
  if (order === 'day_first' || (a > 12 && b <= 12)) return [third, second, first];
  if (b > 12 && a <= 12) return [third, first, second];
  return a === b ? [third, first, second] : undefined;
}

type Clock = {
  hour?: string | undefined;
  minute?: string | undefined;
  seconds?: string | undefined;
  half?: string | undefined;
};

function dateOf(
  year: string,
  month: string,
  day: string,
  { hour = '0', minute = '00', seconds = '00', half }: Clock = {},
) {
  const noon = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const two = (part: string | number) => String(part).padStart(2, '0');
  const time = readTime(`${wholeYear(year)}-${two(month)}-${two(day)} ${two(noon)}:${minute}:${seconds}`);
  return time ? { time, zoned: false } : NO_SUCH_DATE;
}

// Nobody calls whoever was born before the telephone, nor plans for when all of us are gone.
const wholeYear = (year: string): string =>
  year.length > 2 ? year.padStart(4, '0') : `${Number(year) < 70 ? 20 : 19}${year.padStart(2, '0')}`;
