import { basename } from 'node:path';
import type { Import } from '../../contract/imports.ts';
import type { Imports } from '../../db/schema.ts';
import { audit } from '../audit/audit.ts';
import { findLeadList } from '../leads/access.ts';
import { DELETED_LISTS } from '../lists/people.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { invalid, named } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading, Work } from '../platform/work.ts';
import { emptyPart, openParts, STAGED } from './staging.ts';
import { toImport, type ToldRow } from './told.ts';

/** Files with leads: announced, told, stopped, discarded. */

/** Of one person, not all here yet. */
const MOST_UPLOADING = 10;
/** Of an account, not imported yet: in all as many bytes as so many of the largest files have, and so many files. */
const MOST_OF_THE_LARGEST = 10;
/** Of these, so that colleagues have room whatever one person announces. */
const MOST_OF_ONE_PERSON = MOST_OF_THE_LARGEST / 2;
const MOST_WAITING = 300;
const MOST_WAITING_OF_ONE_PERSON = MOST_WAITING / 2;

// One that was discarded counts until its parts are dropped.
const WAITING = sql('imports/imports.waiting')`
  select count(*) as files, coalesce(sum(i.bytes), 0)::bigint as bytes,
         coalesce(sum(i.bytes) filter (where i.user_id = $2), 0)::bigint as own_bytes,
         count(*) filter (where i.user_id = $2) as own_files,
         count(*) filter (where i.state = 'uploading' and i.user_id = $2) as uploading
    from import_parts p left join imports i on i.account_id = p.account_id and i.id = p.import_id
   where p.account_id = $1 and i.begun_at is null`;
type Waiting = { files: number; bytes: number; own_bytes: number; own_files: number; uploading: number };
const INSERT = sql('imports/imports.insert')`
  insert into imports (account_id, user_id, via, address, file_name, bytes, list_id, list_name)
  values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`;

type Announced = { file_name: string; bytes: number; list_id?: number };

