/**
 * So many at once in all, so many of each person, and those who wait take turns: whoever asks for a lot waits behind themselves and not
 * before the others.
 */
export type Lanes = {
  /** Settles when it is one's turn, with what ends it. */
  enter(person: string): Promise<() => void>;
  /** How many of a person's are under way or wait. */
  count(person: string): number;
};

type Lane = { busy: number; waiting: (() => void)[] };

export function openLanes(most: number, each: number): Lanes {
  // In the order of their turns: who has just had theirs stands last.
  const lanes = new Map<string, Lane>();
  let busy = 0;

  const admit = (person: string, lane: Lane): (() => void) => {
    busy += 1;
    lane.busy += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      busy -= 1;
      lane.busy -= 1;
      lanes.delete(person);
      if (lane.busy > 0 || lane.waiting.length > 0) lanes.set(person, lane);
      callNext();
    };
  };

  const callNext = () => {
    if (busy >= most) return;
    for (const lane of lanes.values()) {
      if (lane.waiting.length > 0 && lane.busy < each) return lane.waiting.shift()!();
    }
  };

  return {
    async enter(person) {
      const lane = lanes.get(person) ?? { busy: 0, waiting: [] };
      if (!lanes.has(person)) lanes.set(person, lane);
      if (busy >= most || lane.busy >= each || lane.waiting.length > 0)
        return new Promise((resolve) => lane.waiting.push(() => resolve(admit(person, lane))));
      return admit(person, lane);
    },
    count(person) {
      const lane = lanes.get(person);
      return lane ? lane.busy + lane.waiting.length : 0;
    },
  };
}
