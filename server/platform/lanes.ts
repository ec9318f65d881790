/**
 * So many at once in all, so many of each person, and those who wait take turns: whoever asks for a lot waits behind themselves and not
 * before the others. When all places of those who wait are taken, one with fewer waiting gets the last place of whoever has most.
 */
export type Lanes = {
  /** Settles when it is one's turn, with what ends it. */
  enter(person: string): Promise<Leave>;
  /** How many of a person's are under way or wait. */
  count(person: string): number;
  /** Whether whoever comes now would wait for others. */
  isFull(): boolean;
};

/** Others have their turn at once, the same person only after a rest. */
export type Leave = (restMs?: number) => void;

/** `each`: of one person; `eachQuick`: while their turns are short ones, which is known of nobody at first. */
type Rules = { most: number; each: number; eachQuick?: number; waiting: number; tooMany: () => Error };
type Waiting = { come: () => void; refuse: (error: Error) => void };
type Lane = { busy: number; waiting: Waiting[]; isQuick: boolean };

/** A turn that others do not notice. */
const QUICK_MS = 20;

export function openLanes({ most, each, eachQuick = each, waiting: places, tooMany }: Rules): Lanes {
  // In the order of their turns: who has just begun or ended one stands last.
  const lanes = new Map<string, Lane>();
  let busy = 0;
  let waiting = 0;

  const admit = (person: string, lane: Lane): Leave => {
    busy += 1;
    lane.busy += 1;
    putLast(person, lane);
    const begun = Date.now();
    let left = false;
    const rested = () => {
      lane.busy -= 1;
      putLast(person, lane);
      callNext();
    };
    return (restMs = 0) => {
      if (left) return;
      left = true;
      busy -= 1;
      lane.isQuick = restMs === 0 && Date.now() - begun < QUICK_MS;
      if (restMs === 0) return rested();
      setTimeout(rested, restMs).unref();
      callNext();
    };
  };

  const putLast = (person: string, lane: Lane) => {
    lanes.delete(person);
    if (lane.busy > 0 || lane.waiting.length > 0) lanes.set(person, lane);
  };

  const mayBegin = (lane: Lane) => busy < most && lane.busy < (lane.isQuick ? eachQuick : each);

  const callNext = () => {
    if (busy >= most) return;
    for (const lane of lanes.values()) {
      if (lane.waiting.length === 0 || !mayBegin(lane)) continue;
      waiting -= 1;
      lane.waiting.shift()!.come();
      // Whoever was quick may have more room than the one turn that is over.
      return callNext();
    }
  };

  const makeRoom = (own: Lane) => {
    const longest = [...lanes.values()].reduce((a, b) => (b.waiting.length > a.waiting.length ? b : a));
    if (own.waiting.length + 1 >= longest.waiting.length) throw tooMany();
    longest.waiting.pop()!.refuse(tooMany());
    waiting -= 1;
  };

  return {
    async enter(person) {
      const lane = lanes.get(person) ?? { busy: 0, waiting: [], isQuick: false };
      if (mayBegin(lane) && lane.waiting.length === 0) return admit(person, lane);
      if (waiting >= places) makeRoom(lane);
      lanes.set(person, lane);
      waiting += 1;
      return new Promise((resolve, refuse) => {
        lane.waiting.push({ come: () => resolve(admit(person, lane)), refuse });
      });
    },
    isFull: () => busy >= most,
    count(person) {
      const lane = lanes.get(person);
      return lane ? lane.busy + lane.waiting.length : 0;
    },
  };
}

/** Does it when it is one's turn. */
export async function inLane<T>(lanes: Lanes, person: string, act: () => Promise<T>): Promise<T> {
  const leave = await lanes.enter(person);
  try {
    return await act();
  } finally {
    leave();
  }
}
