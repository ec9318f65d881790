import type { Db } from '../platform/db.ts';
import { isDatabaseAway } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { countAttempt } from './backlog.ts';
import { deliver, type Attempt, type Means, type Taken } from './deliver.ts';
import { giveBack, noteAttempts, takeDeliveries } from './deliveries.ts';

/**
 * Brings deliveries to their subscribers, each subscriber on a line of its own: those that hang fill their own line and nobody else's.
 * A delivery is taken for twenty seconds; a node that dies lets go of it by that.
 */

const IDLE_MS = 300;
/** At the same moment to one subscriber. */
const WIDTH = 10;
const QUICK_MS = 500;
/** How many are taken at once of a subscriber: ahead of time where it answers quickly, one where the last attempt got no answer. */
const MOST = { quick: 100, slow: 4, silent: 1 };
/** Of one of whom nothing is known: if it hangs, so many requests do. */
const OF_UNKNOWN = 2;
/** A silent one is remembered this long after its last attempt: the retries of many that hang come in waves. */
const REMEMBERED_MS = 120_000;
/** An attempt that begins later than this could end after another node has taken it too. */
const STALE_MS = 4_000;

type Line = {
  waiting: { taken: Taken; since: number }[];
  busy: number;
  manner: keyof typeof MOST;
  usedAt: number;
};

export function startDispatcher({ db, log, ...means }: Means & { db: Db; log: Log }): { stop(): Promise<void> } {
  const lines = new Map<number, Line>();
  const ended: Attempt[] = [];
  const stale: Taken[] = [];
  let stopping = false;
  let wake = () => {};

  const send = async (line: Line, taken: Taken) => {
    line.busy += 1;
    const attempt = await deliver(taken, means);
    line.busy -= 1;
    countAttempt(attempt);
    line.manner = attempt.status === null ? 'silent' : attempt.ms < QUICK_MS ? 'quick' : 'slow';
    line.usedAt = performance.now();
    ended.push(attempt);
    if (attempt.verdict === 'gone') line.waiting = [];
    advance(line);
    wake();
  };

  const advance = (line: Line) => {
    while (!stopping && line.busy < WIDTH) {
      const next = line.waiting.shift();
      if (!next) return;
      if (performance.now() - next.since < STALE_MS) void send(line, next.taken);
      else stale.push(next.taken);
    }
  };

  const take = async (): Promise<number> => {
    const since = performance.now();
    const known = new Map<number, number>();
    for (const [id, { waiting, busy, manner, usedAt }] of lines) {
      const isFull = manner === 'quick' ? waiting.length > MOST.quick / 2 : busy + waiting.length > 0;
      if (isFull) known.set(id, 0);
      else if (manner !== 'slow' && since - usedAt < REMEMBERED_MS) known.set(id, MOST[manner]);
      else lines.delete(id);
    }
    const taken = await takeDeliveries(db, OF_UNKNOWN, known);
    for (const one of taken) {
      let line = lines.get(one.webhook_id);
      if (!line) lines.set(one.webhook_id, (line = { waiting: [], busy: 0, manner: 'slow', usedAt: since }));
      line.waiting.push({ taken: one, since });
    }
    for (const line of lines.values()) advance(line);
    return taken.length;
  };

  const note = async () => {
    if (stale.length > 0) await giveBack(db, stale.splice(0));
    const some = ended.splice(0, 500);
    if (some.length === 0) return;
    try {
      await noteAttempts(db, some);
    } catch (error) {
      // What the database cannot take now is kept; what it cannot take at all will be brought once more.
      if (isDatabaseAway(error)) ended.unshift(...some);
      throw error;
    }
  };

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const running = (async () => {
    while (!stopping) {
      try {
        await note();
        const taken = await take();
        // A moment, so that what ends together is noted together.
        await pause(taken > 0 ? 5 : IDLE_MS);
      } catch (error) {
        if (!isDatabaseAway(error)) log.error({ err: error }, 'Deliveries could not be taken or noted');
        await pause(1_000);
      }
    }
  })();

  return {
    async stop() {
      stopping = true;
      wake();
      await running;
      const deadline = performance.now() + 10_000;
      while ([...lines.values()].some(({ busy }) => busy > 0) && performance.now() < deadline) await pause(100);
      while (ended.length > 0) await note();
    },
  };
}
