import { parentPort, workerData } from 'node:worker_threads';
import type { HowRead } from '../../contract/imports.ts';
import { look, readRows, Unreadable, type FileRow, type FileSource } from './files/file.ts';

/** Reads one file, on a thread of its own. What it wants of the file's bytes it asks the service for, which has them in the database. */

export type FileToRead = { name: string; bytes: number };
export type AskedOfReader =
  | { ask: 'look' }
  | { ask: 'next'; how: HowRead; after: number }
  | { given: number; bytes: Uint8Array | undefined };

/** The columns of the file come with its first rows. */
export type FileColumns = { name: string; samples: string[] }[];
/** `rows` as import_rows takes them in one text; `last` is the number of the last one. */
export type ReadRows = { rows: string; number: number; last: number; columns?: FileColumns; end: boolean };
export type ToldByReader =
  | { want: number; from: number; length: number }
  | { answer: unknown }
  | { unreadable: string }
  | { failed: string };

const port = parentPort!;
const tell = (told: ToldByReader) => port.postMessage(told);
const { name, bytes } = workerData as FileToRead;

/** Asked for at a time, the one behind it too, while this one is being read. */
const BLOCK = 1024 * 1024;
const MOST_KEPT = 4;
const blocks = new Map<number, Promise<Uint8Array>>();
const wanted = new Map<number, { give: (block: Uint8Array) => void; fail: (error: Error) => void }>();

function blockAt(place: number): Promise<Uint8Array> {
  const known = blocks.get(place);
  if (known) return known;
  const block = new Promise<Uint8Array>((give, fail) => wanted.set(place, { give, fail }));
  // Told to whoever reads it; nobody may have come so far.
  block.catch(() => {});
  blocks.set(place, block);
  for (const old of blocks.keys()) if (blocks.size > MOST_KEPT && !wanted.has(old)) blocks.delete(old);
  tell({ want: place, from: place * BLOCK, length: Math.min(BLOCK, bytes - place * BLOCK) });
  return block;
}

const source: FileSource = {
  name,
  bytes,
  async read(from, length) {
    const end = Math.min(from + length, bytes);
    const pieces: Uint8Array[] = [];
    for (let at = from; at < end;) {
      const place = Math.floor(at / BLOCK);
      const reading = blockAt(place);
      if ((place + 1) * BLOCK < bytes) void blockAt(place + 1);
      const block = await reading;
      const to = Math.min(end, (place + 1) * BLOCK);
      pieces.push(block.subarray(at - place * BLOCK, to - place * BLOCK));
      at = to;
    }
    return Buffer.concat(pieces);
  },
};

const MOST_SAMPLES = 50;
const LONGEST_SAMPLE = 100;
const LONGEST_NAME = 255;

/** Of so many first rows. */
const LOOKED_THROUGH = 1_000;

function describeColumns(heading: string[] | undefined, rows: FileRow[]): FileColumns {
  const sound = rows.filter(({ fault }) => fault === undefined).slice(0, LOOKED_THROUGH);
  const width = (heading ?? sound[0]?.cells ?? rows[0]?.cells ?? []).length;
  return Array.from({ length: width }, (_, index) => {
    const texts = sound.map(({ cells }) => (cells[index] ?? '').trim()).filter((text) => text !== '');
    return {
      name: storable((heading?.[index] ?? '').trim().slice(0, LONGEST_NAME)) || `Column ${index + 1}`,
      samples: texts.slice(0, MOST_SAMPLES).map((text) => storable(text.slice(0, LONGEST_SAMPLE))),
    };
  });
}

// What no database takes: U+0000, and half a character.
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

function writeRows(rows: FileRow[]): string {
  const write = () =>
    JSON.stringify(rows.map(({ row, cells, fault }) => (fault === undefined ? [row, cells] : [row, cells, fault])));
  const written = write();
  if (!UNSTORABLE.test(written)) return written;
  for (const row of rows) row.cells = row.cells.map(storable);
  return write();
}

type Reading = { batches: AsyncGenerator<FileRow[]>; heading: string[] | undefined; hasBegun: boolean; last: number };
let reading: Reading | undefined;

async function readNext(how: HowRead, after: number): Promise<ReadRows> {
  reading ??= { batches: readRows(source, how), heading: undefined, hasBegun: false, last: 0 };
  const { value, done } = await reading.batches.next();
  if (done) return { rows: '[]', number: 0, last: reading.last, end: true };
  let rows = value;
  if (how.header && reading.heading === undefined && rows.length > 0) {
    reading.heading = rows[0]!.cells;
    reading.last = rows[0]!.row;
    rows = rows.slice(1);
  }
  const columns = reading.hasBegun || rows.length === 0 ? undefined : describeColumns(reading.heading, rows);
  if (columns) reading.hasBegun = true;
  reading.last = rows.at(-1)?.row ?? reading.last;
  // Read again after a restart: these are there.
  const fresh = rows.filter(({ row }) => row > after);
  const read = { rows: writeRows(fresh), number: fresh.length, last: reading.last, end: false };
  return columns ? { ...read, columns } : read;
}

port.on('message', async (asked: AskedOfReader) => {
  if ('given' in asked) {
    const waits = wanted.get(asked.given);
    wanted.delete(asked.given);
    if (asked.bytes) waits?.give(asked.bytes);
    else waits?.fail(new Error('A part of the file could not be had.'));
    return;
  }
  try {
    tell({ answer: asked.ask === 'look' ? await look(source) : await readNext(asked.how, asked.after) });
  } catch (error) {
    tell(error instanceof Unreadable ? { unreadable: error.message } : { failed: String((error as Error).stack) });
  }
});
