import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { HowRead } from '../../contract/imports.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Transact, Work } from '../platform/work.ts';
import { fileInChunks } from './chunks.ts';
import type { Looked } from './files/file.ts';
import { Unreadable } from './files/source.ts';
import { planFirst } from './first-plan.ts';
import { headingsDigest } from './guess.ts';
import { lockHeld, releaseImport, type HeldImport } from './held.ts';
import type { FileColumns, ReadRows } from './read-thread.ts';
import { openFile, type FileReader } from './threads.ts';

/** From the chunks of a file to its rows, as many in each turn as fit. */

/** More would take up the database for longer than anyone should wait. */
export const MOST_ROWS = 5_000_000;
/** Files that are being read here at the same moment, each by a thread; those of one account leave room for another's. */
const MOST_OPEN = 4;
const MOST_OF_ACCOUNT = 3;
/** Written down in one transaction. */
const ROWS_AT_ONCE = 2_000;
const FEW_AT_ONCE = 300;
const CHARACTERS_AT_ONCE = 1_000_000;
/** A turn waits so long for the thread, and leaves it to the next otherwise. */
const PATIENCE_MS = 500;

/** A file that is being read, how, and up to which row it was handed out. */
type Open = {
  accountId: number;
  how: HowRead | null;
  reader: FileReader;
  looked: Promise<Looked> | undefined;
  next: Promise<ReadRows> | undefined;
  at: number;
  isThrough: boolean;
};

type Means = { db: Db; transact: Transact; me: string };

export type Readers = {
  /** Whether it is being read, or can be. What cannot is left to other nodes. */
  hasRoom(one: { account_id: number; id: number }): boolean;
  /** Reads on for a while. False: it has to wait. */
  readSome(held: HeldImport, until: number, gently: boolean): Promise<boolean>;
  /** What is not among these is not read any more. */
  keepOnly(ids: Set<number>): void;
  close(id: number): void;
};

export function openReaders({ db, transact, me }: Means): Readers {
  const files = new Map<number, Open>();

  const close = (id: number) => {
    files.get(id)?.reader.close();
    files.delete(id);
  };

  const hasRoom: Readers['hasRoom'] = ({ account_id, id }) => {
    const own = [...files.values()].filter(({ accountId }) => accountId === account_id);
    return files.has(id) || (files.size < MOST_OPEN && own.length < MOST_OF_ACCOUNT);
  };

  const open = (held: HeldImport, how: HowRead | null): Open | undefined => {
    const known = files.get(held.id);
    // Someone reads it otherwise now, or what was handed out was not written down: from the beginning, past what is there.
    if (known && isDeepStrictEqual(known.how, how) && known.at === held.last_row) return known;
    close(held.id);
    if (!hasRoom(held)) return undefined;
    const reader = openFile(fileInChunks(db, held.id, held.file_name, held.bytes));
    const file: Open = {
      accountId: held.account_id,
      how,
      reader,
      looked: undefined,
      next: undefined,
      at: held.last_row,
      isThrough: false,
    };
    files.set(held.id, file);
    return file;
  };

  const readSome = async (held: HeldImport, until: number, gently: boolean): Promise<boolean> => {
    const file = open(held, held.how_read);
    if (!file) {
      // Another that was taken up in the same moment had the last place.
      await releaseImport(db, me, held.account_id, held.id);
      return false;
    }
    try {
      if (held.how_read === null) {
        file.looked ??= toldLater(file.reader.look());
        const looked = await inTime(file.looked, PATIENCE_MS);
        // Its directory may name thousands of sheets and texts: others have their turns until the thread is through.
        if (looked === LATE) return false;
        file.how = looked.how;
        await transact((work) => noteLook(work, me, held, looked));
        return true;
      }
      const batches = await gather(file, held.how_read, until, gently ? FEW_AT_ONCE : ROWS_AT_ONCE);
      if (batches.length === 0) return true;
      const isWritten = await transact((work) => writeBatches(work, me, held, batches));
      if (!isWritten || batches.at(-1)!.end) close(held.id);
      else file.at = batches.at(-1)!.last;
      return true;
    } catch (error) {
      close(held.id);
      throw error;
    }
  };

  return {
    hasRoom,
    readSome,
    close,
    keepOnly: (ids) => {
      for (const id of files.keys()) if (!ids.has(id)) close(id);
    },
  };
}

