import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import { ENCODINGS, type Encoding } from '../../../contract/imports.ts';
import { wholeUtf8 } from './decode.ts';
import { Unreadable } from './source.ts';

/** In what a text is written, by its first bytes. Someone who sees the names of towns can correct it. */
export function guessEncoding(head: Buffer): Encoding {
  const marked = byMark(head);
  if (marked) return marked;
  const zeros = byZeros(head);
  if (zeros) return zeros;
  if (isNearlyUtf8(head)) return 'utf-8';
  const lines = linesBeyondAscii(head);
  const found = byLanguage(lines) ?? 'windows-1252';
  return isMacRoman(lines) && !SEVERAL_BYTES.has(found) ? 'macintosh' : found;
}

function byMark(head: Buffer): Encoding | undefined {
  const start = head.subarray(0, 4).toString('hex');
  if (start === 'fffe0000' || start === '0000feff')
    throw new Unreadable('This text is written in UTF-32, which next to no program reads. Save it as UTF-8.');
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : undefined;
}

/** Without a mark UTF-16 shows by its digits, commas and line breaks: of two bytes one is zero, and always the same one. */
function byZeros(head: Buffer): Encoding | undefined {
  const pairs = Math.min(head.length, 65_536) >> 1;
  let first = 0;
  let second = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    if (head[at] === 0) first += 1;
    if (head[at + 1] === 0) second += 1;
  }
  if (second > pairs * 0.2 && first < second * 0.05) return 'utf-16le';
  return first > pairs * 0.2 && second < first * 0.05 ? 'utf-16be' : undefined;
}

/** A few broken characters do not make it another encoding: those rows are faulty. In no other do bytes beyond ASCII so often fit by chance. */
function isNearlyUtf8(head: Buffer): boolean {
  const whole = head.subarray(0, wholeUtf8(head));
  if (isUtf8(whole)) return true;
  const text = whole.toString();
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const sound = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  return sound >= broken * 3;
}

const MOST_LOOKED_AT = 65_536;

/** Statistics are of use only where there is something to tell. */
function linesBeyondAscii(head: Buffer): Buffer {
  const lines: Buffer[] = [];
  let bytes = 0;
  for (let at = 0; at < head.length && bytes < MOST_LOOKED_AT;) {
    const feed = head.indexOf(0x0a, at);
    const line = head.subarray(at, Math.min(feed < 0 ? head.length : feed + 1, at + MOST_LOOKED_AT));
    at += line.length;
    if (!line.some((byte) => byte > 0x7f)) continue;
    lines.push(line);
    bytes += line.length;
  }
  return Buffer.concat(lines);
}

const NAMED: Record<string, Encoding> = {
  'ISO-8859-1': 'windows-1252',
  'ISO-8859-2': 'iso-8859-2',
  'ISO-8859-7': 'windows-1253',
  'ISO-8859-9': 'windows-1254',
  Shift_JIS: 'shift_jis',
  GB18030: 'gb18030',
  Big5: 'big5',
  'EUC-KR': 'euc-kr',
  'KOI8-R': 'koi8-r',
};
const SEVERAL_BYTES = new Set<Encoding>(['shift_jis', 'gb18030', 'big5', 'euc-kr']);
/** Below, every text looks a little like every language. */
const LEAST_CONFIDENCE = 11;
const LEAST_OF_SEVERAL = 30;

function byLanguage(lines: Buffer): Encoding | undefined {
  for (const { name, confidence } of analyse(lines)) {
    const encoding = NAMED[name] ?? (name in ENCODINGS ? (name as Encoding) : undefined);
    if (!encoding || encoding.startsWith('utf') || confidence < LEAST_CONFIDENCE) continue;
    if (SEVERAL_BYTES.has(encoding) && (confidence < LEAST_OF_SEVERAL || !fits(lines, encoding))) continue;
    // Many letters lie at the same place in several: then it is the one that most files have.
    return COMMON.find((common) => readsTheSame(lines, common, encoding)) ?? encoding;
  }
  return undefined;
}

const COMMON: Encoding[] = ['windows-1252', 'windows-1250'];

const readsTheSame = (lines: Buffer, one: Encoding, other: Encoding): boolean =>
  new TextDecoder(one).decode(lines) === new TextDecoder(other).decode(lines);

function fits(lines: Buffer, encoding: Encoding): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(lines);
    return true;
  } catch {
    return false;
  }
}

/** Its letters with accents lie where Windows has typographic signs, and those do not stand within words. */
function isMacRoman(lines: Buffer): boolean {
  let mac = 0;
  let others = 0;
  for (let at = 1; at < lines.length; at += 1) {
    const byte = lines[at]!;
    if (byte < 0x80 || byte === APOSTROPHE || !isSmallLetter(lines[at - 1]!) || !isSmallLetter(lines[at + 1] ?? 0))
      continue;
    if (byte < 0xa0) mac += 1;
    else others += 1;
  }
  return mac > others * 4;
}

const APOSTROPHE = 0x92;
const isSmallLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;
