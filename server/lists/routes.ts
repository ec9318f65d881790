import { Type } from 'typebox';
import { Column, List, ListRow, ListStats, NewList } from '../../contract/lists.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { createList, findList, listColumns, listLists, toList } from './lists.ts';
import { readStats } from './stats.ts';

export const listRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/lists/:id/columns',
    summary: 'The fields of a list',
    right: 'lists.read',
    answer: [200, Type.Array(Column)],
    async read(reading, { actor, params }) {
      const list = await findList(reading, actor, readId(params.id));
      return { status: 200, body: await listColumns(reading, list) };
    },
  }),
  route({
    method: 'GET',
    path: '/lists/:id/stats',
    summary: 'How many leads are in which state and category',
    right: 'stats.read',
    answer: [200, ListStats],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readStats(reading, actor, readId(params.id)),
    }),
  }),
];

/** At `/api/v2` a list is what the contract says and nothing else; `page-routes.ts` has what the pages see. */
export const listApiRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/lists',
    summary: 'All lists, newest first',
    right: 'lists.index',
    query: Type.Object({
      locked_on_defaults: Type.Optional(
        Type.Unknown({
          description: '`true` or `1`: only lists that guarantee the default fields.',
          published: { type: 'boolean' },
        }),
      ),
    }),
    answer: [200, Type.Array(ListRow)],
    async read(reading, { actor, query }) {
      const { locked_on_defaults: filter } = query;
      return { status: 200, body: await listLists(reading, actor, filter === 'true' || filter === '1') };
    },
  }),
  route({
    method: 'POST',
    path: '/lists',
    summary: 'Create a list',
    right: 'lists.write',
    body: NewList,
    answer: [201, List],
    async act(work, { actor, body }) {
      const list = await createList(work, actor, body.list);
      return { status: 201, body: list, headers: { location: list.location } };
    },
  }),
  route({
    method: 'GET',
    path: '/lists/:id',
    summary: 'One list',
    right: 'lists.read',
    answer: [200, List],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: toList(await findList(reading, actor, readId(params.id))),
    }),
  }),
];
