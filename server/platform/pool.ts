import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Client, Pool as DriverPool, type PoolConfig, type ClientBase, type ClientConfig, type PoolClient } from 'pg';
import { DIRECT, type Way } from '../../db/pooler.ts';
import { PLAN_ANEW } from './db.ts';
import { DatabaseAway, isReadOnly, isStale } from './errors.ts';
import { FIXED } from './sql.ts';
import type { Log } from './log.ts';
import type { Pulse } from './pulse.ts';

/**
 * Connections by what they are for, so that none of it is held up by the rest: signing in, the next lead and signs of life; usual requests;
 * those that read a lot; and what goes on in the background. A statement has the time its kind may take.
 */
export const KINDS = {
  vital: { most: 8, seconds: 5, lockSeconds: 2 },
  usual: { most: 10, seconds: 10, lockSeconds: 5 },
  dear: { most: 3, seconds: 10, lockSeconds: 5 },
  background: { most: 6, seconds: 30, lockSeconds: 5 },
};

export type Kind = keyof typeof KINDS;
export type Pools = Record<Kind, DriverPool>;

const MOST_PREPARED = 500;
// What is longer has its values written into it, unless it is always the same.
const LONGEST_PREPARED = 8_000;
const isPrepared = (text: string) => (text.length < LONGEST_PREPARED || FIXED.has(text)) && !text.startsWith(PLAN_ANEW);
const prepared = new Map<string, string>();

