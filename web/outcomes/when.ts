import { sayWeekday, sayWhen } from '../times.ts';
import { wordsOf } from './calendar-words.ts';

/** Call-back times: the chips, and what can be typed. */

export type When = { label: string; at: Date };

const at = (days: number, hours: number, minutes = 0, from = new Date()): Date =>
  new Date(from.getFullYear(), from.getMonth(), from.getDate() + days, hours, minutes);

const named = (time: Date): When => ({ label: sayWhen(time), at: time });

const later = (minutes: number) => new Date(Date.now() + minutes * 60_000);

/** What people choose most, from now. */
export function suggestTimes(now = new Date()): When[] {
  const monday = untilMonday(now);
  return [
    { label: 'In 15 min', at: later(15) },
    { label: 'In 1 hour', at: later(60) },
    ...(now.getHours() < 14 ? [named(at(0, 15, 0, now))] : []),
    named(at(1, 9, 0, now)),
    ...(monday > 1
      ? [
          monday < 7
            ? { label: sayWeekday(at(monday, 9, 0, now)), at: at(monday, 9, 0, now) }
            : named(at(monday, 9, 0, now)),
        ]
      : []),
  ];
}

/** Days until the week after this one begins. */
const untilMonday = (now: Date): number => (8 - now.getDay()) % 7 || 7;

/** More than anyone writes of a time. */
export const LONGEST_WHEN = 60;

type Clock = [hours: number, minutes: number];
type Day = { year?: number | undefined; month: number; day: number };
/** What was said of the day, each at most once. */
type Said = { clock?: Clock; date?: Day; days?: number; weekday?: number; nextWeek?: true };

/**
 * "thu 9", "tomorrow 14:30", "in 2h", "noon", "22 nov", "18/11", "next week", "2026-12-01 9:00", and whatever the pages write themselves. Undefined
 * where it cannot be read. What says no year or no day lies ahead.
 */
export function readWhen(typed: string, now = new Date(), monthFirst = false): Date | undefined {
  if (typed.length > LONGEST_WHEN) return undefined;
  const text = tidy(typed);
  const minutes = readDelay(text);
  if (minutes !== undefined) return new Date(now.getTime() + minutes * 60_000);
  const said = readWords(text, monthFirst);
  return said && resolve(said, now);
}

/** One spelling of what is spelt in several ways. */
const tidy = (typed: string): string =>
  typed
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\d) ?([ap])\.? ?m\b\.?/g, '$1$2m')
    .replaceAll(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replaceAll(/(\d)\. (?=\d{1,2}\.|\d{4}\b)/g, '$1.')
    .replace('day after tomorrow', 'overmorrow');

const UNITS: Record<string, number> = { m: 1, h: 60, d: 1_440, w: 10_080 };

/** `in 2h`, `in 90 min`, `in 1h 30`, `in half an hour`, as minutes. */
function readDelay(text: string): number | undefined {
  const words = text.replace(/^in half an? hour$/, 'in 30 m').replace(/^in an? /, 'in 1 ');
  const [, whole] = /^in (.+)$/.exec(words) ?? /^(\d+ ?(?:min|minutes?|hours?|days?|weeks?))$/.exec(words) ?? [];
  if (whole === undefined) return undefined;
  const parts = [
    ...whole.matchAll(/(\d{1,4}(?:[.,]\d)?) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|$)(?![a-z]) ?/g),
  ];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== whole) return undefined;
  // “in 1h 30” is clear, “in 30” is not.
  if (parts.length === 1 && parts[0]![2] === '') return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount!.replace(',', '.')) * UNITS[unit![0] ?? 'm']!, 0);
}

