import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readFile, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../db/disk.ts';
import { Refusal } from '../../db/refusal.ts';
import { query, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Log } from '../platform/log.ts';
import { partOf, repairRecording } from '../telephony/media/repair.ts';

/**
 * Where recordings are finished and wait to be stored: a folder that only we may read. It has given itself a name, in the file `id`, by which its
 * recordings are found again when the machine has got another one, or another place for it.
 */
export type Incoming = { path: string; id: string };

const ID = 'id';

/** `former`: where they waited in earlier versions, if that was elsewhere. */
export function openIncoming(path: string, former = path): Incoming {
  try {
    makeFolder(path, 0o700);
    const folder = lstatSync(path);
    const user = process.getuid?.() ?? 0;
    if (!folder.isDirectory() || (user !== 0 && folder.uid !== user))
      throw new Refusal(`${path} is no folder of ours, and recordings are to wait there. Move away what is there.`);
    chmodSync(path, 0o700);
    if (former !== path && existsSync(former)) bringOver(former, path);
    for (const name of readdirSync(path)) if (name.endsWith('.wav')) chmodSync(join(path, name), 0o600);
  } catch (error) {
    if (error instanceof Refusal || !isDiskTrouble(error)) throw toRefusal(path, error);
  }
  return { path, id: nameFolder(path) };
}

function bringOver(former: string, path: string): void {
  for (const name of readdirSync(former)) {
    if (!name.endsWith('.wav')) continue;
    copyFileSync(join(former, name), join(path, name));
    unlinkSync(join(former, name));
  }
}

