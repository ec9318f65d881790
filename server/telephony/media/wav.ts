import { RATE } from './media.ts';

/** The beginning of a file of 16-bit samples in two channels. */
export const HEADER_BYTES = 44;
export const STEREO_BYTES = 4;

/** Sounds that come along are files of μ-law in one channel, so that any player plays them; all have the same header. */
export const SPOKEN_HEADER_BYTES = 58;

/**
 * What every sample is where nothing was to be kept, on both sides. Nobody hears it, and no sound in μ-law has it, so a recording tells by itself where it
 * was paused, also one whose process died.
 */
export const UNRECORDED = 1;

/** A header says how much follows. While a file is being written nobody knows, and players take the largest number for "to the end". */
export function wavHeader(samples = Math.floor((0xffff_ffff - 36) / STEREO_BYTES)): Buffer {
  const bytes = Buffer.from('RIFF----WAVEfmt --------------------data----', 'latin1');
  bytes.writeUInt32LE(36 + samples * STEREO_BYTES, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(RATE * STEREO_BYTES, 28);
  bytes.writeUInt16LE(STEREO_BYTES, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.writeUInt32LE(samples * STEREO_BYTES, 40);
  return bytes;
}
