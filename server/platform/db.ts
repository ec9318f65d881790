import { types, type Pool, type PoolClient, type QueryResult } from 'pg';
import { notFound } from './errors.ts';
import type { MadeOf, Sql } from './sql.ts';
import { readTimestamp } from './times.ts';

export type { Pool } from 'pg';

/** Where statements go: each to a connection that is free, or all of a transaction to its own. */
export type Db = { send(text: Sql, values: unknown[]): Promise<QueryResult> };

/** One transaction. `owed` are its last statements, while they have not left. */
export type Tx = Db & { owed: Set<Statement[]> };

/** The database: statements by themselves, and transactions. */
export type Database = Db & { transaction<T>(act: (tx: Tx) => Promise<T | Last<T>>): Promise<T> };

// Ids and counts stay far below 2^53; as strings, which is the driver's default, they would leak into answers.
types.setTypeParser(types.builtins.INT8, Number);
const INT8_ARRAY = 1016 as typeof types.builtins.INT8; // not among the driver's names
const readTexts = types.getTypeParser(INT8_ARRAY) as (text: string) => string[];
types.setTypeParser(INT8_ARRAY, (text) => readTexts(text).map(Number));
const readAnyTimestamp = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => Date;
types.setTypeParser(types.builtins.TIMESTAMPTZ, (text) => readTimestamp(text, readAnyTimestamp));

/** Before a statement whose best plan depends on its values: prepared, it would slip into a general plan after five runs. */
export const PLAN_ANEW = '/* planned anew */ ';

/** One statement as it is written. The compiler compares `Row` with what PostgreSQL said of it. */
export async function query<Row>(db: Db, text: Sql<NoInfer<MadeOf<Row>>>, values: unknown[]): Promise<Row[]> {
  return (await db.send(text, values)).rows as Row[];
}

/** The row that is asked for, or 404. */
export async function one<Row>(db: Db, text: Sql<NoInfer<MadeOf<Row>>>, values: unknown[]): Promise<Row> {
  const [row] = await query<Row>(db, text, values);
  if (!row) throw notFound();
  return row;
}

/** `name`: under which others of the same statement refer to what it returns. */
export type Statement<Row = unknown> = { text: Sql<Row>; values: unknown[]; name?: string };

const joined = new Map<string, string>();

/**
 * Several changes of different rows as one statement, and what the last one returns. A statement costs more by being one than by what it
 * does; and one that does everything leaves no moment at which half of it has happened.
 */
export async function together<Row>(db: Db, statements: Several<MadeOf<Row>>): Promise<Row[]> {
  const { text, values } = asOne(statements);
  return (await db.send(text, values)).rows as Row[];
}

type Several<Row> = [...Statement[], Statement<NoInfer<Row>>];

/** The same before it is sent. */
export function asOne<Row>(statements: Several<Row>): Statement<Row> {
  const key = statements.map(({ text }) => text).join(';');
  let text = joined.get(key);
  if (!text) joined.set(key, (text = join(statements)));
  return { text: text as Sql<Row>, values: statements.flatMap(({ values }) => values) };
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

/**
 * What ends a transaction: statements that have not left yet, and what their rows tell. Whoever began the transaction sends them in one go with
 * the commit, so that nothing can come after them, and reads them when both are answered: what is found then can be refused no more.
 */
export class Last<T> {
  readonly statements: Statement[];
  readonly read: (answers: unknown[][]) => T;

  constructor(statements: Statement[], read: (answers: unknown[][]) => T) {
    this.statements = statements;
    this.read = read;
  }

  map<Other>(then: (told: T) => Other): Last<Other> {
    return new Last(this.statements, (answers) => then(this.read(answers)));
  }
}

/** Where nothing is left to be done. */
export const NOTHING = new Last<void>([], () => {});

/** `read` is given the rows of each. Where it is not returned to whoever began the transaction, and not sent by `settle`, the commit fails. */
export function lastly<T, Rows extends unknown[][] = unknown[][]>(
  tx: Tx,
  statements: { [at in keyof Rows]: Statement<MadeOf<Rows[at] extends (infer Row)[] ? Row : never>> },
  read: (answers: Rows) => T,
): Last<T> {
  tx.owed.add(statements);
  return new Last(statements, read as (answers: unknown[][]) => T);
}

/** For those who have more to do in the same transaction. */
export async function settle<T>(tx: Tx, { statements, read }: Last<T>): Promise<T> {
  tx.owed.delete(statements);
  return read(await Promise.all(statements.map(({ text, values }) => query(tx, text, values))));
}

const BEGIN = 'begin';

/**
 * `begin` is how its transactions begin; behind a pooler they also say how long things may take. What is said of a connection there is not
 * true of the next one, so a statement that is alone is a transaction, too, and all of it leaves in one go.
 */
export const createDb = (pool: Pool & { begin?: string }): Database => ({
  async send(text, values) {
    const client = await pool.connect();
    if (pool.begin && pool.begin !== BEGIN) {
      const alone = new Transaction(client, pool.begin);
      const [answer] = await alone.end('commit', [alone.send(text, values)]);
      return answer!;
    }
    try {
      return await client.query(text, values);
    } finally {
      client.release();
    }
  },

  async transaction(act) {
    const client = await pool.connect();
    const transaction = new Transaction(client, pool.begin ?? BEGIN);
    let done;
    try {
      done = await act(transaction);
      if (done instanceof Last) transaction.owed.delete(done.statements);
      if (transaction.owed.size > 0) throw new Error('The last statements of a transaction were made, and not sent.');
    } catch (error) {
      // This is what has to be told, whatever becomes of the rollback.
      await transaction.end('rollback').catch(() => {});
      throw error;
    }
    if (done instanceof Last) return done.read(await transaction.finish(done.statements));
    await transaction.end('commit');
    return done;
  },
});

class Transaction implements Tx {
  readonly owed = new Set<Statement[]>();
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

  /** The last statements travel with the commit. One that is alone needs none: it is a transaction by itself. */
  async finish(statements: Statement[]): Promise<unknown[][]> {
    const alone = this.#state === 'new' && statements.length === 1 && this.#begin === BEGIN;
    const sent = statements.map(({ text, values }) =>
      alone ? this.#client.query(text, values) : this.send(text, values),
    );
    return (await this.end('commit', sent)).map(({ rows }) => rows);
  }

  /**
   * Does not wait for what was `sent` before: where one of it fails, PostgreSQL answers the commit with a rollback. Where nothing was begun,
   * nothing has to be ended. The connection is given back when all is answered, or thrown away if it cannot even do this.
   */
  async end(how: 'commit' | 'rollback', sent: Promise<QueryResult>[] = []): Promise<QueryResult[]> {
    const ending = this.#state === 'open' ? [this.#client.query(how)] : [];
    this.#state = 'over';
    const answers = await Promise.allSettled([...sent, ...ending]);
    const broken = answers.slice(sent.length).find(isRejected);
    this.#client.release(broken?.reason as Error | undefined);
    // What failed first is why the others did.
    const failed = answers.find(isRejected);
    if (failed) throw failed.reason;
    const results = answers.map((answer) => (answer as PromiseFulfilledResult<QueryResult>).value);
    if (ending.length > 0 && results.pop()!.command.toLowerCase() !== how)
      throw new Error('A statement of this transaction failed, so none of it happened.');
    return results;
  }
}

const isRejected = (answer: PromiseSettledResult<unknown>) => answer.status === 'rejected';
