/** What the browser has counted of a connection up to a moment. Times in seconds. */
export type Counted = {
  /** When, in milliseconds. */
  at: number;
  received: number;
  lost: number;
  jitter: number;
  roundTrip: number;
  /** Of what we say: the share that did not arrive, as the other side tells. */
  lostThere: number;
};

export type Fault = 'silent' | 'lossy' | 'lossy there' | 'uneven' | 'slow';

export const FAULTS: Record<Fault, string> = {
  silent: 'No sound arrives here',
  lossy: 'Your connection loses sound',
  'lossy there': 'Your connection loses what you say',
  uneven: 'Your connection is uneven',
  slow: 'Your connection is slow',
};

const SILENT_MS = 2_000;
/** What is counted over less may be chance. */
const WINDOW_MS = 5_000;
const GOOD_MS = 4_000;
const MOST_LOST = 0.03;
const FEWEST = 50;
const MOST_JITTER = 0.06;
const MOST_ROUND_TRIP = 0.6;

export type Quality = {
  readonly counts: readonly Counted[];
  /** When something came last. */
  readonly heardAt: number;
  readonly fault: Fault | undefined;
  /** When it was bad last. */
  readonly badAt: number;
};

export const beginQuality = (at: number): Quality => ({ counts: [], heardAt: at, fault: undefined, badAt: -Infinity });

/** A fault goes once all was well for some seconds. On hold something comes as well: silence. */
export function judge(quality: Quality, counted: Counted): Quality {
  const last = quality.counts.at(-1);
  const counts = [...quality.counts.filter(({ at }) => counted.at - at <= WINDOW_MS), counted];
  const isHeard = !last || counted.received > last.received;
  const heardAt = isHeard ? counted.at : quality.heardAt;
  const found = findFault(counts, counted.at - heardAt >= SILENT_MS);
  if (found) return { counts, heardAt, fault: found, badAt: counted.at };
  const isOver = counted.at - quality.badAt >= GOOD_MS;
  // Silence ends when something is heard.
  const isLasting = quality.fault !== undefined && quality.fault !== 'silent' && !isOver;
  return { counts, heardAt, fault: isLasting ? quality.fault : undefined, badAt: quality.badAt };
}

function findFault(counts: readonly Counted[], isSilent: boolean): Fault | undefined {
  if (isSilent) return 'silent';
  const [first, last] = [counts[0]!, counts.at(-1)!];
  const lost = last.lost - first.lost;
  const sent = last.received - first.received + lost;
  if (sent >= FEWEST && lost / sent > MOST_LOST) return 'lossy';
  // Told by the other side every few seconds: two in a row are no chance.
  if (counts.length > 2 && counts.slice(-3).every(({ lostThere }) => lostThere > MOST_LOST)) return 'lossy there';
  const isAlways = (is: (counted: Counted) => boolean) => counts.length > 2 && counts.slice(-3).every(is);
  if (isAlways(({ jitter }) => jitter > MOST_JITTER)) return 'uneven';
  return isAlways(({ roundTrip }) => roundTrip > MOST_ROUND_TRIP) ? 'slow' : undefined;
}

/** What a browser's statistics say; undefined before anything can have come. */
export function count(statistics: Iterable<Record<string, unknown>>, at: number): Counted | undefined {
  const all = [...statistics];
  const of = (type: string) => all.find((one) => one['type'] === type && (one['kind'] ?? 'audio') === 'audio');
  const inbound = of('inbound-rtp');
  const pair = all.find((one) => one['type'] === 'candidate-pair' && one['nominated'] === true);
  if (!inbound && !pair) return undefined;
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  return {
    at,
    received: number(inbound?.['packetsReceived']),
    lost: number(inbound?.['packetsLost']),
    jitter: number(inbound?.['jitter']),
    roundTrip: number(pair?.['currentRoundTripTime']),
    lostThere: number(of('remote-inbound-rtp')?.['fractionLost']),
  };
}
