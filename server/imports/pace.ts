/** How many rows fit into a turn is learnt from the turns before, on each node for itself. */

const FIRST = 500;
const FEWEST = 20;
const MOST = 10_000;
/** Of the time there is: what is written has to be committed, too. */
const SHARE = 0.7;

const paces = new Map<number, number>();

export type Pace = { rows: number; took: (rows: number) => void };

/** Begins to measure. */
export function paceOf(id: number, until: number): Pace {
  const rows = paces.get(id) ?? FIRST;
  const begun = performance.now();
  const fits = Math.max(until - begun, 1) * SHARE;
  return {
    rows,
    took: (done) => {
      const aRow = (performance.now() - begun) / Math.max(done, 1);
      // No more than twice as many at a time: one quick turn says little.
      const next = Math.min(Math.round(fits / aRow), rows * 2);
      paces.set(id, Math.min(Math.max(next, FEWEST), MOST));
    },
  };
}

export const forgetPace = (id: number) => paces.delete(id);
