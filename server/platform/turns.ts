import { within } from '../../db/patience.ts';
import { isDatabaseAway } from './errors.ts';
import type { Log } from './log.ts';
import { createNudge } from './nudge.ts';

/**
 * Gives turns to what waits, fair between accounts and within an account between persons: of those who wait, whoever has fewest turns
 * under way comes next, then whoever has waited longest for one. Each node does so for itself; what is taken is locked in the database.
 */

/** The next thing of one person. */
export type Waiting = { account_id: number; person: number | string };

export type Turns = { nudge: () => void; stop: () => Promise<void> };

type Means<W extends Waiting> = {
  /** For the log. */
  what: string;
  /** Turns at the same moment on this node, and how many of them one account may have. */
  width: number;
  ofAccount: number;
  /** The next of each person, of everyone who waits. */
  look: () => Promise<W[]>;
  /** Does it, or a short part of it. False: there was nothing to do, or another node has it. */
  take: (waiting: W) => Promise<boolean>;
  log: Log;
  /** How long someone is passed over after a turn that failed. */
  restMs?: number;
};

const IDLE_MS = 500;
const REST_MS = 10_000;
const AWAY_MS = 1_000;
const STOP_MS = 5_000;

type Person<W> = {
  waiting: W;
  account: Account;
  state: 'waits' | 'busy' | 'served';
  servedAt: number;
  restsUntil: number;
};
type Account = { busy: number; servedAt: number };

export function startTurns<W extends Waiting>(means: Means<W>): Turns {
  const { what, width, ofAccount, look, take, log, restMs = REST_MS } = means;
  let persons = new Map<string, Person<W>>();
  const underWay = new Set<Promise<void>>();
  let turn = 0;
  let lookedAt = 0;
  let stopping = false;
  const { nudge, pause } = createNudge();

  /** Of those who are there again it is known when they were served last; a turn that is under way counts until it ends. */
  const learn = (found: W[], at: number) => {
    const known = persons;
    lookedAt = at;
    const accounts = new Map([...known.values()].map(({ waiting, account }) => [waiting.account_id, account]));
    persons = new Map([...known].filter(([, { state }]) => state === 'busy'));
    for (const waiting of found) {
      const key = `${waiting.account_id}/${waiting.person}`;
      let account = accounts.get(waiting.account_id);
      if (!account) accounts.set(waiting.account_id, (account = { busy: 0, servedAt: 0 }));
      const { state, servedAt, restsUntil } = known.get(key) ?? { servedAt: 0, restsUntil: 0 };
      if (state !== 'busy') persons.set(key, { waiting, account, state: 'waits', servedAt, restsUntil });
    }
  };

  const choose = (): Person<W> | undefined => {
    const now = performance.now();
    const accounts = new Set([...persons.values()].map(({ account }) => account));
    let best: Person<W> | undefined;
    let later = false;
    for (const person of persons.values()) {
      const { account, state, restsUntil } = person;
      if (state !== 'waits' || restsUntil > now || account.busy >= ofAccount) continue;
      // It was served since someone looked, and so may another have been that has more: that is seen first.
      if (account.servedAt > lookedAt && accounts.size > 1) later = true;
      else if (!best || isBefore(person, best)) best = person;
    }
    if (!best && later) nudge();
    return best;
  };

  const serve = async (person: Person<W>) => {
    const { account, waiting } = person;
    turn += 1;
    person.state = 'busy';
    person.servedAt = account.servedAt = turn;
    account.busy += 1;
    let rest = 0;
    try {
      if (!(await take(waiting))) rest = IDLE_MS;
    } catch (error) {
      const away = isDatabaseAway(error);
      rest = away ? AWAY_MS : restMs;
      if (!away) log.error({ err: error, account: waiting.account_id }, `${what}: a turn failed`);
    }
    account.busy -= 1;
    person.state = rest > 0 ? 'waits' : 'served';
    person.restsUntil = performance.now() + rest;
  };

  const advance = () => {
    while (!stopping && underWay.size < width) {
      const next = choose();
      if (!next) return;
      const serving = serve(next).finally(() => {
        underWay.delete(serving);
        advance();
        // Whoever was served may have more.
        if (next.state === 'served' && underWay.size < width) nudge();
      });
      underWay.add(serving);
    }
  };

  const running = (async () => {
    while (!stopping) {
      try {
        const at = turn;
        learn(await look(), at);
        advance();
        await pause(IDLE_MS);
      } catch (error) {
        if (!isDatabaseAway(error)) log.error({ err: error }, `${what}: nobody could look for what waits`);
        await pause(AWAY_MS);
      }
    }
  })();

  return {
    nudge,
    async stop() {
      stopping = true;
      nudge();
      await running;
      await within(STOP_MS, Promise.all(underWay));
    },
  };
}

function isBefore(one: Person<unknown>, other: Person<unknown>): boolean {
  const [a, b] = [one.account, other.account];
  if (a.busy !== b.busy) return a.busy < b.busy;
  if (a.servedAt !== b.servedAt) return a.servedAt < b.servedAt;
  return one.servedAt < other.servedAt;
}
