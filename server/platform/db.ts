import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type Driver,
  type TransactionSettings,
} from 'kysely';
import { Client, Pool, types } from 'pg';
import type { DB } from '../../db/schema.ts';
import { isStale } from './errors.ts';
import type { Log } from './log.ts';

export type Db = Kysely<DB>;

// Ids and counts stay far below 2^53; as strings, which is the driver's default, they would leak into answers.
types.setTypeParser(types.builtins.INT8, Number);
const INT8_ARRAY = 1016 as typeof types.builtins.INT8; // not among the driver's names
const readTexts = types.getTypeParser(INT8_ARRAY) as (text: string) => string[];
types.setTypeParser(INT8_ARRAY, (text) => readTexts(text).map(Number));

export type { Pool } from 'pg';

/** Before a statement whose best plan depends on its values: prepared, it would slip into a general plan after five runs. */
export const PLAN_ANEW = '/* planned anew */ ';

const MOST_PREPARED = 500;
// What is longer has its values written into it.
const LONGEST_PREPARED = 8_000;
const prepared = new Map<string, string>();

/** The name under which a text is prepared, the same in every process: behind a pooler they share connections. */
function nameOf(text: string): string | undefined {
  let name = prepared.get(text);
  if (!name && prepared.size < MOST_PREPARED && text.length < LONGEST_PREPARED && !text.startsWith(PLAN_ANEW)) {
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

  /** What is asked for in one go leaves in one go: writing to the socket is a third of what a short statement costs. */
  #gather(): void {
    const { stream } = (this as unknown as { connection: { stream: Writable } }).connection;
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
    const name = typeof text === 'string' && Array.isArray(values) && !callback ? nameOf(text) : undefined;
    if (!name) return (super.query as (...given: unknown[]) => never)(...args);
    const result = (super.query as (...given: unknown[]) => Promise<unknown>)({ name, text, values });
    // What was prepared before a table changed stays wrong for as long as the connection lives.
    result.catch((error: unknown) => {
      if (isStale(error)) (this as unknown as { connection: { stream: Writable } }).connection.stream.destroy();
    });
    return result as never;
  }
}

/** One statement as it is written, without building it anew each time. */
export async function query<Row>(db: Kysely<DB>, text: string, values: unknown[]): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows;
}

export function createPool(url: string, log: Log): Pool {
  const pool = new Pool({
    Client: PreparingClient,
    pipeline: true,
    connectionString: url,
    application_name: 'leadline',
    max: 20,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // The server's own limit is of no use when the server has vanished without a word.
    query_timeout: 35_000,
    // By statement: poolers such as PgBouncer refuse these as parameters of the connection.
    onConnect: async (client) => {
      await client.query(
        "set statement_timeout = '30s'; set lock_timeout = '5s'; set idle_in_transaction_session_timeout = '60s'",
      );
    },
  });
  // One that breaks while it is used tells whoever uses it. Told to nobody else, it would end the process.
  pool.on('connect', (client) => client.on('error', (error) => log.debug({ err: error }, 'A connection broke')));
  // A connection that breaks while idle is told here; the next query takes another.
  pool.on('error', (error) => log.debug({ err: error }, 'An idle connection to the database broke'));
  return pool;
}

/** `name`: under which others of the same statement refer to what it returns. */
export type Statement = { text: string; values: unknown[]; name?: string };

const joined = new Map<string, string>();

/**
 * Several changes of different rows as one statement, and what the last one returns. A statement costs more by being one than by what it
 * does; and one that does everything leaves no moment at which half of it has happened.
 */
export function together<Row>(db: Kysely<DB>, statements: Statement[]): Promise<Row[]> {
  const key = statements.map(({ text }) => text).join(';');
  let text = joined.get(key);
  if (!text) joined.set(key, (text = join(statements)));
  return query<Row>(
    db,
    text,
    statements.flatMap(({ values }) => values),
  );
}

function join(statements: Statement[]): string {
  let before = 0;
  const texts = statements.map(({ text, values }) => {
    const shifted = text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + before}`);
    before += values.length;
    return shifted;
  });
  const last = texts.pop()!;
  return texts.length === 0
    ? last
    : `with ${texts.map((text, index) => `${statements[index]!.name ?? `part${index}`} as (${text})`).join(', ')} ${last}`;
}

/** Sends `begin` along with the first statement instead of waiting for it. Should it fail, the connection is gone and so are the rest. */
class EagerDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    super.beginTransaction(connection, settings).catch(() => {});
  }

  /** What went wrong before is what has to be told; a connection that cannot even roll back is thrown away. */
  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}

class EagerDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new EagerDriver({ pool: this.#pool });
  }
}

export const createDb = (pool: Pool): Db => new Kysely<DB>({ dialect: new EagerDialect(pool) });
