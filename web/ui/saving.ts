import { isAway, queries } from '../api.ts';
import { hideUnsaved, tellSaved, tellUnsaved } from './unsaved.tsx';

/** Nobody should wonder for longer whether what they did is saved. */
const PATIENCE_MS = 2_500;
const AGAIN_MS = 2_000;
/** The service is back for so long, and still says nothing of what it was sent before: that is lost, and goes again. */
const LOST_MS = 5_000;
const DEADLINE_MS = 5 * 60_000;

const stay = (event: BeforeUnloadEvent) => event.preventDefault();

let unsaved = 0;
let wake = Promise.withResolvers<void>();
const tryNow = () => {
  wake.resolve();
  wake = Promise.withResolvers<void>();
};

/**
 * Saves something that may be sent again as it was: under a key of its own, or the same however often it is done. While the service does not
 * answer the page says that it is not saved yet, asks again, and asks whoever closes it whether they mean it.
 */
export async function saveSurely<T>(act: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  let isTold = false;
  const tell = () => {
    if (isTold) return;
    isTold = true;
    unsaved += 1;
    addEventListener('beforeunload', stay);
    tellUnsaved(tryNow);
  };
  const timer = setTimeout(tell, PATIENCE_MS);
  let done = false;
  try {
    for (;;) {
      try {
        const answer = await Promise.race([act(), lost()]);
        if (answer !== LOST) {
          done = true;
          return answer;
        }
      } catch (error) {
        if (!isAway(error) || Date.now() > deadline) throw error;
        tell();
        await Promise.race([wake.promise, new Promise((resolve) => setTimeout(resolve, AGAIN_MS))]);
      }
    }
  } finally {
    clearTimeout(timer);
    if (isTold) {
      unsaved -= 1;
      if (unsaved === 0) {
        removeEventListener('beforeunload', stay);
        if (done) tellSaved();
        else hideUnsaved();
      }
    }
  }
}

const LOST = Symbol('lost');

/** Resolves when the service was away since now, and has been back for a while. */
function lost(): Promise<typeof LOST> {
  const sentAt = Date.now();
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const state = queries.getQueryState<boolean>(['connected']);
      const now = Date.now();
      const isBack = state?.data === true && state.dataUpdatedAt > sentAt && now - state.dataUpdatedAt > LOST_MS;
      if (!isBack && now - sentAt < DEADLINE_MS) return;
      clearInterval(timer);
      if (isBack) resolve(LOST);
    }, 1_000);
  });
}
