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

export const makeTone = (hertz: number, seconds: number, rate = RATE, loud = 9_000): Int16Array =>
  new Int16Array(Math.round(seconds * rate)).map((_, at) =>
    Math.round(loud * Math.sin((2 * Math.PI * hertz * at) / rate)),
  );

export type Recording = { rate: number; seconds: number; left: Int16Array; right: Int16Array };

/** A file of 16-bit stereo, read as a player would: by its header. */
export function readRecording(file: string, { isGrowing = false } = {}): Recording {
  const bytes = readFileSync(file);
  const [channels, rate] = [bytes.readUInt16LE(22), bytes.readUInt32LE(24)];
  const there = Math.floor((bytes.length - 44) / 4) * 4;
  const size = isGrowing ? there : bytes.readUInt32LE(40);
  if (channels !== 2 || size !== (isGrowing ? there : bytes.length - 44))
    throw new Error(`${file}: ${channels} channels, ${size} bytes`);
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
