import { readWhen } from '../../outcomes/when.ts';
import { two } from '../../times.ts';

/** Times as they are typed into a filter, and as a token has them: a whole day, or a moment of it. */

const DAY_MS = 86_400_000;
const writeDay = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const writeClock = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}`;
const daysFrom = (now: Date, days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);

/** What people ask for most, in words that can be typed as well. */
export const SUGGESTED = ['today', 'yesterday', '7 days ago', '30 days ago', 'tomorrow', 'in 7 days'] as const;

const RELATIVE: [RegExp, (days: number) => number][] = [
  [/^today$/, () => 0],
  [/^yesterday$/, () => -1],
  [/^tomorrow$/, () => 1],
  [/^(\d{1,4}) ?d(?:ays?)? ago$/, (days) => -days],
  [/^(\d{1,3}) ?w(?:eeks?)? ago$/, (weeks) => -7 * weeks],
  [/^in (\d{1,4}) days?$/, (days) => days],
  [/^in (\d{1,3}) weeks?$/, (weeks) => 7 * weeks],
];

/**
 * `today`, `7 days ago`, `2026-11-18` and `18 nov` are days, `thu 9` and `18 nov 14:30` moments. Undefined where it cannot be read. `isPast`:
 * what says no year lies behind instead of ahead. `isStored`: it is compared with what fields say, whose times are what clocks show, wherever one reads them.
 */
export function readMoment(typed: string, isPast = false, now = new Date(), isStored = false): string | undefined {
  const text = typed.trim().toLowerCase();
  for (const [form, daysOf] of RELATIVE) {
    const [all, number] = form.exec(text) ?? [];
    if (all !== undefined) return writeDay(daysFrom(now, daysOf(Number(number))));
  }
  // A clock can be said once: where there is still room for one, none was said.
  const isDay = readWhen(`${text} 10:17`, now) !== undefined;
  // Today is a day that lies ahead, and one that lies behind.
  const [from, until] = isDay ? [daysFrom(now, 0), daysFrom(now, 1)] : [now, now];
  // From a day, a week and a year ago on: the first that lies behind is the last there was.
  const sinces = isPast ? [0, 1, 8, 366] : [0];
  const read = sinces.map((days) => readWhen(text, new Date(from.getTime() - days * DAY_MS)));
  const at = (isPast && read.find((one) => one !== undefined && one <= until)) || read[0];
  return at && (isDay ? writeDay(at) : isStored ? `${writeDay(at)}T${writeClock(at)}` : at.toISOString());
}
