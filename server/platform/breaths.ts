import { setImmediate } from 'node:timers/promises';

const MOST_MS = 2;

/** Asked between the parts of long work: lets everyone else have the event loop where it was ours for a while. */
export function openBreaths(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MOST_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
