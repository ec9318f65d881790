import { sayWeekday, sayWhen } from '../times.ts';

/** Call-back times: the chips, and what can be typed. */

export type When = { label: string; at: Date };

const at = (days: number, hours: number, minutes = 0, from = new Date()): Date =>
  new Date(from.getFullYear(), from.getMonth(), from.getDate() + days, hours, minutes);

const named = (time: Date): When => ({ label: sayWhen(time), at: time });

const later = (minutes: number) => new Date(Date.now() + minutes * 60_000);

/** What people choose most, from now. */
export function suggestTimes(now = new Date()): When[] {
  const monday = ((8 - now.getDay()) % 7) + (now.getDay() === 1 ? 7 : 0);
  return [
    { label: 'In 15 min', at: later(15) },
    { label: 'In 1 hour', at: later(60) },
    ...(now.getHours() < 14 ? [named(at(0, 15, 0, now))] : []),
    named(at(1, 9, 0, now)),
    ...(monday > 1 ? [{ label: sayWeekday(at(monday, 9, 0, now)), at: at(monday, 9, 0, now) }] : []),
  ];
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** "thu 9", "tomorrow 14:30", "in 2h", "15:00", "2026-12-01 9:00". Undefined where it cannot be read. */
export function readWhen(typed: string, now = new Date()): Date | undefined {
  const text = typed.trim().toLowerCase();
  const [, amount, unit] = /^in\s+(\d{1,3})\s*(m|min|minutes?|h|hours?|d|days?)$/.exec(text) ?? [];
  if (amount && unit) {
    const minutes = Number(amount) * (unit.startsWith('m') ? 1 : unit.startsWith('h') ? 60 : 1_440);
    return new Date(now.getTime() + minutes * 60_000);
  }
  const [, year, month, day, rest] = /^(\d{4})-(\d\d)-(\d\d)(?:[t\s]+(.*))?$/.exec(text) ?? [];
  if (year) {
    const clock = readClock(rest ?? '9');
    const date = clock && new Date(Number(year), Number(month) - 1, Number(day), ...clock);
    return date && date.getMonth() === Number(month) - 1 ? date : undefined;
  }
  const [, word, clock] = /^(today|tomorrow|sun|mon|tue|wed|thu|fri|sat)[a-z]*\s*(.*)$/.exec(text) ?? [];
  if (word) {
    const hours = readClock(clock || '9');
    if (!hours) return undefined;
    const days = word === 'today' ? 0 : word === 'tomorrow' ? 1 : (DAYS.indexOf(word) - now.getDay() + 7) % 7 || 7;
    return at(days, ...hours, now);
  }
  const bare = readClock(text);
  if (!bare) return undefined;
  const today = at(0, ...bare, now);
  return today > now ? today : at(1, ...bare, now);
}

function readClock(text: string): [number, number] | undefined {
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.](\d\d))?\s*(am|pm)?$/.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const hour = (Number(hours) % (half ? 12 : 24)) + (half === 'pm' ? 12 : 0);
  return Number(hours) > 23 || Number(minutes) > 59 ? undefined : [hour, Number(minutes)];
}
