import { RATE } from './media.ts';

/**
 * Where in a recording a speaker's samples belong. RTP timestamps tell how they follow each other, to the sample; when they came tells where they are in our time, but only to within
 * what the network adds. So the quickest packet of the last seconds ties the one to the other, and as the speaker's clock runs faster or slower than ours, the tie is moved by single
 * samples, which nobody hears.
 */
export type Placing = {
  /** Where a packet begins that came at `now`, in samples of our clock. */
  place(timestamp: number, now: number): number;
};

const BUCKETS = 8;
const BUCKET_SAMPLES = RATE;
/** Further off than this is no drift: the speaker's clock was set. */
const JUMP = RATE / 4;
/** What waited in the network comes all at once; who has been late for so long has another clock. */
const STALLED = 0.4 * RATE;

export function createPlacing(): Placing {
  const quickest = new Float64Array(BUCKETS).fill(Number.POSITIVE_INFINITY);
  let bucket = 0;
  let offset = 0;
  let last: number | undefined;
  let unwrapped = 0;
  let lateSince: number | undefined;

  const begin = (timestamp: number, now: number) => {
    quickest.fill(Number.POSITIVE_INFINITY);
    bucket = Math.floor(now / BUCKET_SAMPLES);
    unwrapped = timestamp;
    last = timestamp;
    offset = now - timestamp;
    lateSince = undefined;
  };

  const isElsewhere = (now: number) => {
    const late = now - (unwrapped + offset);
    if (late < -JUMP) return true;
    if (late <= JUMP) {
      lateSince = undefined;
      return false;
    }
    lateSince ??= now;
    return now - lateSince > STALLED;
  };

  const learn = (now: number) => {
    const current = Math.floor(now / BUCKET_SAMPLES);
    for (const newest = Math.min(current, bucket + BUCKETS); bucket < newest;) {
      bucket += 1;
      quickest[bucket % BUCKETS] = Number.POSITIVE_INFINITY;
    }
    bucket = current;
    const behind = now - unwrapped;
    if (behind < quickest[bucket % BUCKETS]!) quickest[bucket % BUCKETS] = behind;
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < BUCKETS; at++) if (quickest[at]! < least) least = quickest[at]!;
    return least;
  };

  return {
    place(timestamp, now) {
      if (last === undefined) begin(timestamp, now);
      // 32 bits come round after six days of sound, or after a moment, as they begin anywhere.
      unwrapped += (timestamp - last!) | 0;
      last = timestamp;
      if (isElsewhere(now)) begin(timestamp, now);
      const error = Math.round(learn(now) - offset);
      // Quickly where it is far off, as after a first packet that was late; a sample at a time where it drifts.
      if (error !== 0) offset += Math.sign(error) * Math.max(1, Math.abs(error) >> 5);
      return Math.round(unwrapped + offset);
    },
  };
}