const LATE: unique symbol = Symbol('late');

const inTime = <T>(asked: Promise<T>, ms: number): Promise<T | typeof LATE> =>
  Promise.race([asked, sleep(Math.max(ms, 0), LATE, { ref: false })]);

/** What becomes of it is told to whoever comes to it. */
function toldLater<T>(asked: Promise<T>): Promise<T> {
  asked.catch(() => {});
  return asked;
}

const ask = ({ reader }: Open, how: HowRead, after: number) => toldLater(reader.next(how, after));

/** What the thread has ready. It goes on reading while this is written down. */
async function gather(file: Open, how: HowRead, until: number, most: number): Promise<ReadRows[]> {
  const batches: ReadRows[] = [];
  let [rows, characters] = [0, 0];
  const after = file.at;
  const patience = performance.now() + PATIENCE_MS;
  while (!file.isThrough && rows < most && characters < CHARACTERS_AT_ONCE) {
    file.next ??= ask(file, how, after);
    const left = (rows === 0 ? patience : until) - performance.now();
    const read = await inTime(file.next, left);
    if (read === LATE) break;
    file.isThrough = read.end;
    file.next = read.end ? undefined : ask(file, how, after);
    if (read.number > 0 || read.end) batches.push(read);
    rows += read.number;
    characters += read.rows.length;
  }
  return batches;
}

const LOOKED = sql('imports/reading.looked')`
  update imports set how_read = $3, sheets = $4 where account_id = $1 and id = $2`;

async function noteLook(work: Work, me: string, seen: HeldImport, looked: { how: HowRead; sheets: string[] }) {
  const held = await lockHeld(work, me, seen);
  if (!held || held.how_read !== null) return;
  await query(work.db, LOOKED, [held.account_id, held.id, JSON.stringify(looked.how), looked.sheets]);
}

const PUT = sql('imports/reading.put')`
  insert into import_rows (import_id, row, cells, fault)
  select $1, (r.value ->> 0)::bigint, r.value -> 1, r.value ->> 2 from json_array_elements($2::json) as r`;

const MOVE_ON = sql('imports/reading.move_on')`
  update imports set rows = rows + $3, last_row = greatest(last_row, $4),
         state = case when $5 then 'checking' else state end
   where account_id = $1 and id = $2`;

/** False: it is not what it was when these were read. */
async function writeBatches(work: Work, me: string, seen: HeldImport, batches: ReadRows[]): Promise<boolean> {
  const held = await lockHeld(work, me, seen);
  if (!held || held.state !== 'reading' || held.last_row !== seen.last_row) return false;
  const { account_id, id } = held;
  const number = batches.reduce((sum, batch) => sum + batch.number, 0);
  const { last, end } = batches.at(-1)!;
  refuseRows(held.rows + number, end);
  const columns = batches.find((batch) => batch.columns)?.columns;
  // After a restart the first rows come again, with columns that are known.
  if (columns && held.last_row === 0) await noteColumns(work, held, columns);
  await Promise.all([
    ...batches.filter((batch) => batch.number > 0).map(({ rows }) => query(work.db, PUT, [id, rows])),
    query(work.db, MOVE_ON, [account_id, id, number, last, end]),
  ]);
  return true;
}

function refuseRows(rows: number, end: boolean): void {
  if (end && rows === 0) throw new Unreadable('There are no rows in this file. Choose one with a lead in each row.');
  if (rows > MOST_ROWS)
    throw new Unreadable(`The file has more than ${MOST_ROWS.toLocaleString('en')} rows. Split it into several.`);
}

/** Kept and told; more are looked at to find out what a column holds. */
const MOST_SAMPLES = 5;

const NOTE_COLUMNS = sql('imports/reading.note_columns')`
  update imports set columns = $3, headings = $4, plan = $5 where account_id = $1 and id = $2`;

async function noteColumns(work: Work, held: HeldImport, columns: FileColumns): Promise<void> {
  const headings = held.how_read?.header ? headingsDigest(columns.map(({ name }) => name)) : null;
  const plan = await planFirst(work, held, columns, headings);
  await query(work.db, NOTE_COLUMNS, [
    held.account_id,
    held.id,
    JSON.stringify(columns.map(({ name, samples }) => ({ name, samples: samples.slice(0, MOST_SAMPLES) }))),
    headings,
    JSON.stringify(plan),
  ]);
}