/** The name under which a text is prepared, the same in every process: behind a pooler they share connections. */
function nameOf(text: string): string | undefined {
  let name = prepared.get(text);
  if (!name && prepared.size < MOST_PREPARED && isPrepared(text)) {
    name = `leadline_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    prepared.set(text, name);
  }
  return name;
}

/**
 * Prepares what has values, once a connection: parsing and planning are a third of what a short statement costs. Statements that are asked
 * for together are sent together, so that a transaction waits once for all that do not depend on each other.
 */
class PreparingClient extends Client {
  #gathering = false;
  readonly #named: boolean;

  constructor(options: ClientConfig & { named: boolean }) {
    super(options);
    this.#named = options.named;
  }

  /** What is asked for in one go leaves in one go: writing to the socket is a third of what a short statement costs. */
  #gather(): void {
    const stream = streamOf(this);
    if (this.#gathering) return;
    this.#gathering = true;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  override query(...args: unknown[]): never {
    this.#gather();
    const [text, values, callback] = args;
    if (!this.#named) return (super.query as (...given: unknown[]) => never)(...withoutName(args));
    // What has no values is not worth it, and `begin` must never fail for its name: those sent along with it would run without a transaction.
    const isNamed = typeof text === 'string' && Array.isArray(values) && values.length > 0 && !callback;
    const name = isNamed ? nameOf(text) : undefined;
    if (!name) return (super.query as (...given: unknown[]) => never)(...args);
    const result = (super.query as (...given: unknown[]) => Promise<unknown>)({ name, text, values });
    // What was prepared before a table changed stays wrong for as long as the connection lives; so does a host that cannot be written to.
    result.catch((error: unknown) => {
      if (isStale(error) || isReadOnly(error)) streamOf(this).destroy();
    });
    return result as never;
  }
}

/** A name would be looked for on a connection that another has by now. */
function withoutName([first, ...rest]: unknown[]): unknown[] {
  if (typeof first !== 'object' || first === null || !('name' in first)) return [first, ...rest];
  const { name: _, ...config } = first;
  return [config, ...rest];
}

/** `patience`: how many times longer than usual anything may take. */
type Means = { log: Log; pulse?: Pulse; way?: Way; kind?: Kind; patience?: number };

type Pending = { callback: (error: Error, client: undefined, done: () => void) => void };
/** What the driver's pool does for whoever waits, where a connection has to be made. Not among its types. */
type Making = Record<'newClient' | '_pulseQueue', (pending?: Pending) => void>;
const SERVE_NEXT = '_pulseQueue';

type Options = PoolConfig & { named: boolean; begin: string; pipeline: boolean };

/** Refuses at once while the database is away, and lets go of all its connections then: none of them will ever be answered. */
class WatchedPool extends DriverPool {
  /** Those that are being made, too. */
  readonly #clients = new Set<Client>();
  #pulse: Pulse | undefined;
  /** How a transaction begins. */
  readonly begin: string;

  constructor(options: Options) {
    const clients = new Set<Client>();
    class Own extends PreparingClient {
      constructor(given: ClientConfig & { named: boolean }) {
        super(given);
        clients.add(this);
        this.once('end', () => clients.delete(this));
      }
    }
    super({ ...options, Client: Own as never });
    this.#clients = clients;
    this.begin = options.begin;
  }

  watch(pulse: Pulse): void {
    this.#pulse = pulse;
    this.options.connectionString = pulse.url();
    pulse.watch({
      lost: () => {
        for (const client of this.#clients) streamOf(client).destroy();
      },
      found: (url) => (this.options.connectionString = url),
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(told: (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void): void;
  override connect(told?: (error: Error | undefined, client: undefined, done: () => void) => void): unknown {
    const connect = super.connect.bind(this) as (given: typeof told) => unknown;
    if (!this.#pulse?.fault()) return connect(told);
    if (!told) return Promise.reject(new DatabaseAway());
    return process.nextTick(told, new DatabaseAway(), undefined, () => {});
  }

  /** Whoever waited for a connection when it was lost is not given one to where it was. */
  newClient(pending: Pending): void {
    const making = DriverPool.prototype as unknown as Making;
    if (!this.#pulse?.fault()) return making.newClient.call(this, pending);
    pending.callback(new DatabaseAway(), undefined, () => {});
    process.nextTick(() => making[SERVE_NEXT].call(this));
  }
}

const streamOf = (client: Client): Writable =>
  (client as unknown as { connection: { stream: Writable } }).connection.stream;

/** Without a kind, for a command that is alone. */
export function createPool(
  url: string,
  { log, pulse, way = DIRECT, kind = 'background', patience = 1 }: Means,
): DriverPool {
  const { most, seconds } = KINDS[kind];
  // What is set on a connection that others use too has to be what they would set; a transaction can set what is its own.
  // A machine that falls silent in the middle of a transaction lets go of what it has locked; nothing else is waited for in one.
  const set = (times: typeof KINDS.usual, local = '') =>
    `set ${local}statement_timeout = '${times.seconds * patience}s'; ` +
    `set ${local}lock_timeout = '${times.lockSeconds * patience}s'; ` +
    `set ${local}idle_in_transaction_session_timeout = '${10 * patience}s'`;
  const pool = new WatchedPool({
    named: way.named,
    begin: way.shared ? `begin; ${set(KINDS[kind], 'local ')}` : 'begin',
    pipeline: true,
    connectionString: url,
    application_name: `leadline ${kind}`,
    max: most,
    connectionTimeoutMillis: 5_000 * patience,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // The server's own limit is of no use when the server has vanished without a word, or is not ours alone.
    query_timeout: (seconds * patience + 2) * 1_000,
    // By statement: poolers such as PgBouncer refuse these as parameters of the connection.
    onConnect: async (client: ClientBase) => {
      await client.query(set(KINDS[way.shared ? 'background' : kind]));
    },
  });
  // One that breaks while it is used tells whoever uses it. Told to nobody else, it would end the process.
  pool.on('connect', (client) => client.on('error', (error) => log.debug({ err: error }, 'A connection broke')));
  // A connection that breaks while idle is told here; the next query takes another.
  pool.on('error', (error) => log.debug({ err: error }, 'An idle connection to the database broke'));
  if (pulse) pool.watch(pulse);
  return pool;
}

/** One for each kind. */
export function createPools(url: string, means: Omit<Means, 'kind'>): Pools {
  const open = (kind: Kind) => createPool(url, { ...means, kind });
  return { vital: open('vital'), usual: open('usual'), dear: open('dear'), background: open('background') };
}

export const endPools = (pools: Pools) => Promise.all(Object.values(pools).map((pool) => pool.end()));
