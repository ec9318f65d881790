import { setImmediate } from 'node:timers/promises';
import { within } from '../../db/patience.ts';
import type { Db } from '../platform/db.ts';
import { isDatabaseAway } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Node } from '../platform/nodes.ts';
import { countAttempt } from './backlog.ts';
import { deliver, type Attempt, type Means, type Taken } from './deliver.ts';
import { freeDeliveries, freeUnknown, giveBack, noteAttempts, takeDeliveries } from './deliveries.ts';

/**
 * Brings deliveries to their subscribers, each subscriber on a line of its own: those that hang fill their own line and nobody else's.
 * A delivery that was taken is this node's for as long as the node lives; the others free what one had that is gone.
 */

const IDLE_MS = 300;
/** At the same moment to one subscriber. */
const WIDTH = 10;
const QUICK_MS = 500;
/**
 * How many are taken of a subscriber: ahead of time where it answers quickly, as many as are brought to it at once where it takes its time, one
 * where the last attempt got no answer. Of one of whom nothing is known so many requests hang, if it hangs.
 */
const MOST = { quick: 100, slow: 4, unknown: 2, silent: 1 };
/** An account with so many under way has subscribers that hang: until they are through, only those are brought more that are known to answer quickly. */
const MOST_OF_ACCOUNT = 400;
/** Each is remembered this long after its last attempt: the retries of many that hang come in waves. */
const REMEMBERED_MS = 120_000;
/** What is not begun by then is given back: others may have room, and whoever was frozen meanwhile has been taken for gone. */
const STALE_MS = 4_000;
const FREE_MS = 1_000;
const FREE_UNKNOWN_MS = 60_000;
/** When it stops: for what is under way, and for saying what became of it. */
const PATIENCE_MS = 3_000;
const LAST_WORD_MS = 800;

type Line = {
  waiting: { taken: Taken; since: number }[];
  busy: number;
  manner: keyof typeof MOST;
  usedAt: number;
};

export function startDispatcher({
  db,
  log,
  node,
  ...means
}: Means & { db: Db; log: Log; node: Pick<Node, 'id' | 'silent'> }): { stop(): Promise<void> } {
  const lines = new Map<number, Line>();
  const ended: Attempt[] = [];
  const stale: Taken[] = [];
  const underWay = new Set<Taken>();
  let stopping = false;
  let cutOff = false;
  let wake = () => {};

  const send = async (line: Line, taken: Taken) => {
    line.busy += 1;
    underWay.add(taken);
    const attempt = await deliver(taken, means);
    // Given back already: how it would have gone is not known, and it is brought again.
    if (cutOff) return;
    underWay.delete(taken);
    line.busy -= 1;
    countAttempt(attempt);
    line.manner = attempt.status === null ? 'silent' : attempt.ms < QUICK_MS ? 'quick' : 'slow';
    line.usedAt = performance.now();
    ended.push(attempt);
    if (attempt.verdict === 'gone') line.waiting = [];
    advance(line);
    wake();
  };

  /** How many it begins. */
  const advance = (line: Line): number => {
    const { busy } = line;
    while (!stopping && line.busy < WIDTH) {
      const next = line.waiting.shift();
      if (!next) break;
      if (performance.now() - next.since < STALE_MS) void send(line, next.taken);
      else stale.push(next.taken);
    }
    return line.busy - busy;
  };

  const fullAccounts = (): number[] =>
    [...Map.groupBy(underWay, ({ account_id }) => account_id)]
      .filter(([, { length }]) => length >= MOST_OF_ACCOUNT)
      .map(([id]) => id);

  const take = async (): Promise<number> => {
    const since = performance.now();
    const known = new Map<number, number>();
    for (const [id, { waiting, busy, manner, usedAt }] of lines) {
      const underHand = busy + waiting.length;
      if (manner === 'slow' && underHand > 0) known.set(id, Math.max(0, MOST.slow - underHand));
      else if (manner === 'quick' ? waiting.length > MOST.quick / 2 : underHand > 0) known.set(id, 0);
      else if (manner !== 'unknown' && since - usedAt < REMEMBERED_MS) known.set(id, MOST[manner]);
      else lines.delete(id);
    }
    const most = { known, unknown: MOST.unknown, full: fullAccounts(), quick: MOST.quick };
    const taken = await takeDeliveries(db, node.id, most);
    for (const one of taken) {
      let line = lines.get(one.webhook_id);
      if (!line) lines.set(one.webhook_id, (line = { waiting: [], busy: 0, manner: 'unknown', usedAt: since }));
      line.waiting.push({ taken: one, since });
    }
    // A line at a time: hundreds that begin together hold up all else, and the node would be taken for gone.
    for (const line of lines.values()) if (advance(line) > 0) await setImmediate();
    return taken.length;
  };

  const note = async () => {
    if (stale.length > 0) await giveBackAll(stale.splice(0));
    const some = ended.splice(0, 500);
    if (some.length === 0) return;
    try {
      await noteAttempts(db, node.id, some);
    } catch (error) {
      // What the database cannot take now is kept; what it may not take at all are the words of a subscriber, and the rest is worth more.
      ended.unshift(...(isDatabaseAway(error) ? some : some.map((attempt) => ({ ...attempt, answer: '' }))));
      throw error;
    }
  };

  const giveBackAll = async (taken: Taken[]) => {
    try {
      await giveBack(db, node.id, taken);
    } catch (error) {
      stale.push(...taken);
      throw error;
    }
  };

  /** What this node has in hand and has not begun. */
  const untried = () => [...lines.values()].flatMap(({ waiting }) => waiting.splice(0).map(({ taken }) => taken));

  let freeAt = 0;
  const free = async () => {
    if (performance.now() < freeAt) return;
    freeAt = performance.now() + FREE_MS;
    await freeDeliveries(db, node);
  };

  /** At once after a failure, and now and then: a statement whose connection was lost may be carried out later. Never beside a take. */
  let freeUnknownAt = 0;
  const freeWhatIsUnknown = async () => {
    if (performance.now() < freeUnknownAt) return;
    const waiting = [...lines.values()].flatMap((line) => line.waiting);
    const inHand = [...waiting, ...ended].map(({ taken }) => taken).concat(...underWay, stale);
    await freeUnknown(db, node.id, inHand);
    freeUnknownAt = performance.now() + FREE_UNKNOWN_MS;
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
        await free();
        await freeWhatIsUnknown();
        const taken = await take();
        // A moment, so that what ends together is noted together.
        if (!stopping) await pause(taken > 0 ? 5 : IDLE_MS);
      } catch (error) {
        freeUnknownAt = 0;
        if (!isDatabaseAway(error)) log.error({ err: error }, 'Deliveries could not be taken or noted');
        if (!stopping) await pause(1_000);
      }
    }
    // What was just being taken when the stop came, too.
    await giveBackAll(untried()).catch(() => {});
  })();

  return {
    async stop() {
      stopping = true;
      wake();
      const deadline = performance.now() + PATIENCE_MS;
      // At once: another node can begin with it now.
      await within(LAST_WORD_MS, running);
      while (underWay.size > 0 && performance.now() < deadline) await pause(50);
      cutOff = true;
      stale.push(...underWay, ...untried());
      // Without a database nothing can be said; then the others find out that this node is gone.
      const lastWord = (async () => {
        do await note();
        while (ended.length > 0);
      })();
      await within(LAST_WORD_MS, lastWord);
    },
  };
}
