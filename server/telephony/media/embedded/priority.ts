import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * How soon this thread gets the processor when others want it too, from -20 to 19, as for processes. Linux has that for each thread, and lets root, or whoever may by its limits (`LimitNICE` of systemd), be quicker than others; everywhere
 * else it stays as it is.
 */
export function prefer(nice: number): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), nice);
  } catch {
    // Sound goes its way as well without, where there is processor enough.
  }
}

/** As browsers have it for theirs. */
export const FOR_SOUND = -8;
/** Whoever connects can wait for those who talk. */
export const AFTER_SOUND = 5;
