import { setTimeout as sleep } from 'node:timers/promises';

const DAY = 86_400;

/** Waits, if need be, so that what follows does not straddle midnight, UTC or an hour or two before it, as in Copenhagen. */
export async function stayWithinDay(seconds = 60): Promise<void> {
  const toMidnight = (before: number) => DAY - ((Date.now() / 1_000 + before) % DAY);
  for (const before of [0, 3_600, 7_200]) {
    const left = toMidnight(before);
    if (left < seconds) await sleep(left * 1_000 + 50);
  }
}
