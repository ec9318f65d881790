/** `YYYY-MM-DD HH:MM:SS`, in UTC: how lead data holds times. */
export const writeTime = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
// Of an account's whole life; more than these are made up.
const MOST_DAYS = 10_000;
const days = new Map<number, string>();

function writeDay(day: number): string {
  const written = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
  if (days.size >= MOST_DAYS) days.clear();
  days.set(day, written);
  return written;
}

/** As `toISOString` writes it, in a quarter of the time: a page of leads has hundreds. */
export function writeIso(time: Date): string {
  const at = time.getTime();
  const day = Math.floor(at / DAY_MS);
  const ms = at - day * DAY_MS;
  const seconds = Math.floor(ms / 1_000);
  const [hour, minute] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = ms % 1_000;
  return (
    `${days.get(day) ?? writeDay(day)}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[seconds % 60]}` +
    `${rest < 10 ? '.00' : rest < 100 ? '.0' : '.'}${rest}Z`
  );
}

const twoDigits = (text: string, at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
const UTC_SECONDS = 'YYYY-MM-DD HH:MM:SS+00';
const UTC_MICROSECONDS = 'YYYY-MM-DD HH:MM:SS.ffffff+00';

/** As PostgreSQL writes it, where its clocks are those of Greenwich; `other` reads whatever else it may be. */
export function readTimestamp(text: string, other: (text: string) => Date): Date {
  const { length } = text;
  // Years of five digits, and those before the first, have the day or their end elsewhere.
  const isPlain =
    length >= UTC_SECONDS.length && length <= UTC_MICROSECONDS.length && text[10] === ' ' && text.endsWith('+00');
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  // `Date.UTC` takes the first hundred for those of another century.
  if (!isPlain || year < 100) return other(text);
  const hasFraction = length > UTC_SECONDS.length;
  const ms = hasFraction ? Number(text.slice(20, -3).padEnd(3, '0').slice(0, 3)) : 0;
  const [month, day, hour] = [twoDigits(text, 5), twoDigits(text, 8), twoDigits(text, 11)];
  return new Date(Date.UTC(year, month - 1, day, hour, twoDigits(text, 14), twoDigits(text, 17), ms));
}

/** As `toISOString` writes it, where the database writes the JSON. */
export const isoOf = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

// Each takes as long to make as to be used a hundred times.
const clocks = new Map<string, Intl.DateTimeFormat>();

function openClock(timeZone: string): Intl.DateTimeFormat {
  const clock = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(timeZone, clock);
  return clock;
}

/** What time it is on the clocks of a zone, as if they were those of Greenwich. */
function clockIn(timeZone: string, at: Date): number {
  const parts = (clocks.get(timeZone) ?? openClock(timeZone)).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** At an hour of the day after this one, as people in a zone count days. */
export function onNextDay(now: Date, timeZone: string, hour: number): Date {
  const today = new Date(clockIn(timeZone, now));
  return whenIn(timeZone, Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1, hour));
}

/** When the clocks of a zone show what those of Greenwich show at `wanted`. */
export function whenIn(timeZone: string, wanted: number): Date {
  let at = wanted;
  // By how much its clocks are ahead depends on the moment: they may be changed that night.
  for (let step = 0; step < 2; step += 1) at += wanted - clockIn(timeZone, new Date(at));
  return new Date(at);
}
