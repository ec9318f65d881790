import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { startEmbedded, type EmbeddedOptions, type EmbeddedServer } from './embedded/server.ts';
import { NEVER, unlessAborted } from './patience.ts';
import { Refusal } from './refusal.ts';

export type DatabaseAddress = { url: string; directUrl: string };

export type OpenDatabase = DatabaseAddress & {
  /** Set when the database is the one that comes along. */
  embedded?: EmbeddedServer;
  /** `patience`: after so many milliseconds the embedded server is stopped without a checkpoint, which is then made at the next start. */
  close(patience?: number): Promise<void>;
};

/** The external database where one is configured, else the embedded one, started or (with `attach`) joined. */
export async function openDatabase(
  external: DatabaseAddress | undefined,
  options: EmbeddedOptions,
): Promise<OpenDatabase> {
  if (external) {
    const { say = () => {}, signal = NEVER } = options;
    for (const url of new Set([external.directUrl, external.url])) {
      await unlessAborted(signal, checkExternal(url, say));
    }
    return { ...external, close: () => Promise.resolve() };
  }
  const embedded = await startEmbedded(options);
  return { url: embedded.url, directUrl: embedded.url, embedded, close: (patience) => embedded.stop(patience) };
}

const OLDEST = 17;

/** Waits a minute for a database that is not up yet; what waiting cannot mend is refused at once. */
export async function checkExternal(url: string, say: (sentence: string) => void, patience = 60_000): Promise<void> {
  const address = describe(url);
  const deadline = Date.now() + patience;
  for (let told = false; ; told = true) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    // A connection that breaks while idle is told here, and would otherwise end the process.
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ version: number; encoding: string }>(
        "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
      );
      refuseUnfit(rows[0]!, address);
      return;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (!isPassing(error) || Date.now() > deadline) {
        throw new Refusal(`The database at ${address} cannot be used: ${describeFault(error)}`, { cause: error });
      }
      if (!told) say(`The database at ${address} does not answer yet; trying for a minute.`);
      await sleep(500);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

export function refuseUnfit({ version, encoding }: { version: number; encoding: string }, address: string): void {
  if (version < OLDEST * 10_000) {
    throw new Refusal(
      `DATABASE_URL leads to PostgreSQL ${Math.floor(version / 10_000)} at ${address}; Leadline needs ${OLDEST} or later.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new Refusal(`The database at ${address} is encoded in ${encoding}; Leadline needs one in UTF8.`);
  }
}

/** Starting up, shutting down, too many connections; and whatever has no SQLSTATE, which is the network. */
function isPassing(error: unknown): boolean {
  return !(error instanceof DatabaseError) || ['57P01', '57P02', '57P03', '53300'].includes(error.code ?? '');
}

// Connecting to a name with several addresses fails with one error for each and an empty message of its own.
function describeFault(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(describeFault).join('; ') : (error as Error).message;
}

/** An address without its password. */
export function describe(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? host}${pathname}`;
}
