import { Type } from 'typebox';
import { BulkAct, BulkQuestion, NewBulkAct } from '../../contract/bulk.ts';
import { nameFile } from '../platform/file-names.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { listBulkActs, readBulkAct, startBulkAct, stopBulkAct } from './bulk.ts';
import { writeRefused } from './file.ts';
import { askBulkAct } from './question.ts';
import { undoBulkAct } from './undo.ts';

export const bulkRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/bulk/question',
    kind: 'dear',
    summary: 'What an act on many leads would do, before it is done',
    right: 'leads.bulk',
    body: NewBulkAct,
    answer: [200, BulkQuestion],
    act: async (work, { actor, body }) => ({ status: 200, body: await askBulkAct(work, actor, body.bulk) }),
  }),
  route({
    method: 'POST',
    path: '/bulk',
    kind: 'dear',
    summary: 'Delegate, release, move, archive, renew, change or delete many leads; goes on in the background',
    right: 'leads.bulk',
    body: NewBulkAct,
    answer: [202, BulkAct],
    act: async (work, { actor, body }) => ({ status: 202, body: await startBulkAct(work, actor, body.bulk) }),
  }),
  route({
    method: 'GET',
    path: '/bulk',
    summary: 'The newest of the account',
    right: 'leads.bulk',
    answer: [200, Type.Array(BulkAct)],
    read: async (reading, { actor }) => ({ status: 200, body: await listBulkActs(reading, actor) }),
  }),
  route({
    method: 'GET',
    path: '/bulk/:id',
    summary: 'How far it has come',
    right: 'leads.bulk',
    answer: [200, BulkAct],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readBulkAct(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'POST',
    path: '/bulk/:id/stop',
    summary: 'Stop it; what was done stays done',
    right: 'leads.bulk',
    answer: [200, BulkAct],
    act: async (work, { actor, params }) => ({
      status: 200,
      body: await stopBulkAct(work, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'POST',
    path: '/bulk/:id/undo',
    summary: 'Put back what still is as it left it; an act of its own',
    right: 'leads.bulk',
    answer: [202, BulkAct],
    act: async (work, { actor, params }) => ({
      status: 202,
      body: await undoBulkAct(work, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/bulk/:id/refused',
    kind: 'dear',
    summary: 'The leads to which nothing was done, and why, as CSV',
    right: 'leads.bulk',
    answer: [200, Type.String({ description: 'CSV: lead, its identifiers, its list, why.' })],
    read: async (reading, { actor, params }) => {
      const act = await readBulkAct(reading, actor, readId(params.id));
      const headers = {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': nameFile('attachment', `leads-not-done-${act.id}.csv`),
      };
      return { status: 200, pieces: (inTurn) => writeRefused(inTurn, actor, act), headers };
    },
  }),
];
