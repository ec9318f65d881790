import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { CHUNK_BYTES, type ImportState } from '../../contract/imports.ts';
import type { Actor } from '../platform/actor.ts';
import { one, PLAN_ANEW, query, type Db } from '../platform/db.ts';
import { conflict, tooBusy } from '../platform/errors.ts';
import { openLanes } from '../platform/lanes.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import type { FileSource } from './files/source.ts';

/** A file arrives in chunks, each a row of the database: whoever goes on with it finds them there, whatever became of the node. */

/** Chunks that are in memory at the same moment, on their way in: the others wait at the door. */
const MOST_AT_ONCE = 24;
const OF_ONE = 2;
const MOST_WAITING = 100;

/** Bytes as they are, for as many at once as there is room for. */
export function acceptChunks(scope: FastifyInstance): void {
  const lanes = openLanes({ most: MOST_AT_ONCE, each: OF_ONE, waiting: MOST_WAITING, tooMany: tooBusy });
  scope.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes),
  );
  scope.addHook('preParsing', async ({ actor }, { raw }, payload) => {
    const leave = await lanes.enter(`${actor?.account.id} ${actor?.user?.id}`);
    if (raw.destroyed) leave();
    else raw.once('close', () => leave());
    return payload;
  });
}

type Announced = { id: number; state: ImportState; bytes: number; received: number };

const LOCK = sql('imports/chunks.lock')`
  select id, state, bytes, received from imports where account_id = $1 and id = $2 for no key update`;
const PUT = sql('imports/chunks.put')`
  insert into import_chunks (import_id, place, digest, bytes) values ($1, $2, $3, $4)
  on conflict (import_id, place) do nothing returning place`;
// Planned anew, here and wherever parts are read: a general plan locks those of all imports.
const KNOWN = sql('imports/chunks.known')`${PLAN_ANEW}
  select digest from import_chunks where import_id = $1 and place = $2`;
const RECEIVE = sql('imports/chunks.receive')`
  update imports set received = received + $3, went_on_at = clock_timestamp() where account_id = $1 and id = $2`;
const COMPLETE = sql('imports/chunks.complete')`${PLAN_ANEW}
  update imports set state = 'reading', received_at = clock_timestamp(), digest = (
           select encode(sha256(convert_to(string_agg(c.digest, '' order by c.place), 'UTF8')), 'hex')
             from import_chunks c where c.import_id = $2)
   where account_id = $1 and id = $2`;

export type Received = { received: number; state: ImportState };

/** The same chunk may come again: who lost the connection does not know whether it arrived. */
export async function receiveChunk(
  work: Work,
  actor: Actor,
  id: number | undefined,
  place: string | undefined,
  bytes: unknown,
): Promise<Received> {
  const own = [actor.account.id, id ?? 0];
  const file = await one<Announced>(work.db, LOCK, own);
  const at = readPlace(file, place);
  if (!Buffer.isBuffer(bytes))
    throw invalid({ chunk: ['must be sent as it is, with Content-Type: application/octet-stream'] });
  const expected = Math.min(CHUNK_BYTES, file.bytes - at * CHUNK_BYTES);
  if (bytes.length !== expected)
    throw invalid({ chunk: [`must have ${expected} bytes, and has ${bytes.length}: the file may have changed`] });
  const digest = createHash('sha256').update(bytes).digest('hex');
  const isNew = file.state === 'uploading' && (await query(work.db, PUT, [file.id, at, digest, bytes])).length > 0;
  if (!isNew) {
    await refuseOther(work, file, at, digest);
    return { received: file.received, state: file.state };
  }
  await query(work.db, RECEIVE, [...own, bytes.length]);
  const received = file.received + bytes.length;
  if (received < file.bytes) return { received, state: 'uploading' };
  await query(work.db, COMPLETE, own);
  work.nudge('imports');
  return { received, state: 'reading' };
}

function readPlace({ bytes }: Announced, text = ''): number {
  const most = Math.ceil(bytes / CHUNK_BYTES) - 1;
  const place = /^\d{1,6}$/.test(text) ? Number(text) : Infinity;
  if (place > most) throw invalid({ place: [`must be from 0 to ${most}: the file has ${bytes} bytes`] });
  return place;
}

async function refuseOther({ db }: Work, { id, state }: Announced, place: number, digest: string): Promise<void> {
  const [known] = await query<{ digest: string }>(db, KNOWN, [id, place]);
  if (known?.digest === digest) return;
  throw known
    ? conflict('other_chunk', 'Something else arrived in this place before: the file has changed. Upload it anew.')
    : conflict('not_uploading', `This import is ${state}: nothing can be added to its file.`);
}

const SLICE = sql('imports/chunks.slice')`${PLAN_ANEW}
  select substring(bytes from $3::int + 1 for $4::int) as bytes from import_chunks where import_id = $1 and place = $2`;

/** The file as it lies in the database. */
export const fileInChunks = (db: Db, importId: number, name: string, bytes: number): FileSource => ({
  name,
  bytes,
  async read(from, length) {
    const end = Math.min(from + length, bytes);
    const pieces: Buffer[] = [];
    for (let at = from; at < end;) {
      const place = Math.floor(at / CHUNK_BYTES);
      const to = Math.min(end, (place + 1) * CHUNK_BYTES);
      const values = [importId, place, at - place * CHUNK_BYTES, to - at];
      pieces.push((await one<{ bytes: Buffer }>(db, SLICE, values)).bytes);
      at = to;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  },
});
