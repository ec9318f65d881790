import type { PgBoss } from 'pg-boss';
import type { Actor } from './actor.ts';
import { createDb, type Database, type Db, type Last, type Pool, type Statement, type Tx } from './db.ts';
import type { Allowed } from './http-out.ts';
import { isSerializationConflict, isStale } from './errors.ts';
import type { Lanes } from './lanes.ts';
import type { RateLimit } from './limits.ts';
import type { Kind, Pools } from './pool.ts';
import type { Secrets } from './secrets.ts';
import type { Sql } from './sql.ts';

/** One transaction and what may be done in it: SQL, sealing, and asking for a job that exists only if the transaction does. */
export type Work = Consequences & {
  db: Tx;
  secrets: Secrets;
  enqueue(job: string, data: object): Promise<void>;
  /** Those who wait for this to happen look at once when the transaction is done. They look now and then anyway. */
  nudge(what: Nudged): void;
};

export type Nudged = 'line' | 'bulk' | 'imports' | 'lists' | 'mails' | 'resets';

/** What happens in one noun and has to be followed in another above it. The assembly says who follows (`server/consequences.ts`). */
export type Consequences = {
  /** What has to be written so that others hear of it, from the rows `event (id, lead_id, list_id)` of the same statement. */
  tell: Tell;
  /** What else is written with an outcome, from the same rows. */
  outcomeGiven: (actor: Actor, leadId: number, category: string | null) => Statement[];
  /** What else is of the lead that goes and becomes the other's. */
  leadMerged: (accountId: number, from: number, to: number) => Statement[];
  /** Disabled, or taken back before they came. */
  userLeft: (work: Work, actor: Actor, user: { id: number; email: string }) => Promise<void>;
};

/** What happened to a lead, as far as those who are told need to know. `later`: behind what else they are told, as what was done to many is. */
export type Told = { accountId: number; kind: string; comment: string; later?: true };
export type Tell = (told: Told) => Statement;

/** What verbs need when they only read. */
export type Reading = { db: Db; secrets: Secrets };

export type Transact = <T>(act: (work: Work) => Promise<T | Last<T>>) => Promise<T>;

export type Means = {
  db: Database;
  secrets: Secrets;
  consequences: Consequences;
  boss?: Pick<PgBoss, 'send'>;
  nudge?: (what: Nudged) => void;
};

/** Without a job queue (a command that only writes rows) asking for a job is a fault. */
export const createTransact =
  ({ db, secrets, consequences, boss, nudge }: Means): Transact =>
  async (act) => {
    const nudged = new Set<Nudged>();
    const done = await retryConflicts(() =>
      db.transaction((tx) =>
        act({
          db: tx,
          secrets,
          ...consequences,
          nudge: (what) => nudged.add(what),
          enqueue: async (job, data) => {
            if (!boss) throw new Error(`There is no queue here for ${job}.`);
            await boss.send(job, data, { db: { executeSql: (text, values = []) => tx.send(text as Sql, values) } });
          },
        }),
      ),
    );
    for (const what of nudged) nudge?.(what);
    return done;
  };

/** What each kind of connection is used with. */
export function openWays(pools: Pools, means: Omit<Means, 'db'>): Record<Kind, Ways['usual']> {
  const open = (kind: Kind) => {
    const db = createDb(pools[kind]);
    return { reading: { db, secrets: means.secrets }, transact: createTransact({ ...means, db }) };
  };
  return { vital: open('vital'), usual: open('usual'), dear: open('dear'), background: open('background') };
}

/** Of two transactions that wait for each other the database ends one; doing it again is all it takes. */
async function retryConflicts<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      // Each stale statement takes its connection with it, of which there are a few.
      if (!isSerializationConflict(error) || attempt >= (isStale(error) ? 30 : 5)) throw error;
    }
  }
}

/** What a request may take of the house: connections for what must never wait, for the usual, and for what reads a lot. */
export type RequestKind = 'vital' | 'usual' | 'dear';
export type Ways = Record<RequestKind, { reading: Reading; transact: Transact }>;

/** What everything behind the doors stands on; `reading` and `transact` are the usual ones, `pool` is the vital one. */
export type House = Ways['usual'] & {
  pool: Pool;
  ways: Ways;
  rateLimits: RateLimit[];
  appLimits: RateLimit[];
  /** What an account at this address may have us reach. */
  allowedFor: (accountUrl: string) => Allowed;
  /** Whether there is a mail server; without one mails wait for the owner in the outbox. */
  sendsMail: boolean;
  /** How many bytes a file may have that someone uploads. */
  uploadLimit: number;
  /** The turns of those who have not said yet who they are, by where they come from. */
  strangers: Lanes;
};

/** A bit of work that takes one's place among the others for as long as it lasts, by whoever they are by then. */
export type InTurn = <T>(act: (reading: Reading, actor: Actor) => Promise<T>) => Promise<T>;

/** What a verb's route answers. `json` is a body that is written already, `pieces` one that is written while it is read. */
export type Answer = {
  status: number;
  body?: unknown;
  json?: string;
  pieces?: (inTurn: InTurn) => AsyncGenerator<string | Buffer, void>;
  headers?: Record<string, string>;
};
