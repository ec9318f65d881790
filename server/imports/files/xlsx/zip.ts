import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { readBlocks, sayNumber, Unavailable, Unreadable, type FileSource } from '../source.ts';

/** The archive that a workbook is. Only parts that are asked for are unpacked, a piece at a time. */
export type Archive = { has(name: string): boolean; read(name: string): AsyncGenerator<Buffer>; close(): void };

const MOST_PARTS = 10_000;
const MOST_UNPACKED = 4 * 1024 ** 3;
// Sheets of the same value over and over are packed a hundred times smaller; what is packed much more tightly and is large was made to be.
const MOST_TIMES = 200;
const LARGE = 128 * 1024 ** 2;

export const isBomb = (unpacked: number, packed: number): boolean =>
  unpacked > MOST_UNPACKED || (unpacked > LARGE && unpacked > packed * MOST_TIMES);

export async function openArchive(file: FileSource): Promise<Archive> {
  const zip = await orDamaged(fromRandomAccessReaderPromise(new SourceReader(file), file.bytes, { autoClose: false }));
  const entries = await readDirectory(zip);
  return {
    has: (name) => entries.has(name.toLowerCase()),
    read: (name) => unpack(zip, entries.get(name.toLowerCase())),
    close: () => zip.close(),
  };
}

async function readDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MOST_PARTS)
    throw new Unreadable(`This is an archive of ${sayNumber(zip.entryCount)} files, and no workbook.`);
  const entries = new Map<string, Entry>();
  const all = zip.eachEntry();
  for (;;) {
    const { done, value } = await orDamaged(all.next());
    if (done) return entries;
    entries.set(value.fileName.toLowerCase(), value);
  }
}

async function* unpack(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer> {
  if (!entry) throw damaged();
  if (entry.isEncrypted()) throw new Unreadable('This workbook is protected by a password. Save it without one.');
  // What an entry says of its size is held against what comes out of it.
  const { compressedSize: packed, uncompressedSize: unpacked } = entry;
  if (isBomb(unpacked, packed)) throw tooLarge(unpacked, packed);
  const stream = await orDamaged(zip.openReadStreamPromise(entry));
  try {
    for await (const piece of stream) yield piece as Buffer;
  } catch (error) {
    throw damaged(error);
  } finally {
    stream.destroy();
  }
}

const sayMegabytes = (bytes: number): string => `${sayNumber(Math.ceil(bytes / 1e6))} MB`;

export const tooLarge = (unpacked: number, packed: number): Unreadable =>
  new Unreadable(
    `Unpacked, this workbook would have ${sayMegabytes(unpacked)}, of ${sayMegabytes(packed)} now: more than any table of leads. Save what you need of it as CSV.`,
  );

export function damaged(error?: unknown): Error {
  if (error instanceof Unreadable || error instanceof Unavailable) return error;
  return new Unreadable(
    'This workbook is damaged. Open it in a spreadsheet, save it again as .xlsx, and upload that.',
    {
      cause: error,
    },
  );
}

const orDamaged = <Result>(coming: Promise<Result>): Promise<Result> =>
  coming.catch((error: unknown) => {
    throw damaged(error);
  });

const CACHED = 64 * 1024;

class SourceReader extends RandomAccessReader {
  #file: FileSource;
  #cached: { from: number; bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) };

  constructor(file: FileSource) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readBlocks(this.#file, start, end), { objectMode: false });
  }

  // The directory is read in bits of some fifty bytes, and the file may be far away.
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    callbackify(() => this.#readCached(position, length))((error, bytes) => {
      if (!error) bytes.copy(buffer, offset);
      callback(error);
    });
  }

  async #readCached(position: number, length: number): Promise<Buffer> {
    const { from, bytes } = this.#cached;
    if (position < from || position + length > from + bytes.length) {
      const wanted = Math.min(Math.max(length, CACHED), this.#file.bytes - position);
      const read: Buffer[] = [];
      for await (const block of readBlocks(this.#file, position, position + wanted)) read.push(block);
      this.#cached = { from: position, bytes: Buffer.concat(read) };
    }
    const start = position - this.#cached.from;
    return this.#cached.bytes.subarray(start, start + length);
  }
}
