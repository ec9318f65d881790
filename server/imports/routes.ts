import { Type } from 'typebox';
import {
  CHUNK_BYTES,
  Import,
  ImportChange,
  ImportSample,
  ImportStart,
  NewImport,
  ReceivedChunk,
} from '../../contract/imports.ts';
import { nameFile } from '../platform/file-names.ts';
import { readId } from '../platform/read.ts';
import { readAfter, route, type Route } from '../platform/route.ts';
import type { Answer, House } from '../platform/work.ts';
import { changeImport } from './change.ts';
import { receiveChunk } from './chunks.ts';
import { findFile, isWhole, writeFaulty } from './faulty.ts';
import { announceImport, discardImport, listImports, readImport, stopImport } from './imports.ts';
import { writeKept } from './kept.ts';
import { sampleImport } from './sample.ts';
import { startImport } from './start.ts';
import { undoImport } from './undo.ts';

const right = 'leads.import' as const;

const asCsv = (name: string, pieces: Answer['pieces']): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': nameFile('attachment', name) },
  ...(pieces && { pieces }),
});

/** Bodies here are bytes. */
export const chunkRoutes: Route[] = [
  route({
    method: 'PUT',
    path: '/imports/:id/chunks/:place',
    kind: 'dear',
    summary: 'One chunk of the file, as it is; the same may be sent again',
    right,
    bodyLimit: CHUNK_BYTES,
    answer: [200, ReceivedChunk],
    act: async (work, { actor, params, body }) => ({
      status: 200,
      body: await receiveChunk(work, actor, readId(params.id), params.place, body),
    }),
  }),
];

export const importRoutes = ({ uploadLimit }: Pick<House, 'uploadLimit'>): Route[] => [
  route({
    method: 'POST',
    path: '/imports',
    summary: 'Announce a file with leads; its chunks follow',
    right,
    body: NewImport,
    answer: [201, Import],
    act: async (work, { actor, body }) => ({
      status: 201,
      body: await announceImport(work, actor, body.import, uploadLimit),
    }),
  }),
  route({
    method: 'GET',
    path: '/imports',
    summary: 'The last ones of the account, or of a list; without the columns of their files',
    right,
    query: Type.Object({ list_id: Type.Optional(Type.Integer()) }),
    answer: [200, Type.Array(Import)],
    read: async (reading, { actor, query }) => ({
      status: 200,
      body: await listImports(reading, actor, query.list_id),
    }),
  }),
  route({
    method: 'GET',
    path: '/imports/:id',
    summary: 'How it stands',
    right,
    answer: [200, Import],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readImport(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/imports/:id',
    summary: 'How the file is read, and what becomes of it; what that changes is found out anew in the background',
    right,
    body: ImportChange,
    answer: [200, Import],
    act: async (work, asked) => {
      const id = readId(asked.params.id);
      const { import: change } = await readAfter(asked, 'body', () => readImport(work, asked.actor, id));
      return { status: 200, body: await changeImport(work, asked.actor, id, change) };
    },
  }),
  route({
    method: 'GET',
    path: '/imports/:id/sample',
    kind: 'dear',
    summary: 'The first rows as the leads will look, and the first faulty ones',
    right,
    answer: [200, ImportSample],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await sampleImport(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'POST',
    path: '/imports/:id/start',
    summary: 'Run it, in the background; new fields and a new list are made at once',
    right,
    body: ImportStart,
    answer: [202, Import],
    act: async (work, asked) => {
      const id = readId(asked.params.id);
      const { import: seen } = await readAfter(asked, 'body', () => readImport(work, asked.actor, id));
      await startImport(work, asked.actor, id, seen.version);
      return { status: 202, body: await readImport(work, asked.actor, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/imports/:id/stop',
    summary: 'Stop it; what is in stays in',
    right,
    answer: [200, Import],
    act: async (work, { actor, params }) => ({ status: 200, body: await stopImport(work, actor, readId(params.id)) }),
  }),
  route({
    method: 'POST',
    path: '/imports/:id/undo',
    summary: 'Take back what it did and nobody has touched since, in the background',
    right,
    answer: [202, Import],
    act: async (work, { actor, params }) => {
      await undoImport(work, actor, readId(params.id));
      return { status: 202, body: await readImport(work, actor, readId(params.id)) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/imports/:id',
    summary: 'Discard it before it ran',
    right,
    answer: [204, Type.Null()],
    act: async (work, { actor, params }) => {
      await discardImport(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/imports/:id/faulty',
    kind: 'dear',
    summary: 'Its faulty rows, and why, as CSV that can be mended and uploaded',
    right,
    answer: [200, Type.String({ description: 'CSV: the columns of the file, Reason.' })],
    read: async (reading, { actor, params }) => {
      const file = await findFile(reading, actor, readId(params.id));
      const name = `${file.file_name.replace(/\.\w{1,5}$/, '')}-faulty${isWhole(file) ? '' : '-so-far'}.csv`;
      return asCsv(name, (inTurn) => writeFaulty(inTurn, file));
    },
  }),
  route({
    method: 'GET',
    path: '/imports/:id/kept',
    kind: 'dear',
    summary: 'The leads that an undo left as they are, and why, as CSV',
    right,
    answer: [200, Type.String({ description: 'CSV: lead, its identifiers, its list, why.' })],
    read: async (reading, { actor, params }) => {
      const file = await findFile(reading, actor, readId(params.id));
      return asCsv(`leads-kept-${file.id}.csv`, (inTurn) => writeKept(inTurn, file));
    },
  }),
];
