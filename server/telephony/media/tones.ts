import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode, SILENT } from './g711.ts';
import { FRAME_BYTES, RATE, type Tone } from './media.ts';
import { SPOKEN_HEADER_BYTES } from './wav.ts';

/** Sounds of the line, made of sines. Each is a loop of whole frames, so that whoever plays it only counts. */
export type Loop = Uint8Array[];

type Part = { hertz: number[]; seconds: number };

const LOUD = 6_000;
/** A tone that begins or ends at once clicks. */
const RAMP = RATE / 200;

export const SILENCE = new Uint8Array(FRAME_BYTES).fill(SILENT);

/** As in most of Europe (ITU-T E.180): one sound, told apart by its rhythm. */
export const TONES: Record<Tone, Loop> = {
  ringing: loop([
    { hertz: [425], seconds: 1 },
    { hertz: [], seconds: 4 },
  ]),
  busy: loop([
    { hertz: [425], seconds: 0.5 },
    { hertz: [], seconds: 0.5 },
  ]),
  // Three tones that rise, known to people and machines alike as "no such number".
  unobtainable: loop([
    { hertz: [950], seconds: 0.34 },
    { hertz: [1_400], seconds: 0.34 },
    { hertz: [1_800], seconds: 0.34 },
    { hertz: [], seconds: 0.98 },
  ]),
};

/** What someone hears who waits: a chord that is played note by note, softly, then a pause. */
export const WAITING: Loop = loop(
  [...[523.25, 659.25, 783.99, 659.25].map((hertz) => ({ hertz: [hertz], seconds: 0.4 })), { hertz: [], seconds: 3.2 }],
  LOUD / 4,
);

/** `node bin/speak.ts` speaks it: whoever changes a word runs that again. */
export const ANNOUNCED = 'This call is recorded.';
export const ANNOUNCED_FILE = join(import.meta.dirname, 'announced.wav');

/** What both hear before a call is recorded: a note, so that they listen, a voice, and a moment to take it in. */
export const ANNOUNCEMENT: Loop = [
  ...loop([
    { hertz: [880], seconds: 0.2 },
    { hertz: [], seconds: 0.2 },
  ]),
  ...framesOf(readFileSync(ANNOUNCED_FILE).subarray(SPOKEN_HEADER_BYTES)),
  ...loop([{ hertz: [], seconds: 0.3 }]),
];

const ROWS = [697, 770, 852, 941];
const COLUMNS = [1_209, 1_336, 1_477, 1_633];
const KEYS = ['123A', '456B', '789C', '*0#D'];

/** Long enough for every machine that listens for digits (ITU-T Q.24 asks for 40 ms). */
const DIGITS = new Map(
  KEYS.flatMap((keys, row) =>
    keys.split('').map((key, column): [string, Loop] => [
      key,
      loop([
        { hertz: [ROWS[row]!, COLUMNS[column]!], seconds: 0.12 },
        { hertz: [], seconds: 0.08 },
      ]),
    ]),
  ),
);

/** What a key of the telephone sounds like; undefined where there is no such key. */
export const digitTone = (digit: string): Loop | undefined => DIGITS.get(digit.toUpperCase());

function loop(parts: Part[], loud = LOUD): Loop {
  return framesOf(encode(parts.flatMap((part) => [...play(part, loud)])));
}

function framesOf(sound: Uint8Array): Loop {
  return Array.from({ length: sound.length / FRAME_BYTES }, (_, at) =>
    sound.subarray(at * FRAME_BYTES, (at + 1) * FRAME_BYTES),
  );
}

function play({ hertz, seconds }: Part, loud: number): Float32Array {
  const length = Math.round(seconds * RATE);
  return new Float32Array(length).map((_, at) => {
    const ramp = Math.min(1, at / RAMP, (length - at) / RAMP);
    const sum = hertz.reduce((wave, each) => wave + Math.sin((2 * Math.PI * each * at) / RATE), 0);
    return (loud * ramp * sum) / Math.max(1, hertz.length);
  });
}
