import { types, type Pool, type PoolClient, type QueryResult } from 'pg';
import { notFound } from './errors.ts';

export type { Pool } from 'pg';

/** Where statements go: each to a connection that is free, or all of a transaction to its own. */
export type Db = { send(text: string, values: unknown[]): Promise<QueryResult> };

/** The database: statements by themselves, and transactions. */
export type Database = Db & { transaction<T>(act: (db: Db) => Promise<T>): Promise<T> };

// Ids and counts stay far below 2^53; as strings, which is the driver's default, they would leak into answers.
types.setTypeParser(types.builtins.INT8, Number);
const INT8_ARRAY = 1016 as typeof types.builtins.INT8; // not among the driver's names
const readTexts = types.getTypeParser(INT8_ARRAY) as (text: string) => string[];
types.setTypeParser(INT8_ARRAY, (text) => readTexts(text).map(Number));

/** Before a statement whose best plan depends on its values: prepared, it would slip into a general plan after five runs. */
export const PLAN_ANEW = '/* planned anew */ ';

/** One statement as it is written. */
export async function query<Row>(db: Db, text: string, values: unknown[]): Promise<Row[]> {
  return (await db.send(text, values)).rows as Row[];
}

/** The row that is asked for, or 404. */
export async function one<Row>(db: Db, text: string, values: unknown[]): Promise<Row> {
  const [row] = await query<Row>(db, text, values);
  if (!row) throw notFound();
  return row;
}

/** `name`: under which others of the same statement refer to what it returns. */
export type Statement = { text: string; values: unknown[]; name?: string };

const joined = new Map<string, string>();

/**
 * Several changes of different rows as one statement, and what the last one returns. A statement costs more by being one than by what it
 * does; and one that does everything leaves no moment at which half of it has happened.
 */
export function together<Row>(db: Db, statements: Statement[]): Promise<Row[]> {
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

/** `begin` is how its transactions begin; behind a pooler they also say how long things may take. */
export const createDb = (pool: Pool & { begin?: string }): Database => ({
  async send(text, values) {
    const client = await pool.connect();
    try {
      return await client.query(text, values);
    } finally {
      client.release();
    }
  },

  async transaction(act) {
    const client = await pool.connect();
    const transaction = new Transaction(client, pool.begin ?? 'begin');
    let done;
    try {
      done = await act(transaction);
    } catch (error) {
      // This is what has to be told, whatever becomes of the rollback.
      await transaction.end('rollback').catch(() => {});
      throw error;
    }
    await transaction.end('commit');
    return done;
  },
});

class Transaction implements Db {
  readonly #client: PoolClient;
  readonly #begin: string;
  #state: 'new' | 'open' | 'over' = 'new';

  constructor(client: PoolClient, begin: string) {
    this.#client = client;
    this.#begin = begin;
  }

  /** `begin` is not waited for: it travels with the first statement. Should it fail, the connection is gone and so are the rest. */
  send(text: string, values: unknown[]): Promise<QueryResult> {
    if (this.#state === 'over')
      return Promise.reject(new Error('A statement was sent after its transaction was over.'));
    if (this.#state === 'new') this.#client.query(this.#begin).catch(() => {});
    this.#state = 'open';
    return this.#client.query(text, values);
  }

  /** Where nothing was sent, nothing has to be ended. A connection that cannot even roll back is thrown away. */
  async end(how: 'commit' | 'rollback'): Promise<void> {
    const begun = this.#state === 'open';
    this.#state = 'over';
    try {
      const { command } = begun ? await this.#client.query(how) : { command: how };
      // PostgreSQL answers a commit with a rollback where a statement had failed and nobody heard of it.
      if (command.toLowerCase() !== how)
        throw new Error('A statement of this transaction failed, so none of it happened.');
      this.#client.release();
    } catch (error) {
      this.#client.release(error as Error);
      throw error;
    }
  }
}
