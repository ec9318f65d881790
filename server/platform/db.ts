import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import type { DB } from '../../db/schema.ts';
import type { Log } from './log.ts';

export type Db = Kysely<DB>;

// Ids and counts stay far below 2^53; as strings, which is the driver's default, they would leak into answers.
types.setTypeParser(types.builtins.INT8, Number);

export type { Pool } from 'pg';

export function createPool(url: string, log: Log): Pool {
  const pool = new Pool({
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
      await client.query("set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '60s'");
    },
  });
  // A connection that breaks while idle is told here; the next query takes another.
  pool.on('error', (error) => log.debug({ err: error }, 'An idle connection to the database broke'));
  return pool;
}

export const createDb = (pool: Pool): Db => new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
