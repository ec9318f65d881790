import { readFileSync } from 'node:fs';

/** Sound in tests: sines that one makes and finds again. */

const RATE = 8_000;

/** How much of a frequency there is, as the height of its sine. */
export function measureTone(samples: ArrayLike<number>, hertz: number, rate = RATE): number {
  let [real, imaginary] = [0, 0];
  for (let at = 0; at < samples.length; at++) {
    const angle = (2 * Math.PI * hertz * at) / rate;
    real += samples[at]! * Math.cos(angle);
    imaginary += samples[at]! * Math.sin(angle);
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length;
}

/** The same where it is loudest for a quarter of a second: who pauses does not begin again where the wave was. */
export function loudestTone(samples: Int16Array, hertz: number): number {
  const heights = [0];
  for (let from = 0; from + RATE / 4 <= samples.length; from += RATE / 8)
    heights.push(measureTone(samples.subarray(from, from + RATE / 4), hertz));
  return Math.max(...heights);
}

/** How long nothing was to be heard at most, in milliseconds. */
export function longestSilence(samples: Int16Array): number {
  let [longest, quiet] = [0, 0];
  for (const sample of samples) {
    quiet = Math.abs(sample) < 200 ? quiet + 1 : 0;
    longest = Math.max(longest, quiet);
  }
  return (longest * 1_000) / RATE;
}

const FRAME = RATE / 50;
const isAt = (samples: Int16Array, at: number, piece: Int16Array): boolean =>
  piece.every((sample, along) => samples[at + along] === sample);

/**
 * Where a sound begins in another; -1 where it is not in it. Its frames are there to the sample, but a recording ties clocks together: between
 * two of them a sample may be missing, or be there twice.
 */
export function findSound(samples: Int16Array, sound: Int16Array, from = 0): number {
  const frames = Array.from({ length: Math.floor(sound.length / FRAME) }, (_, at) => ({
    at: at * FRAME,
    // Without its ends, where the next one may overlap.
    piece: sound.subarray(at * FRAME + 20, (at + 1) * FRAME - 20),
  })).filter(({ piece }) => piece.some((sample) => Math.abs(sample) > 1_000));
  const isNear = (place: number, piece: Int16Array) => {
    for (let at = place - 100; at <= place + 100; at++) if (isAt(samples, at, piece)) return true;
    return false;
  };
  for (const anchor of frames.slice(0, 5))
    for (let at = from; at + FRAME <= samples.length; at++) {
      if (!isAt(samples, at, anchor.piece)) continue;
      const begins = at - 20 - anchor.at;
      const found = frames.filter((frame) => isNear(begins + frame.at + 20, frame.piece));
      if (found.length > frames.length * 0.8) return begins;
    }
  return -1;
}

export const makeTone = (hertz: number, seconds: number, rate = RATE, loud = 9_000): Int16Array =>
  new Int16Array(Math.round(seconds * rate)).map((_, at) =>
    Math.round(loud * Math.sin((2 * Math.PI * hertz * at) / rate)),
  );

export type Recording = { rate: number; seconds: number; left: Int16Array; right: Int16Array };

/** A file of 16-bit stereo, read as a player would: by its header. */
export const readRecording = (file: string, { isGrowing = false } = {}): Recording =>
  readSound(readFileSync(file), { isGrowing });

export function readSound(bytes: Buffer, { isGrowing = false } = {}): Recording {
  const [channels, rate] = [bytes.readUInt16LE(22), bytes.readUInt32LE(24)];
  const there = Math.floor((bytes.length - 44) / 4) * 4;
  const size = isGrowing ? there : bytes.readUInt32LE(40);
  if (channels !== 2 || size !== (isGrowing ? there : bytes.length - 44))
    throw new Error(`${channels} channels, ${size} bytes of ${there}`);
  const count = size / 4;
  const samples = new Int16Array(Uint8Array.from(bytes.subarray(44, 44 + size)).buffer);
  const [left, right] = [new Int16Array(count), new Int16Array(count)];
  for (let at = 0; at < count; at++) {
    left[at] = samples[at * 2]!;
    right[at] = samples[at * 2 + 1]!;
  }
  return { rate, seconds: count / rate, left, right };
}

/** One channel, for what takes the place of a microphone. */
export function writeMono(samples: Int16Array, rate: number): Buffer {
  const header = Buffer.from('RIFF----WAVEfmt --------------------data----', 'latin1');
  header.writeUInt32LE(36 + samples.length * 2, 4);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.writeUInt32LE(samples.length * 2, 40);
  return Buffer.concat([header, new Uint8Array(samples.buffer)]);
}
