/** `YYYY-MM-DD HH:MM:SS`, in UTC: how lead data holds times. */
export const writeTime = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');

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
