import type { FastifyInstance } from 'fastify';
import { one } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { RecordingTrouble } from '../../contract/recordings.ts';
import { notFound } from '../platform/errors.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import type { Reading } from '../platform/work.ts';
import { isLinkValid } from './links.ts';
import { readTrouble } from './recordings.ts';
import { sendRecording } from './serve.ts';
import { keyOf, type Store } from './store.ts';

const FIND = sql('recordings/routes.find')`
  select account_id, id, started_at from recordings where id = $1 and ready_at is not null and removed_at is null`;

/** Recordings open to whoever has a link that we signed: players and clients fetch them without a header. */
export function addRecordings(app: FastifyInstance, { db, secrets }: Reading, store: Store): void {
  app.get<{ Params: { file: string }; Querystring: Record<string, unknown> }>(
    '/recordings/:file',
    async (request, reply) => {
      const id = readId(/^(\d+)\.wav$/.exec(request.params.file)?.[1]);
      if (id === undefined || !isLinkValid(secrets, id, request.query)) throw notFound();
      const recording = await one<{ account_id: number; id: number; started_at: Date }>(db, FIND, [id]);
      const name = `call ${recording.started_at.toISOString().slice(0, 16).replace('T', ' ').replace(':', '.')}.wav`;
      return sendRecording(store, keyOf(recording), request, reply, name);
    },
  );
}

/** For the pages. */
export const recordingRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/recordings/trouble',
    summary: 'Recordings that cannot be stored, and those that are lost',
    right: 'account.manage',
    answer: [200, RecordingTrouble],
    read: async (reading, { actor }) => ({ status: 200, body: await readTrouble(reading, actor) }),
  }),
];