/** `limit`: how many bytes a file may have. */
export async function announceImport(work: Work, actor: Actor, file: Announced, limit: number): Promise<Import> {
  if (file.bytes === 0) throw invalid({ file: ['is empty'] });
  if (file.bytes > limit)
    throw invalid({
      file: [`has ${inMegabytes(file.bytes)}; at most ${inMegabytes(limit)} can be uploaded. Split it`],
    });
  const list =
    file.list_id === undefined
      ? undefined
      : await named('list_id', 'names no list', findLeadList(work, actor, file.list_id, 'leads.import'));
  const own = [actor.account.id, actor.user!.id];
  const { files, bytes, own_bytes, own_files, uploading } = await one<Waiting>(work.db, WAITING, own);
  const refuse = (sentence: string) => conflict('too_many_uploads', sentence);
  if (uploading >= MOST_UPLOADING)
    throw refuse(`${MOST_UPLOADING} of your files are not all here yet. Go on with one of them, or discard it.`);
  const refuseMore = (whose: string, most: number) =>
    refuse(
      `With this one, ${whose} that were not imported would have more than ${inMegabytes(most)}. Import some of them, or discard them.`,
    );
  const [most, mostOwn] = [MOST_OF_THE_LARGEST * limit, MOST_OF_ONE_PERSON * limit];
  if (own_bytes + file.bytes > mostOwn) throw refuseMore('files of yours', mostOwn);
  if (bytes + file.bytes > most) throw refuseMore('files', most);
  if (own_files >= MOST_WAITING_OF_ONE_PERSON)
    throw refuse(
      `${MOST_WAITING_OF_ONE_PERSON} of your files were not imported. Import some of them, or discard them.`,
    );
  if (files >= MOST_WAITING)
    throw refuse(
      `${MOST_WAITING} files were not imported, or discarded in the last hour. Import some of them, or discard them and wait.`,
    );
  const { id } = await one<{ id: number }>(work.db, INSERT, [
    ...own,
    actor.via,
    actor.address,
    basename(file.file_name.replaceAll('\\', '/')).trim() || 'file',
    file.bytes,
    list?.id ?? null,
    list?.name ?? '',
  ]);
  await openParts(work.db, actor.account.id, id);
  return readImport(work, actor, id);
}

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 100_000) / 10} MB`;

const SAME_FILE = `(
  select json_build_object('at', ${isoOf('s.begun_at')}, 'file_name', s.file_name, 'first_name', w.first_name,
           'last_name', w.last_name, 'email', w.email)
    from imports s join users w on w.account_id = s.account_id and w.id = s.user_id
   where s.account_id = i.account_id and s.digest = i.digest and s.id <> i.id and s.begun_at is not null
     and s.state <> 'undone' order by s.id desc limit 1)`;

// Deleted lists are there for nobody.
const LIST = `(
  select json_build_object('id', li.id, 'name', li.name) from lists li
   where li.account_id = i.account_id and li.id = i.list_id and li.id not in ${DELETED_LISTS})`;

const TOLD = `
  select i.id, i.state, i.refusal, i.file_name, i.bytes, i.received, i.how_read, i.sheets, i.plan, i.version, i.rows,
         i.counts, i.done, i.made, i.updated, i.left_out, i.removed, i.put_back, i.kept, i.staged, i.created_at,
         i.received_at, i.begun_at, i.stopped_at, i.finished_at, i.undo_begun_at, i.undone_at, u.first_name,
         u.last_name, u.email, ${LIST} as list, ${SAME_FILE} as same_file, clock_timestamp() as now`;
const FROM = 'from imports i join users u on u.account_id = i.account_id and u.id = i.user_id';

const READ = sql('imports/imports.read')`${TOLD}, i.columns ${FROM} where i.account_id = $1 and i.id = $2`;
const NEWEST = sql('imports/imports.newest')`
  ${TOLD} ${FROM} where i.account_id = $1 and ($2::bigint is null or i.list_id = $2) order by i.id desc limit 100`;

export const readImport = async ({ db }: Reading, actor: Actor, id: number | undefined): Promise<Import> =>
  toImport(await one<ToldRow>(db, READ, [actor.account.id, id ?? 0]));

/** The last ones of the account, or of one list, newest first; their columns are read and told of one alone: they may be long. */
export async function listImports({ db }: Reading, actor: Actor, listId: number | undefined): Promise<Import[]> {
  const rows = await query<Omit<ToldRow, 'columns'>>(db, NEWEST, [actor.account.id, listId ?? null]);
  return rows.map((row) => toImport({ ...row, columns: [] }));
}

// Whoever is at work on it is waited for.
const LOCK = sql('imports/imports.lock')`select * from imports where account_id = $1 and id = $2 for update`;

export const lockImport = ({ db }: Work, actor: Actor, id: number | undefined): Promise<Imports> =>
  one<Imports>(db, LOCK, [actor.account.id, id ?? 0]);

const DELETE = sql('imports/imports.delete')`delete from imports where account_id = $1 and id = $2`;

/** Before it ran. Its parts are emptied now and go later: that would wait for everyone who reads or writes another. */
export async function discardImport(work: Work, actor: Actor, id: number | undefined): Promise<void> {
  const found = await lockImport(work, actor, id);
  if (found.begun_at) throw conflict('has_run', 'It has run, and stays in the history. Undo it instead.');
  if (found.staged) for (const part of STAGED) await emptyPart(work.db, part, found.id);
  await query(work.db, DELETE, [actor.account.id, found.id]);
}

const STOP = sql('imports/imports.stop')`
  update imports set state = 'finished', goes_on = false, stopped_at = now(), finished_at = clock_timestamp()
   where account_id = $1 and id = $2`;

/** What is in stays in. One that is finished is told as it ended. */
export async function stopImport(work: Work, actor: Actor, id: number | undefined): Promise<Import> {
  const { id: own, state, goes_on, file_name } = await lockImport(work, actor, id);
  if (state === 'undoing') throw conflict('cannot_be_stopped', 'It is being undone, which cannot be stopped.');
  if (state === 'running' || goes_on) {
    await query(work.db, STOP, [actor.account.id, own]);
    await audit(work, actor, 'import.stopped', file_name);
  } else if (state !== 'finished' && state !== 'undone') {
    throw conflict('not_running', 'Nothing of it is running yet. Discard it instead.');
  }
  return readImport(work, actor, own);
}