const TOKENS =
  /\d{1,2}(?:[:.]\d\d)?[ap]m(?!\p{L})|\d{1,2}:\d\d|\d{1,4}(?:[./-]\d{1,4}){1,2}\.?|\d+|\p{L}+|[^\s,.;()'’-]/gu;
/** Said, and mean nothing. */
const IDLE = new Set([
  'at',
  'on',
  'the',
  'this',
  'of',
  't',
  'um',
  'kl',
  'de',
  'den',
  'le',
  'el',
  'à',
  'o',
  'clock',
  'uhr',
  'week',
]);
const DAYS: Record<string, number> = { today: 0, tonight: 0, tomorrow: 1, tmr: 1, overmorrow: 2 };
const CLOCKS: Record<string, Clock> = {
  noon: [12, 0],
  midday: [12, 0],
  midnight: [24, 0],
  morning: [9, 0],
  afternoon: [14, 0],
  evening: [18, 0],
  tonight: [19, 0],
};

/** By the word, or its first three letters or more. */
const daysOf = (token: string): number | undefined =>
  DAYS[Object.keys(DAYS).find((word) => word === token || (token.length > 2 && word.startsWith(token))) ?? ''];

function readWords(text: string, monthFirst: boolean): Said | undefined {
  const tokens = (text.match(TOKENS) ?? []).filter((token) => !IDLE.has(token));
  const said: Said = {};
  /** False where it was said before: two days are none. */
  const say = <Name extends keyof Said>(name: Name, value: Said[Name]): boolean => {
    if (value === undefined || said[name] !== undefined) return false;
    said[name] = value;
    return true;
  };
  const months: [place: number, month: number][] = [];
  const either: [place: number, month: number, weekday: number][] = [];
  const numbers: [place: number, digits: string][] = [];
  const hasClock = tokens.some((token) => /:|^\d+([ap]m)?$/.test(token) || token in CLOCKS);
  const hasDay = tokens.some((token) => daysOf(token) !== undefined || wordsOf(token).month !== undefined);
  const readToken = (token: string, place: number): boolean => {
    if (/^\d+$/.test(token)) return numbers.push([place, token]) > 0;
    if (/^\d/.test(token)) {
      const clock = readClock(token);
      const date = readDate(token, monthFirst);
      // 9.30 is a time and 18.11. a day. What may be either is a time where it is one that people would say.
      const isClock = clock && (!date || hasDay || (!token.endsWith('.') && !hasClock && clock[1] % 5 === 0));
      return isClock ? say('clock', clock) : say('date', date);
    }
    if (token === 'next') return say('nextWeek', true);
    const [days, clock] = [daysOf(token), CLOCKS[token]];
    if (days !== undefined || clock)
      return (days === undefined || say('days', days)) && (clock === undefined || say('clock', clock));
    const { month, weekday } = wordsOf(token);
    if (month !== undefined && weekday !== undefined) return either.push([place, month, weekday]) > 0;
    if (month !== undefined) return months.push([place, month]) === 1;
    return say('weekday', weekday);
  };
  if (tokens.length === 0 || !tokens.every(readToken)) return undefined;
  // “mar 3 mar”: some months are called like a day. The last of them is the month, if nothing else is and there is a number for it.
  if (months.length === 0 && numbers.length > 0 && said.date === undefined && either.length > 0) {
    const [place, month] = either.pop()!;
    months.push([place, month]);
  }
  if (!either.every(([, , weekday]) => say('weekday', weekday))) return undefined;
  const month = months[0];
  if (month) {
    const beside = numbers.filter(([place]) => Math.abs(place - month[0]) === 1);
    const day = beside.find(([, digits]) => digits.length < 3);
    if (!day) return undefined;
    const year = numbers.find(([, digits]) => digits.length === 4);
    say('date', { year: year && Number(year[1]), month: month[1], day: Number(day[1]) });
    numbers.splice(0, numbers.length, ...numbers.filter((number) => number !== day && number !== year));
  }
  const [hour, ...more] = numbers;
  if (more.length > 0 || (hour && !say('clock', readClock(hour[1])))) return undefined;
  return said;
}

/** `9`, `09:00`, `9.30`, `2pm`. Bare hours before seven are those of the afternoon, unless they are written like 03:00. */
function readClock(text: string): Clock | undefined {
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.](\d\d))?([ap]m)?$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const isAfternoon = half === undefined ? /^[1-6]$/.test(hours) : half === 'pm' && Number(hours) < 13;
  const hour = (half === undefined || Number(hours) > 12 ? Number(hours) : Number(hours) % 12) + (isAfternoon ? 12 : 0);
  return [hour, Number(minutes)];
}

/** `18/11`, `18.11.`, `18.11.26`, `2026-11-18`. Where the first number can only be a day, it is one. */
function readDate(text: string, monthFirst: boolean): Day | undefined {
  const parts = text.replace(/\.$/, '').split(/[./-]/);
  if (parts[0]!.length > 2) {
    const [year, month, day] = parts.map(Number);
    return parts.length === 3 && parts[0]!.length === 4 ? { year, month: month! - 1, day: day! } : undefined;
  }
  const [one, other, year] = parts.map(Number) as [number, number, number | undefined];
  // With dots the day comes first everywhere.
  const isMonthFirst = !text.includes('.') && (monthFirst ? one <= 12 : other > 12);
  const [month, day] = isMonthFirst ? [one, other] : [other, one];
  const century = year !== undefined && year < 100 ? 2_000 : 0;
  return month > 12 ? undefined : { year: year === undefined ? undefined : century + year, month: month - 1, day };
}

function resolve({ clock, date, days, weekday, nextWeek }: Said, now: Date): Date | undefined {
  if (date) return days === undefined && !nextWeek ? resolveDate(date, clock ?? [9, 0], now) : undefined;
  if (nextWeek) {
    if (days !== undefined) return undefined;
    return at(untilMonday(now) + (((weekday ?? 1) + 6) % 7), ...(clock ?? [9, 0]), now);
  }
  if (days !== undefined) {
    if (weekday !== undefined) return undefined;
    // Some time today is the next hour.
    const soon: Clock = days === 0 ? [now.getHours() + 1, 0] : [9, 0];
    return at(days, ...(clock ?? soon), now);
  }
  // Never today, which has a word of its own.
  if (weekday !== undefined) return at((weekday - now.getDay() + 7) % 7 || 7, ...(clock ?? [9, 0]), now);
  if (!clock) return undefined;
  const today = at(0, ...clock, now);
  return today > now ? today : at(1, ...clock, now);
}

/** On that day of this year, or of the next one that has it. */
function resolveDate({ year, month, day }: Day, clock: Clock, now: Date): Date | undefined {
  const years = year === undefined ? Array.from({ length: 9 }, (_, ahead) => now.getFullYear() + ahead) : [year];
  return years
    .filter((one) => new Date(one, month, day).getMonth() === month && day > 0)
    .map((one) => new Date(one, month, day, ...clock))
    .find((time) => year !== undefined || time > now);
}
