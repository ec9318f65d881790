import { useEffect, useState } from 'react';

/** Times as a colleague would say them, in the reader's zone. */

/** Made when first needed: the first of a page takes the browser longer than a whole desk. */
function formatter(options: Intl.DateTimeFormatOptions): (at: Date | string) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => (format ??= new Intl.DateTimeFormat(undefined, options)).format(new Date(at));
}

const sayShortDay = formatter({ weekday: 'short', day: 'numeric', month: 'short' });
const sayDayOfYear = formatter({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const sayDayAndMonth = formatter({ day: 'numeric', month: 'short' });
const sayDayMonthYear = formatter({ day: 'numeric', month: 'short', year: 'numeric' });
const sayLongDay = formatter({ weekday: 'long', day: 'numeric', month: 'short' });
const sayDayOfWeek = formatter({ weekday: 'short' });

export const sayTime = formatter({ hour: '2-digit', minute: '2-digit' });

const startOf = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

export const daysFromToday = (at: Date | string): number =>
  Math.round((startOf(new Date(at)) - startOf(new Date())) / 86_400_000);

/** `2 Nov`, with the year where it is not this one. */
export function sayDate(at: Date | string): string {
  return new Date(at).getFullYear() === new Date().getFullYear() ? sayDayAndMonth(at) : sayDayMonthYear(at);
}

export function sayDay(at: Date | string): string {
  const days = daysFromToday(at);
  if (days === 0) return 'Today';
  if (days === -1) return 'Yesterday';
  if (days === 1) return 'Tomorrow';
  return sayLongDay(at);
}

/** Of a day this near nobody needs the year. */
const SAME_YEAR_DAYS = 300;

export function sayWhen(at: Date | string): string {
  const days = daysFromToday(at);
  if (days === 0) return `Today ${sayTime(at)}`;
  if (days === 1) return `Tomorrow ${sayTime(at)}`;
  return `${Math.abs(days) < SAME_YEAR_DAYS ? sayShortDay(at) : sayDayOfYear(at)}, ${sayTime(at)}`;
}

/** `Mon 9:00`, of a day of this week. */
export const sayWeekday = (at: Date): string => `${sayDayOfWeek(at)} ${sayTime(at)}`;

/** In the middle of a sentence. */
export const midSentence = (said: string): string =>
  said.replace(/^(Today|Tomorrow|Yesterday)/, (word) => word.toLowerCase());

/** The same of a moment. */
export const sayWhenWithin = (at: Date | string): string => midSentence(sayWhen(at));

/** `3 s ago`, `4 min ago`, `2 h ago`, then the day. */
export function sayAgo(at: Date | string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - new Date(at).getTime()) / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return sayWhenWithin(at);
}

/** `4 min overdue`, or undefined while it is not due. */
export function sayOverdue(at: Date | string, now = Date.now()): string | undefined {
  const minutes = Math.floor((now - new Date(at).getTime()) / 60_000);
  if (minutes < 0) return undefined;
  if (minutes < 1) return 'due now';
  if (minutes < 120) return `${minutes} min overdue`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h overdue`;
  return `${Math.floor(minutes / 1440)} days overdue`;
}

/** `7` → `07`. */
export const two = (number: number): string => String(number).padStart(2, '0');

export function sayDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
}

/** Of something that takes a while: `42 s`, `4 min`, `2 h`. */
export function sayRoughly(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** What a clock shows somewhere else. */
export const sayClock = (at: Date | number, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', timeZone }).format(at);

/** `in the United Kingdom`. */
export const sayIn = (place: string): string =>
  `in ${place.replace(/^(United |Netherlands$|Philippines$|Bahamas$|Maldives$|Gambia$)/, 'the $1')}`;

const DAY_HOURS = [8, 21] as const;

/** Whether people somewhere may be called at that time of their day. */
export function isDay(at: Date | number, timeZone: string): boolean {
  const hour = Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone }).format(at));
  return hour >= DAY_HOURS[0] && hour < DAY_HOURS[1];
}

/** `9:00 for you, 10:00 in Denmark`; undefined where it is the same. The day is said where it is another. */
export function sayBoth(at: Date | string, { zone, place }: { zone: string; place: string }): string | undefined {
  const time = new Date(at);
  const dayIn = (timeZone?: string) => new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone }).format(time);
  const [here, there] = [sayTime(time), sayClock(time, zone)];
  const isOtherDay = dayIn() !== dayIn(zone);
  if (here === there && !isOtherDay) return undefined;
  return `${here} for you, ${isOtherDay ? `${dayIn(zone)} ` : ''}${there} ${sayIn(place)}`;
}

/** `4th`. */
export function sayOrdinal(number: number): string {
  const isTeen = number % 100 > 10 && number % 100 < 14;
  return `${number}${(!isTeen && ['th', 'st', 'nd', 'rd'][number % 10]) || 'th'}`;
}

/** The time, told again every so often. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
