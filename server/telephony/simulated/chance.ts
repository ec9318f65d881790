export type Chance = () => number;

/** Mulberry32: unlike dice that only multiply, it starts neighbouring seeds far apart. */
export function createChance(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(of: readonly T[], chance: Chance): T => of[Math.floor(chance() * of.length)]!;
