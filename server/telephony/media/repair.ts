import { open, rename, stat } from 'node:fs/promises';
import { RATE, type Recorded } from './media.ts';
import { HEADER_BYTES, STEREO_BYTES, wavHeader } from './wav.ts';

/** What a recording is called until it is whole. */
export const partOf = (file: string) => `${file}.part`;

/** How many samples there are of one that is not whole; 0 where there is none. */
export const countWritten = (file: string): Promise<number> =>
  stat(partOf(file)).then(
    ({ size }) => Math.max(0, Math.floor((size - HEADER_BYTES) / STEREO_BYTES)),
    () => 0,
  );

/** Undefined where there is nothing to be heard: not even a header was written, or it is no recording of ours. */
export async function repairRecording(file: string): Promise<Recorded | undefined> {
  const part = partOf(file);
  const handle = await open(part, 'r+');
  let samples = 0;
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
    if (bytesRead < HEADER_BYTES || !isOurs(header)) return undefined;
    const { size } = await handle.stat();
    samples = Math.floor((size - HEADER_BYTES) / STEREO_BYTES);
    await handle.truncate(HEADER_BYTES + samples * STEREO_BYTES);
    await handle.write(wavHeader(samples), 0, HEADER_BYTES, 0);
  } finally {
    await handle.close();
  }
  await rename(part, file);
  return { file, seconds: samples / RATE };
}

const SIZES = [
  [4, 8],
  [40, 44],
] as const;

/** All but the sizes, which may be those of a file that was still growing. */
function isOurs(header: Buffer): boolean {
  const expected = wavHeader();
  for (const [from, to] of SIZES) header.copy(expected, from, from, to);
  return header.equals(expected);
}
