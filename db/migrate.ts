import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { NEVER } from './patience.ts';
import { Refusal } from './refusal.ts';

const FOLDER = join(import.meta.dirname, 'migrations');

// Any constant will do as long as every node uses the same.
const LOCK = 4_951_001;

type Migration = { name: string; sql: string; checksum: string };

/**
 * Brings the database to the state of the code and tells which migrations it applied. Of nodes that start together one migrates
 * while the others wait. Give a direct connection: a pooler between may hand the lock and the work to different sessions.
 */
export async function migrate(directUrl: string, folder = FOLDER, signal: AbortSignal = NEVER): Promise<string[]> {
  const client = connectTo(directUrl);
  const giveUp = () => void endSession(directUrl, client);
  signal.addEventListener('abort', giveUp);
  try {
    await client.connect();
    await client.query(LET_GO);
    await takeLock(client, signal);
    const pending = await findPending(client, readMigrations(folder));
    for (const migration of pending) {
      signal.throwIfAborted();
      await apply(client, migration, signal);
    }
    return pending.map(({ name }) => name);
  } finally {
    signal.removeEventListener('abort', giveUp);
    await client.end().catch(() => {});
  }
}

/** A machine that loses its power in the middle lets go of everything in a minute, instead of in hours. */
const LET_GO = `
  set idle_in_transaction_session_timeout = '60s'; set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 6`;

function connectTo(url: string): Client {
  const client = new Client({
    connectionString: url,
    application_name: 'leadline migrate',
    // Whoever opened the database has heard from it; a machine that does much else may take its time.
    connectionTimeoutMillis: 60_000,
  });
  // One that breaks between two statements is told here, and would otherwise end the process; the next statement tells it too.
  client.on('error', () => {});
  return client;
}

/** A statement whose client has gone runs on to its end; this ends it, and what it did is rolled back. */
async function endSession(url: string, session: Client): Promise<void> {
  const { processID } = session as unknown as { processID: number | null };
  const client = connectTo(url);
  try {
    await client.connect();
    await client.query('select pg_terminate_backend($1)', [processID]);
  } catch {
    // The database has gone, and the statement with it.
  } finally {
    await client.end().catch(() => {});
  }
}

// Polled: a blocking pg_advisory_lock would fall under lock_timeout and hold back `create index concurrently` elsewhere.
async function takeLock(client: Client, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 15 * 60_000;
  while (Date.now() < deadline) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK]);
    if (rows[0]?.taken) return;
    await sleep(100, undefined, { signal });
  }
  throw new Refusal('Another node has been migrating the database for 15 minutes. Look there first.');
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

async function findPending(client: Client, migrations: Migration[]): Promise<Migration[]> {
  await client.query(
    `create table if not exists migrations (
       name text primary key,
       checksum text not null,
       applied_at timestamptz not null default now()
     )`,
  );
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations');
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  refuseNewer([...applied.keys()], migrations);
  for (const { name, checksum } of migrations) {
    if (applied.has(name) && applied.get(name) !== checksum) {
      throw new Refusal(`The migration ${name} was changed after it had been applied. Restore it and add a new one.`);
    }
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

/** An older program would write what the newer one no longer expects. */
function refuseNewer(applied: string[], migrations: Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name)).toSorted();
  if (unknown.length === 0) return;
  throw new Refusal(
    `The database was brought up to date by a newer Leadline: ${unknown.join(', ')} ${unknown.length > 1 ? 'are' : 'is'} ` +
      'not known to this one. Start that version or a later one here, or restore a backup from before it.',
  );
}

/** All of a migration or nothing. It gives up on a table in use rather than make every request queue behind it, and tries again. */
async function apply(client: Client, { name, sql, checksum }: Migration, signal: AbortSignal): Promise<void> {
  const tries = 10;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query("begin; set local lock_timeout = '3s'; set local statement_timeout = 0");
      await client.query(sql);
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum]);
      await client.query('commit');
      return;
    } catch (error) {
      signal.throwIfAborted();
      await client.query('rollback');
      const locked = error instanceof DatabaseError && error.code === '55P03';
      if (!locked || attempt === tries) {
        throw new Refusal(`The migration ${name} failed and nothing of it was kept: ${(error as Error).message}`);
      }
      await sleep(1_000, undefined, { signal });
    }
  }
}
