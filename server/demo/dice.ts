export type Dice = { below: (limit: number) => number; pick: <T>(of: readonly T[]) => T };

/** Chance that falls the same way every time. */
export function createDice(seed: number): Dice {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, pick: (of) => of[below(of.length)]! };
}
