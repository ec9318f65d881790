import { Type } from 'typebox';
import { NewView, View, ViewChange } from '../../contract/lead-table.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { addView, changeView, listViews, removeView } from './views.ts';

export const viewRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/views',
    summary: 'Views of the table of leads: one’s own first, then those that others share',
    right: 'leads.read',
    answer: [200, Type.Array(View)],
    read: async (reading, { actor }) => ({ status: 200, body: await listViews(reading, actor) }),
  }),
  route({
    method: 'POST',
    path: '/views',
    summary: 'Keep what the table shows under a name',
    right: 'leads.read',
    body: NewView,
    answer: [201, View],
    act: async (work, { actor, body }) => ({ status: 201, body: await addView(work, actor, body.view) }),
  }),
  route({
    method: 'PATCH',
    path: '/views/:id',
    summary: 'Rename a view, share it, or let it show something else: one’s own, or one shared by someone who has left',
    right: 'leads.read',
    body: ViewChange,
    answer: [200, View],
    act: async (work, asked) => ({
      status: 200,
      body: await changeView(work, asked.actor, readId(asked.params.id), () => asked.body.view),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/views/:id',
    summary: 'Delete a view: one’s own, or one shared by someone who has left',
    right: 'leads.read',
    answer: [204, Type.Null()],
    async act(work, { actor, params }) {
      await removeView(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
];
