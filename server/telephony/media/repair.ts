import { open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { RATE, type Recorded } from './media.ts';
import { HEADER_BYTES, STEREO_BYTES, wavHeader } from './wav.ts';

const PART = '.part';

/** What a recording is called until it is whole. */
export const partOf = (file: string) => `${file}${PART}`;

/** What was being recorded in a folder when its process died, becomes recordings that can be played as far as they go. */
export async function repairRecordings(folder: string): Promise<Recorded[]> {
  const repaired: Recorded[] = [];
  for (const name of await readdir(folder)) {
    if (!name.endsWith(PART)) continue;
    const recorded = await repairRecording(join(folder, name.slice(0, -PART.length)));
    if (recorded) repaired.push(recorded);
  }
  return repaired;
}

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
  return { file, seconds: samples / RATE, gaps: [] };
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
