import { Type } from 'typebox';
import { NewText, Text } from '../../contract/texts.ts';
import { findLead } from '../leads/read.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { listTexts, sendText } from './texts.ts';

export const textRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/leads/:id/texts',
    summary: 'What was written to and by a lead, newest first',
    right: 'leads.read',
    answer: [200, Type.Array(Text)],
    async read(reading, { actor, params }) {
      const id = await findLead(reading, actor, readId(params.id), 'leads.read');
      return { status: 200, body: await listTexts(reading, actor, id) };
    },
  }),
  route({
    method: 'POST',
    path: '/leads/:id/texts',
    summary: 'Send a text message to a lead',
    right: 'calls.make',
    body: NewText,
    answer: [201, Text],
    act: async (work, asked) => ({
      status: 201,
      body: await sendText(work, asked.actor, readId(asked.params.id), () => asked.body.text),
    }),
  }),
];
