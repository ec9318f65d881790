import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { startEmbedded, type EmbeddedOptions, type EmbeddedServer } from './embedded/server.ts';
import { connectToWritable, describe, hostsOf, ReadOnly } from './hosts.ts';
import { NEVER, unlessAborted } from './patience.ts';
import { Refusal } from './refusal.ts';

export type DatabaseAddress = { url: string; directUrl: string };

/** The addresses are those of the hosts that could be written to when it was opened. */
export type OpenDatabase = DatabaseAddress & {
  /** All that DATABASE_URL names, one address each. */
  hosts: string[];
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
    const check = (url: string) => unlessAborted(signal, checkExternal(url, say));
    const directUrl = await check(external.directUrl);
    const url = external.url === external.directUrl ? directUrl : await check(external.url);
    return { url, directUrl, hosts: hostsOf(external.url), close: () => Promise.resolve() };
  }
  const embedded = await startEmbedded(options);
  const { url } = embedded;
  return { url, directUrl: url, hosts: [url], embedded, close: (patience) => embedded.stop(patience) };
}

const OLDEST = 17;

/**
 * Waits a minute for a database that is not up yet, and tells which of its hosts can be written to; what waiting cannot mend is refused at
 * once.
 */
export async function checkExternal(url: string, say: (sentence: string) => void, patience = 60_000): Promise<string> {
  const address = describe(url);
  const deadline = Date.now() + patience;
  for (let told = false; ; told = true) {
    const checks = await Promise.allSettled(hostsOf(url).map((host) => checkHost(host)));
    const fit = checks.find((check) => check.status === 'fulfilled');
    if (fit) return fit.value;
    const faults = checks.map((check) => (check as PromiseRejectedResult).reason as unknown);
    const refusal = faults.find((fault) => fault instanceof Refusal);
    if (refusal) throw refusal;
    if (!faults.some(isPassing) || Date.now() > deadline) {
      const why = [...new Set(faults.map(describeFault))].join('; ');
      throw new Refusal(`The database at ${address} cannot be used: ${why}`, { cause: faults[0] });
    }
    if (!told) say(`The database at ${address} does not answer yet; trying for a minute.`);
    await sleep(500);
  }
}

async function checkHost(url: string): Promise<string> {
  const client = await connectToWritable(url, 5_000);
  try {
    const { rows } = await client.query<{ version: number; encoding: string }>(
      "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
    );
    refuseUnfit(rows[0]!, describe(url));
    return url;
  } finally {
    await client.end().catch(() => {});
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

/** Starting up, shutting down, too many connections, not to be written to; and whatever has no SQLSTATE, which is the network. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof ReadOnly ||
    !(error instanceof DatabaseError) ||
    ['57P01', '57P02', '57P03', '53300'].includes(error.code ?? '')
  );
}

// Connecting to a name with several addresses fails with one error for each and an empty message of its own.
function describeFault(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(describeFault).join('; ') : (error as Error).message;
}
