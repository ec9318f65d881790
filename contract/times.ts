const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(?: ?(UTC|GMT|Z|[+-]\d\d(?::?\d\d)?))?$/i;

/** A time as people and programs write it: `2026-12-01 09:30:00 UTC`, ISO 8601, a bare date. Without a zone it is UTC. */
export function readTime(text: string): Date | undefined {
  const [, ...parts] = SHAPE.exec(text.trim()) ?? [];
  if (parts.length === 0) return undefined;
  const [year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = parts;
  const numbers = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const written = new Date(0);
  written.setUTCFullYear(numbers[0], numbers[1], numbers[2]);
  written.setUTCHours(numbers[3], numbers[4], numbers[5], Number(fraction.padEnd(3, '0').slice(0, 3)));
  // The 30th of February would quietly become a day in March.
  const read = [
    written.getUTCFullYear(),
    written.getUTCMonth(),
    written.getUTCDate(),
    written.getUTCHours(),
    written.getUTCMinutes(),
    written.getUTCSeconds(),
  ];
  if (numbers[0] === 0 || numbers.some((number, index) => number !== read[index])) return undefined;
  const away = readZone(zone);
  if (away === undefined) return undefined;
  const time = new Date(written.getTime() - away * 60_000);
  // Only years that can be written again in four digits.
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999 ? time : undefined;
}

/** Minutes east of Greenwich. */
function readZone(zone: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (!sign) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
