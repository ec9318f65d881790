import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { Client, DatabaseError, type ClientConfig, type Submittable } from 'pg';
import { Refusal } from '../refusal.ts';

/** The parts of the driver's connection that its types leave out. */
type Wire = { query(text: string): void; stream: Readable };

export type BaseBackup = {
  /** PostgreSQL's data folder as a tar archive, with the log that makes it consistent. */
  archive: Readable;
  /** Names, sizes and checksums of its files; there once the archive has ended. */
  manifest: Promise<Buffer>;
};

// Unlike SQL, the replication protocol wants its command in capitals.
const COMMAND = `BASE_BACKUP (LABEL 'leadline', CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`;

/** Asks the server for a copy of itself over the replication protocol; it goes on working meanwhile. */
export async function takeBaseBackup(url: string): Promise<BaseBackup> {
  // "replication" is an option of the driver that its types do not know.
  const client = new Client({ connectionString: url, replication: 'true' } as ClientConfig);
  const archive = new PassThrough();
  // The server may stop in the very moment in which it lets us in, before anyone reads the archive.
  archive.on('error', () => {});
  client.on('error', (error) => archive.destroy(wordFault(error)));
  await client.connect();
  await keepLog(client);
  const manifest = Promise.withResolvers<Buffer>();
  // Whoever reads the archive is told there already.
  manifest.promise.catch(() => {});
  const manifestParts: Buffer[] = [];
  let inManifest = false;
  let wire: Wire;

  function receive(message: Buffer): void {
    // The first byte: n(ew archive), d(ata), m(anifest begins), p(rogress).
    const kind = String.fromCharCode(message[0]!);
    if (kind === 'm') {
      inManifest = true;
      archive.end();
      // An ended stream does not drain any more.
      wire.stream.resume();
    } else if (kind === 'd' && inManifest) manifestParts.push(Buffer.from(message.subarray(1)));
    else if (kind === 'd') forward(archive, message.subarray(1), wire.stream);
  }

  const ignore = () => {};
  client.query({
    submit(connection: unknown) {
      wire = connection as Wire;
      wire.query(COMMAND);
    },
    handleRowDescription: ignore,
    handleDataRow: ignore,
    handleCommandComplete: ignore,
    handleCopyData: ({ chunk }: { chunk: Buffer }) => receive(chunk),
    handleReadyForQuery() {
      manifest.resolve(Buffer.concat(manifestParts));
      void client.end();
    },
    handleError(error: Error) {
      const reason = wordFault(error);
      archive.destroy(reason);
      manifest.reject(reason);
      void client.end();
    },
  } as unknown as Submittable);
  return { archive, manifest: manifest.promise };
}

/** The log is read last: without a slot it would go at the next checkpoint. This one goes with the connection. */
async function keepLog(client: Client): Promise<void> {
  const name = `leadline_${randomBytes(6).toString('hex')}`;
  try {
    await client.query(`CREATE_REPLICATION_SLOT ${name} TEMPORARY PHYSICAL RESERVE_WAL`);
  } catch (error) {
    void client.end();
    throw error;
  }
}

/** A log that has grown beyond `max_slot_wal_keep_size` is given up, and the connection for which it was kept is cut. */
function wordFault(error: Error): Error {
  const { code, routine } = error as Partial<DatabaseError>;
  const missing = code === '58P01' || routine === 'CheckXLogRemoved';
  if (error instanceof DatabaseError && code !== '57P01' && !missing) return error;
  return new Refusal(
    `PostgreSQL broke the backup off (${error.message}): it was stopped, or more was written meanwhile than it keeps for a ` +
      'backup. Take it again when less is written, or to a faster disk.',
    { cause: error },
  );
}

// The server sends as fast as it reads; without this a large database would pile up in memory.
function forward(target: Writable, data: Buffer, source: Readable): void {
  // Copied, because the driver reads the next message into the same memory.
  if (target.write(Buffer.from(data)) || source.isPaused()) return;
  source.pause();
  target.once('drain', () => source.resume());
}
