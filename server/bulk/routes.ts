import { BulkAct, NewBulkAct } from '../../contract/bulk.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { readBulkAct, startBulkAct } from './bulk.ts';

export const bulkRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/bulk',
    kind: 'dear',
    summary: 'Delegate, migrate, archive or delete many leads; goes on in the background',
    right: 'leads.bulk',
    body: NewBulkAct,
    answer: [202, BulkAct],
    act: async (work, { actor, body }) => ({ status: 202, body: await startBulkAct(work, actor, body.bulk) }),
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
];
