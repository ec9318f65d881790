import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../../../contract/imports.ts';

/**
 * Bytes become text. What does not fit the encoding becomes half a surrogate pair: no decoded text holds one, so a row with such bytes is known
 * by `isWellFormed`. U+FFFD could not say it, for a file may hold that character itself.
 */
export type Decode = (block: Buffer, isLast: boolean) => string;

const UNFIT = '\uD800';

export function openDecoder(encoding: Encoding): Decode {
  if (encoding === 'utf-8')
    return decodeHeld(wholeUtf8, (bytes) => (isUtf8(bytes) ? bytes.toString() : markUnfit(bytes)));
  if (encoding === 'utf-16le') return decodeHeld(wholeUtf16(1), decodeUtf16);
  if (encoding === 'utf-16be') return decodeHeld(wholeUtf16(2), (bytes) => decodeUtf16(swapped(bytes)));
  const decoder = new TextDecoder(encoding);
  // The standard gives bytes that Windows has no character for to control characters, which no table holds.
  const unfit = encoding.startsWith('windows-') ? /[\u0080-\u009f\ufffd]/g : /\ufffd/g;
  return (block, isLast) => decoder.decode(block, { stream: !isLast }).replaceAll(unfit, UNFIT);
}

/** Of a character that two blocks share, the first part waits for the second. */
function decodeHeld(whole: (bytes: Buffer) => number, decode: (bytes: Buffer) => string): Decode {
  let held: Buffer = Buffer.alloc(0);
  return (block, isLast) => {
    const bytes = held.length > 0 ? Buffer.concat([held, block]) : block;
    const end = isLast ? bytes.length : whole(bytes);
    held = bytes.subarray(end);
    return decode(bytes.subarray(0, end));
  };
}

/** How many of the bytes are whole characters, as far as the end tells. */
export function wholeUtf8(bytes: Buffer): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back]!;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? length - back : length;
  }
  return length;
}

const REPLACEMENT = Buffer.from('\uFFFD');
// As long, and no character: it stands in for those that are in the file, until what did not fit is marked.
const STAND_IN = Buffer.from('\uFDD0');

function markUnfit(bytes: Buffer): string {
  const marked = Buffer.from(bytes);
  for (let at = marked.indexOf(REPLACEMENT); at >= 0; at = marked.indexOf(REPLACEMENT, at)) STAND_IN.copy(marked, at);
  return marked.toString().replaceAll('\uFFFD', UNFIT).replaceAll('\uFDD0', '\uFFFD');
}

const wholeUtf16 = (highByte: 1 | 2) => (bytes: Buffer) => {
  const even = bytes.length - (bytes.length % 2);
  const isHalf = even > 0 && (bytes[even - highByte]! & 0xfc) === 0xd8;
  return isHalf ? even - 2 : even;
};

// Unpaired halves come out as they are: they are the mark already.
const decodeUtf16 = (bytes: Buffer): string => bytes.toString('utf16le') + (bytes.length % 2 === 1 ? UNFIT : '');

function swapped(bytes: Buffer): Buffer {
  const even = bytes.length - (bytes.length % 2);
  return Buffer.concat([Buffer.from(bytes.subarray(0, even)).swap16(), bytes.subarray(even)]);
}
