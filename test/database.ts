import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { Client } from 'pg';
import { createDb, type Database, type Pool } from '../server/platform/db.ts';
import { createPool } from '../server/platform/pool.ts';
import type { Sql } from '../server/platform/sql.ts';
import { createLog } from '../server/platform/log.ts';
import { DATABASE_PATIENCE } from './leadline.ts';

const undo: (() => Promise<unknown>)[] = [];

/** What a test file opens is closed when it is through, the last first; node's own hooks would begin with the database. */
export function atEnd(step: () => Promise<unknown>): void {
  if (undo.length === 0) {
    after(async () => {
      for (const one of undo.splice(0).toReversed()) await one();
    });
  }
  undo.push(step);
}

/** The database of the migrated installation that `npm test` begins with: nobody is connected to it. */
const TEMPLATE = 'leadline';

export type TestDatabase = { url: string; pool: Pool; db: Database };

/** A migrated database of this test file's own, gone when the file is through. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = await createBareDatabase(TEMPLATE);
  const pool = createPool(url, { log: createLog('silent'), patience: DATABASE_PATIENCE });
  atEnd(() => pool.end());
  return { url, pool, db: createDb(pool) };
}

/** A statement of a test's own: nothing compares its rows with what they are taken for. */
export const asIs = (text: string) => text as Sql<never>;

/** A database without anything of ours in it. */
export async function createBareDatabase(template = 'template1'): Promise<string> {
  const server = testServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Nothing has to be written through here, and then copying the files takes a third of logging every page of them.
  await run(server, `create database ${name} template ${template} strategy file_copy`);
  atEnd(() => run(server, `drop database if exists ${name} with (force)`));
  return nameDatabase(server, name);
}

function testServer(): string {
  const url = process.env.LEADLINE_TEST_SERVER;
  if (!url) throw new Error('Tests need their PostgreSQL: run `npm test`, or `npm test -- path/of/one.test.ts`.');
  return url;
}

function nameDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
