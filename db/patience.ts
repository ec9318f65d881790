import { setTimeout as sleep } from 'node:timers/promises';

/** For whoever may wait as long as it takes. */
export const NEVER: AbortSignal = new AbortController().signal;

/** What it comes to, or, once the signal is given, a rejection with the signal's reason: whatever is still under way is left behind. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: over.signal });
  });
  return Promise.race([work, aborted]).finally(() => over.abort());
}

/** Waits so long and no longer. Whether it ended in time, well or not. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  const late = sleep(Math.max(0, ms), false, { signal: over.signal }).catch(() => false);
  return Promise.race([ended, late]).finally(() => over.abort());
}
