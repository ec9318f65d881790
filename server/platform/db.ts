import { CompiledQuery, Kysely, PostgresDialect, PostgresDriver, type DatabaseConnection, type Driver } from 'kysely';
import { types, type Pool } from 'pg';
import type { DB } from '../../db/schema.ts';

export type Db = Kysely<DB>;
export type { Pool } from 'pg';

// Ids and counts stay far below 2^53; as strings, which is the driver's default, they would leak into answers.
types.setTypeParser(types.builtins.INT8, Number);
const INT8_ARRAY = 1016 as typeof types.builtins.INT8; // not among the driver's names
const readTexts = types.getTypeParser(INT8_ARRAY) as (text: string) => string[];
types.setTypeParser(INT8_ARRAY, (text) => readTexts(text).map(Number));

/** Before a statement whose best plan depends on its values: prepared, it would slip into a general plan after five runs. */
export const PLAN_ANEW = '/* planned anew */ ';

/** One statement as it is written, without building it anew each time. */
export async function query<Row>(db: Kysely<DB>, text: string, values: unknown[]): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows;
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
  readonly #begin: CompiledQuery;

  constructor(pool: Pool) {
    super({ pool });
    // Behind a pooler it also says how long things may take.
    this.#begin = CompiledQuery.raw('begin' in pool ? (pool.begin as string) : 'begin');
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    connection.executeQuery(this.#begin).catch(() => {});
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
    return new EagerDriver(this.#pool);
  }
}

export const createDb = (pool: Pool): Db => new Kysely<DB>({ dialect: new EagerDialect(pool) });
