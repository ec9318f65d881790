import type { Count } from './counts.ts';
import type { Mark } from './marks.ts';
import { RANKS, type Order } from './orders.ts';

/**
 * A stretch of the index: of a list, and in the queue's order of ranks that follow each other. List 0 is what someone claims elsewhere.
 * At most `matching` of its leads do.
 */
export type Stretch = { list: number; low: number; high: number; leads: number; matching: number };

/** By what the counters say: where nothing can match, nothing is looked at. */
export function stretchesOf(counts: Count[], order: Order): Stretch[] {
  // What is elsewhere comes last.
  const lists = Map.groupBy(
    counts.toSorted((a, b) => b.list_id - a.list_id),
    ({ list_id }) => list_id,
  );
  return [...lists].flatMap(([list, own]) => {
    const there = own.filter(({ state, matching }) => matching > 0 && (order.letter !== 'd' || state === 'call_back'));
    if (there.length === 0) return [];
    const sum = (of: Count[], what: 'leads' | 'matching') => of.reduce((total, count) => total + count[what], 0);
    // Only call backs are in the index of that order.
    const walked = order.letter === 'd' ? there : own;
    const all = { list, low: 0, high: 9, leads: sum(walked, 'leads'), matching: sum(there, 'matching') };
    if (order.letter !== 'q' || list === 0) return [all];
    const runs: Stretch[] = [];
    for (const { state, leads, matching } of there.toSorted((a, b) => RANKS[a.state][0] - RANKS[b.state][0])) {
      const [low, high] = RANKS[state];
      const last = runs.at(-1);
      if (last?.high === low - 1) {
        last.high = high;
        last.leads += leads;
        last.matching += matching;
      } else runs.push({ list, low, high, leads, matching });
    }
    return runs;
  });
}

/** Before all and after all of a rank, as marks have it. */
const ENDS = { first: [-1e14, 0], last: [1e14, Number.MAX_SAFE_INTEGER] } as const;

/** Where each stretch of the queue's order begins, and the rank at which it ends, in the direction one goes; those passed by are left out. */
export function rankedFrom(stretch: Stretch, mark: Mark | undefined, up: boolean): number[] | undefined {
  const [near, far] = up ? [stretch.low, stretch.high] : [stretch.high, stretch.low];
  const ahead = (rank: number, other: number) => (up ? rank > other : rank < other);
  const at = mark?.keys[0] as number | undefined;
  if (at === undefined || ahead(near, at)) return [near, ...(up ? ENDS.first : ENDS.last), far];
  return ahead(at, far) ? undefined : [at, mark!.keys[1] as number, mark!.id, far];
}
