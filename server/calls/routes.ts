import { Call } from '../../contract/calls.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { readCall } from './calls.ts';

export const callRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/calls/:id',
    summary: 'One call',
    right: 'calls.read',
    answer: [200, Call],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readCall(reading, actor, readId(params.id)),
    }),
  }),
];
