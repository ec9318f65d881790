import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FRAME_BYTES, RATE } from '../media/media.ts';
import { toByte } from '../media/g711.ts';
import { SPOKEN_HEADER_BYTES } from '../media/wav.ts';
import { DIGITS, type Agent, type Person, type Pitch, type Remark } from './sentences.ts';

export const SOUNDS = join(import.meta.dirname, 'sounds');

/** As loud as speech is: −16 dB below full scale. */
export const LOUDNESS = 10 ** (-16 / 20);

const read = new Map<string, Uint8Array>();

/** Whole frames of μ-law; read once, shared by all, not to be written to. */
function readSound(file: string): Uint8Array {
  const known = read.get(file);
  if (known) return known;
  const sound = readFileSync(join(SOUNDS, `${file}.wav`)).subarray(SPOKEN_HEADER_BYTES);
  read.set(file, sound);
  return sound;
}

export const personSays = (person: Person, remark: Remark): Uint8Array => readSound(join(person, remark));
export const agentSays = (agent: Agent, pitch: Pitch): Uint8Array => readSound(join(agent, pitch));

/** Undefined where it is no digit. */
export const digitSaid = (digit: string): Uint8Array | undefined =>
  Object.hasOwn(DIGITS, digit) ? readSound(join('digits', DIGITS[digit]!)) : undefined;

/** Eight samples a turn: a frame ends where the next begins. */
const TONE_HZ = 1_000;
export const TONE_FRAME = Uint8Array.from({ length: FRAME_BYTES }, (_, at) =>
  toByte(32_767 * LOUDNESS * Math.SQRT2 * Math.sin((2 * Math.PI * TONE_HZ * at) / RATE)),
);

const BEEP_FRAMES = 20;
export const BEEP = Uint8Array.from({ length: BEEP_FRAMES * FRAME_BYTES }, (_, at) => TONE_FRAME[at % FRAME_BYTES]!);