/** The name a folder has given itself, once. */
export function nameFolder(path: string): string {
  const file = join(path, ID);
  const fresh = randomUUID();
  try {
    makeFolder(path, 0o700);
    writeFileSync(file, `${fresh}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return fresh;
  } catch (error) {
    try {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return readFileSync(file, 'utf8').trim() || nameAnew(file, fresh);
    } catch (trouble) {
      // A disk without room takes no recording either; that is told of each, and what comes after may be kept.
      if (isDiskTrouble(trouble)) return fresh;
      throw toRefusal(path, trouble);
    }
  }
}

/** A disk that was full took the file and not what stands in it, unless another node is just writing that. */
function nameAnew(file: string, fresh: string): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  const said = readFileSync(file, 'utf8').trim();
  if (said) return said;
  const unfinished = `${file}.${fresh}`;
  try {
    writeFileSync(unfinished, `${fresh}\n`, { mode: 0o600, flush: true });
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return fresh;
}

/** Whether it is this folder that is there, and not the place where its disk was, or another one. */
export const isInPlace = ({ path, id }: Incoming): Promise<boolean> =>
  readFile(join(path, ID), 'utf8').then(
    (name) => name.trim() === id,
    () => false,
  );

const isDiskTrouble = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');

const toRefusal = (path: string, error: unknown): Error =>
  error instanceof Refusal
    ? error
    : new Refusal(
        `${path} cannot be used (${(error as NodeJS.ErrnoException).code}), and recordings are to wait there. ` +
          'Give its owner the right to write, or set RECORDINGS or DATA_DIR to another folder.',
      );

const DAY_MS = 86_400_000;
/** Whoever wrote it has told of it by then, or is gone. */
const SETTLED_MS = 60_000;
const END = partOf('.wav');
const GROWS_MS = 20_000;

const OWN = sql('recordings/incoming.own')`
  update recordings set folder = $1 where file = any ($2::text[]) and folder is distinct from $1`;
const NAMED = sql('recordings/incoming.named')`select file from recordings where file = any ($1::text[])`;
// Finished, and its node was killed before it could say so.
const ADOPT = sql('recordings/incoming.adopt')`
  insert into recordings (account_id, call_id, part, started_at, file, folder)
  select c.account_id, c.id, '1', coalesce(c.answered_at, c.started_at), found.file, $3
    from unnest($2::text[], $4::text[]) as found (file, subject)
    join calls c on c.carrier = $1 and c.carrier_call_id = found.subject
   where not exists (select from recordings r where r.account_id = c.account_id and r.call_id = c.id)
  on conflict do nothing returning file`;

// Taken for lost while it could not be seen.
const FIND_AGAIN = sql('recordings/incoming.find_again')`
  update recordings r set file = found.file, folder = $3, removed_at = null, error = null, failed_at = null
    from unnest($2::text[], $4::text[]) as found (file, subject)
    join calls c on c.carrier = $1 and c.carrier_call_id = found.subject
   where r.account_id = c.account_id and r.call_id = c.id and r.part = '1' and r.file is null and r.ready_at is null
  returning r.file`;

type Sweeping = { db: Db; incoming: Incoming; carrier: string; log: Log };

/**
 * What lies here is taken for what it is: another folder's no more, a recording that nobody told of, or, after a day, rubbish. Answers whether
 * something is left that may be more when it has lain a while.
 */
export async function sweepIncoming({ db, incoming, carrier, log }: Sweeping): Promise<boolean> {
  const { path, id } = incoming;
  const goesOn = await repairLeft({ db, incoming, carrier, log });
  const files = (await readdir(path)).filter((name) => name !== ID);
  if (files.length === 0) return false;
  await query(db, OWN, [id, files]);
  const named = new Set((await query<{ file: string | null }>(db, NAMED, [files])).map(({ file }) => file));
  const ages = new Map<string, number>();
  for (const name of files) {
    const found = named.has(name) ? undefined : await lookAt(join(path, name));
    if (found) ages.set(name, Date.now() - found.mtimeMs);
  }

  const finished = [...ages].flatMap(([name, age]) => (name.endsWith('.wav') && age > SETTLED_MS ? [name] : []));
  const subjects = finished.map((name) => name.slice(0, -'.wav'.length));
  const take = async (text: typeof ADOPT, saying: string) => {
    const taken = await query<{ file: string | null }>(db, text, [carrier, finished, id, subjects]);
    for (const { file } of taken) ages.delete(file!);
    if (taken.length > 0) log.info({ recordings: taken.length }, saying);
  };
  await take(ADOPT, 'Recordings of a node that was killed were found');
  await take(FIND_AGAIN, 'Recordings that were taken for lost were found');

  const isYoung = goesOn || [...ages.values()].some((age) => age <= SETTLED_MS);
  if (!(await isInPlace(incoming))) return isYoung;
  const old = [...ages].flatMap(([name, age]) => (age > DAY_MS ? [name] : []));
  for (const name of old) await unlink(join(path, name));
  if (old.length > 0) log.info({ files: old.length }, 'Files that belong to no call were removed');
  return isYoung;
}

/** Unless it has become something else since, or is stored. */
const lookAt = (file: string) => stat(file).catch(() => undefined);

const GOING_ON = sql('recordings/incoming.going_on')`
  select carrier_call_id as subject from calls
   where carrier = $1 and carrier_call_id = any ($2::text[]) and state <> 'completed'`;

/**
 * What a killed process was recording becomes a recording that can be played as far as it goes. Whoever still records writes every half second, and a
 * file that has not grown for so long is nobody's, unless its call goes on: then the machine only slept. Answers whether there is such a one.
 */
async function repairLeft({ db, incoming: { path }, carrier, log }: Sweeping): Promise<boolean> {
  const subjects = (await readdir(path)).flatMap((name) => (name.endsWith(END) ? [name.slice(0, -END.length)] : []));
  if (subjects.length === 0) return false;
  const going = await query<{ subject: string | null }>(db, GOING_ON, [carrier, subjects]);
  let repaired = 0;
  for (const subject of subjects) {
    const name = `${subject}${END}`;
    const part = join(path, name);
    const found = await lookAt(part);
    if (!found || Date.now() - found.mtimeMs < GROWS_MS || going.some((one) => one.subject === subject)) continue;
    try {
      const mended = await repairRecording(join(path, `${subject}.wav`));
      if (!mended) continue;
      // As old as it was: it is taken as soon as one that was whole.
      await utimes(mended.file, found.atime, found.mtime);
      repaired += 1;
    } catch (error) {
      log.error({ err: error, file: name }, 'What was left of a recording could not be mended');
    }
  }
  if (repaired > 0) log.info({ recordings: repaired }, 'Recordings that a killed process had begun were mended');
  return going.length > 0;
}
