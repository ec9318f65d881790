import { createReadStream } from 'node:fs';
import { query, type Db } from '../platform/db.ts';
import { doEach } from '../platform/each.ts';
import { sql } from '../platform/sql.ts';
import { UNRECORDED } from '../telephony/media/wav.ts';
import { keyOf, type Store } from './store.ts';

/** How loud a recording is, moment by moment and channel after channel: a byte each, however long it is. And where nothing was kept. */
export type Measured = { seconds: number; peaks: Buffer; gaps: Gap[] };

/** Seconds from its beginning. */
export type Gap = { from: number; to: number };

export const MOMENTS = 480;
const LONGEST_HEADER = 64 * 1024;
/** Not to be tried again. */
const UNREADABLE: Measured = { seconds: 0, peaks: Buffer.alloc(0), gaps: [] };
/** In seconds. Shorter than this nobody pauses, and what looks like it is chance. */
const SHORTEST_GAP = 0.1;
/** Nobody pauses more often; a file of someone else's may be anything. */
const MOST_GAPS = 1_000;

/** Undefined where it cannot be read now. */
export const measureFile = (file: string): Promise<Measured | undefined> =>
  measure(createReadStream(file)).catch(() => undefined);

const UNMEASURED = sql('recordings/peaks.unmeasured')`
  select account_id, id from recordings where peaks is null and ready_at is not null and removed_at is null and id > $1
   order by id limit 100`;
const MEASURED = sql('recordings/peaks.measured')`
  update recordings set seconds = $3, peaks = $4, gaps = $5 where account_id = $1 and id = $2`;

/** Those that were stored before recordings were measured, or by a node that died over it. */
export async function measureStored(db: Db, store: Store): Promise<void> {
  await doEach(listUnmeasured(db), async (one) => {
    const found = await store.open(keyOf(one));
    const measured = found && (await measure(found.body).catch(() => undefined));
    if (!measured) return;
    const { seconds, peaks, gaps } = measured;
    await query(db, MEASURED, [one.account_id, one.id, seconds, peaks, JSON.stringify(gaps)]);
  });
}

async function* listUnmeasured(db: Db): AsyncGenerator<{ account_id: number; id: number }> {
  for (let last: number | undefined = 0; last !== undefined;) {
    const some: { account_id: number; id: number }[] = await query(db, UNMEASURED, [last]);
    yield* some;
    last = some.at(-1)?.id;
  }
}

async function measure(sound: AsyncIterable<Buffer>): Promise<Measured> {
  let wave: Wave | undefined;
  let energies = new Float64Array();
  const gaps: Gap[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let done = 0;
  for await (const piece of sound) {
    rest = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    if (!wave) {
      wave = readHeader(rest);
      if (!wave && rest.length > LONGEST_HEADER) return UNREADABLE;
      if (!wave) continue;
      rest = rest.subarray(wave.begin);
      energies = new Float64Array(wave.channels * MOMENTS);
    }
    const frames = Math.min(Math.floor(rest.length / (2 * wave.channels)), wave.frames - done);
    addEnergies(energies, rest, wave, done, frames);
    addGaps(gaps, rest, wave, done, frames);
    rest = rest.subarray(frames * 2 * wave.channels);
    done += frames;
    if (done === wave.frames) break;
  }
  if (!wave) return UNREADABLE;
  const { frames, rate } = wave;
  return {
    seconds: frames / rate,
    peaks: Buffer.from(energies.map((energy) => levelOf((energy * MOMENTS) / frames))),
    gaps: gaps
      .filter(({ from, to }) => to - from >= SHORTEST_GAP * rate)
      .map(({ from, to }) => ({ from: from / rate, to: to / rate })),
  };
}

/** In samples. One that goes on in the next piece is one. */
function addGaps(gaps: Gap[], samples: Buffer, { channels, rate }: Wave, done: number, frames: number): void {
  for (let frame = 0; frame < frames; frame += 1) {
    let isGap = true;
    for (let channel = 0; isGap && channel < channels; channel += 1)
      isGap = samples.readInt16LE((frame * channels + channel) * 2) === UNRECORDED;
    if (!isGap) continue;
    const [at, last] = [done + frame, gaps.at(-1)];
    if (last?.to === at) last.to += 1;
    else if (last && last.to - last.from < SHORTEST_GAP * rate) Object.assign(last, { from: at, to: at + 1 });
    else if (gaps.length < MOST_GAPS) gaps.push({ from: at, to: at + 1 });
  }
}

function addEnergies(energies: Float64Array, samples: Buffer, wave: Wave, done: number, frames: number): void {
  const { channels, frames: all } = wave;
  for (let frame = 0; frame < frames; frame += 1) {
    const moment = Math.floor(((done + frame) * MOMENTS) / all);
    for (let channel = 0; channel < channels; channel += 1)
      energies[channel * MOMENTS + moment]! += (samples.readInt16LE((frame * channels + channel) * 2) / 32_768) ** 2;
  }
}

// The mean, not the highest sample: speech touches its highest in every syllable, and all of it would look alike. A full sine is 255.
const levelOf = (energy: number) => Math.min(255, Math.round(255 * Math.sqrt(2 * energy || 0)));

type Wave = { channels: number; rate: number; frames: number; begin: number };

/** Undefined for what is no WAV file of 16 bits a sample, or not yet to be known. */
function readHeader(bytes: Buffer): Wave | undefined {
  const word = (at: number) => bytes.toString('latin1', at, at + 4);
  if (word(0) !== 'RIFF' || word(8) !== 'WAVE') return undefined;
  let [channels, rate] = [0, 0];
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32LE(at + 4);
    if (word(at) === 'data')
      return channels > 0 && rate > 0
        ? { channels, rate, frames: Math.floor(size / (2 * channels)), begin: at + 8 }
        : undefined;
    if (word(at) === 'fmt ' && at + 24 > bytes.length) return undefined;
    if (word(at) === 'fmt ' && bytes.readUInt16LE(at + 8) === 1 && bytes.readUInt16LE(at + 22) === 16)
      [channels, rate] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 12)];
    at += 8 + size + (size % 2);
  }
  return undefined;
}
