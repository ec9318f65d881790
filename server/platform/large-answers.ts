import { setImmediate } from 'node:timers/promises';
import { invalid } from './read.ts';

/** What a large answer may cost the others: so many bytes, written piece by piece, with a rest before the same person's next. */

/** Of any answer, in bytes. */
export const LONGEST_ANSWER = 16 * 1024 * 1024;

export const tooLarge = () => invalid({ per_page: ['must be smaller: the answer would have more than 16 MiB'] });

/** In characters: nobody notices these. */
const LIGHT = 1024 * 1024;
const A_SECOND = 16 * 1024 * 1024;

export const isLarge = (json: string): boolean => json.length > LIGHT;

/** How long whoever asks for page after page of megabytes leaves room for the others. */
export const restAfter = (json: string): number => Math.max(0, ((json.length - LIGHT) / A_SECOND) * 1_000);

const PIECE = 128 * 1024;

/** All at once would hold everybody up. */
export async function encode(json: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (let from = 0, to = 0; from < json.length; from = to) {
    to = from + PIECE;
    // Between the halves of one character there is no place to part.
    if ((json.charCodeAt(to - 1) & 0xfc00) === 0xd800) to += 1;
    const piece = Buffer.from(json.slice(from, to));
    bytes += piece.length;
    if (bytes > LONGEST_ANSWER) throw tooLarge();
    pieces.push(piece);
    await setImmediate();
  }
  return Buffer.concat(pieces, bytes);
}
