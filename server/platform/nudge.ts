export type Nudge = { nudge: () => void; pause: (ms: number) => Promise<void> };

/** A pause that ends early, or is not made at all, when there is something to do. */
export function createNudge(): Nudge {
  let nudged = false;
  let wake = () => {};
  return {
    nudge: () => {
      nudged = true;
      wake();
    },
    pause: async (ms) => {
      if (!nudged) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      nudged = false;
    },
  };
}
