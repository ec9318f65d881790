import { readXml } from './xml.ts';

/** How a number is shown, as far as it matters: as a day or an hour, or with zeros before it. */
export type Format = { as: 'number' | 'date' | 'time' | 'duration'; hasTime?: boolean; digits?: number };

const PLAIN: Format = { as: 'number' };
const DAY: Format = { as: 'date' };
const DAY_AND_TIME: Format = { as: 'date', hasTime: true };
const TIME: Format = { as: 'time' };
const DURATION: Format = { as: 'duration' };

/** Those that every spreadsheet knows by number, without writing them down. */
const KNOWN = new Map<number, Format>([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, DAY] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, TIME] as const),
  [22, DAY_AND_TIME],
  [46, DURATION],
]);

const LONGEST_CODE = 255;

export async function readFormats(pieces: AsyncIterable<Buffer>): Promise<Format[]> {
  const own = new Map<number, Format>();
  const formats: Format[] = [];
  let isCells = false;
  await readXml(pieces, {
    open(name, attributes) {
      if (name === 'numFmt')
        own.set(Number(attributes.numFmtId), formatOf((attributes.formatCode ?? '').slice(0, LONGEST_CODE)));
      else if (name === 'cellXfs') isCells = true;
      else if (name === 'xf' && isCells) {
        const id = Number(attributes.numFmtId ?? 0);
        formats.push(own.get(id) ?? KNOWN.get(id) ?? PLAIN);
      }
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return formats;
}

/** By its code, as in `dd.mm.yyyy hh:mm`, `[h]:mm` or `00000`. */
export function formatOf(code: string): Format {
  const [section = ''] = code.replaceAll(/"[^"]*"|\\.|_.|\*./g, '').split(';');
  if (/\[(h+|m+|s+)\]/i.test(section)) return DURATION;
  const bare = section.replaceAll(/\[[^[\]]*\]/g, '');
  if (/^0{2,}$/.test(bare)) return { as: 'number', digits: bare.length };
  if (/general|standard|@/i.test(bare)) return PLAIN;
  const hasTime = /[hs]|am\/pm/i.test(bare);
  if (/[yd]/i.test(bare) || (/m/i.test(bare) && !hasTime)) return hasTime ? DAY_AND_TIME : DAY;
  return hasTime ? TIME : PLAIN;
}
