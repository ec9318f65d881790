import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectToWritable, demandWritable, describe, letGo, ReadOnly } from '../../db/hosts.ts';
import type { Log } from './log.ts';

/**
 * Feels whether the database answers and can be written to, on a connection of its own that no slow query and no lock can hold up. While it
 * does not, whoever asks for a connection is refused at once instead of waiting with all the others; of several hosts the one that can be
 * written to is found again by itself.
 */
export type Pulse = {
  /** Why the database cannot be worked with just now; undefined while it can. */
  fault(): Fault | undefined;
  /** Where it is. */
  url(): string;
  /** Is called when it was lost, and with its address when it is there again, which may be another. */
  watch(watcher: Watcher): void;
  stop(): Promise<void>;
};

export type Fault = 'away' | 'read-only';
export type Watcher = { lost(): void; found(url: string): void };

const EVERY_MS = 400;
const AGAIN_MS = 300;
/** With the pause between two looks: a host that hangs is known after less than two seconds. */
const PATIENCE = 13;
const MOMENT_MS = 100;

/** `hosts` are those of one database; `now` is the one that was found to be writable a moment ago. */
export function startPulse(hosts: string[], now: string, log: Log): Pulse {
  const watchers: Watcher[] = [];
  let url = now;
  let fault: Fault | undefined;
  let client: Client | undefined;
  let stopping = false;

  const find = async (): Promise<Client> => {
    // One that merely lost a connection keeps its place before the others.
    const asked = fault ? hosts : [url];
    const searches = asked.map(async (host) => ({ host, client: await connectToWritable(host, CONNECT_MS, NAME) }));
    // One that hangs does not keep us from asking those again that answer.
    const first = Promise.race(searches).catch(() => {});
    const late = first.then(() => sleep(PATIENCE * MOMENT_MS, undefined, { ref: false }));
    const found = await Promise.race([Promise.any(searches), late.then(() => Promise.reject(new Late()))]);
    // Of two that say they can be written to one is kept.
    for (const search of searches)
      void search.then(
        (other) => other !== found && letGo(other.client),
        () => {},
      );
    if (fault) {
      url = found.host;
      fault = undefined;
      log.info({ database: describe(url) }, 'The database is back');
      for (const watcher of watchers) watcher.found(url);
    }
    return found.client;
  };

  const lose = (error: unknown) => {
    const before = fault;
    fault = causesOf(error).some((one) => one instanceof ReadOnly) ? 'read-only' : 'away';
    if (fault !== before) log.warn({ err: error }, SENTENCES[fault]);
    if (before) return;
    for (const watcher of watchers) watcher.lost();
  };

  const running = (async () => {
    while (!stopping) {
      try {
        if (client) await inTime(demandWritable(client));
        else client = await find();
        await sleep(EVERY_MS);
      } catch (error) {
        // An idle connection may be cut by a pooler or a firewall: only when a fresh one fails as well is the database away.
        const fresh = !client;
        if (client) letGo(client);
        client = undefined;
        if (fresh || error instanceof Late || error instanceof ReadOnly) {
          lose(error);
          await sleep(AGAIN_MS);
        }
      }
    }
    if (client) letGo(client);
  })();

  return {
    fault: () => fault,
    url: () => url,
    watch: (watcher) => watchers.push(watcher),
    async stop() {
      stopping = true;
      await running;
    },
  };
}

const NAME = 'leadline pulse';
/** Making a connection takes a busy machine longer than answering on one. */
const CONNECT_MS = 5_000;

const SENTENCES: Record<Fault, string> = {
  away: 'The database is away',
  'read-only': 'The database can only be read: a standby, or a primary that was told so',
};

const causesOf = (error: unknown): unknown[] => (error instanceof AggregateError ? error.errors : [error]);

/**
 * Patience is counted in moments in which we were awake ourselves: while this process gets no turn, an answer may lie there unread, and the
 * database has had no turn either.
 */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let answered = false;
  const over = (async () => {
    for (let moment = 0; moment < PATIENCE && !answered; moment += 1) await sleep(MOMENT_MS);
    throw new Late();
  })();
  try {
    return await Promise.race([answer, over]);
  } finally {
    answered = true;
    over.catch(() => {});
    answer.catch(() => {});
  }
}

class Late extends Error {
  constructor() {
    super('No answer came in time.');
  }
}
