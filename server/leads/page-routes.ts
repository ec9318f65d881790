import { Type } from 'typebox';
import { Activity, Comment, Duplicate, Merge } from '../../contract/leads.ts';
import { ignoreDuplicate, mergeLeads } from './merge.ts';
import { answerPage, Paging, readPage } from '../platform/paging.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { lockWholeLead } from './access.ts';
import { addComment, deleteComment, editComment } from './comments.ts';
import { findLead, listActivity } from './read.ts';
import { removeLead } from './remove.ts';

const Nothing = Type.Null();

/** For the pages. */
export const leadPageRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/leads/:id/activity',
    summary: 'All that happened to a lead, with who, how, before and after; newest first',
    right: 'leads.read',
    query: Paging,
    answer: [200, Type.Array(Activity)],
    async read(reading, asked) {
      const { actor, params } = asked;
      const id = await findLead(reading, actor, readId(params.id), 'leads.read');
      const page = readPage(asked.query);
      return answerPage(asked, page, await listActivity(reading, actor, id, page));
    },
  }),
  route({
    method: 'POST',
    path: '/leads/:id/comments',
    summary: 'Say something about a lead',
    right: 'leads.outcome',
    body: Comment,
    answer: [201, Type.Object({ id: Type.Integer() })],
    async act(work, asked) {
      const added = await addComment(work, asked.actor, readId(asked.params.id), () => asked.body.comment);
      return added.map(({ id }) => ({ status: 201, body: { id } }));
    },
  }),
  route({
    method: 'PATCH',
    path: '/comments/:id',
    summary: 'Change a comment of one’s own',
    right: 'leads.outcome',
    body: Comment,
    answer: [204, Nothing],
    async act(work, asked) {
      await editComment(work, asked.actor, readId(asked.params.id), () => asked.body.comment);
      return { status: 204 };
    },
  }),
  route({
    method: 'DELETE',
    path: '/comments/:id',
    summary: 'Take a comment of one’s own back',
    right: 'leads.outcome',
    answer: [204, Nothing],
    async act(work, { actor, params }) {
      await deleteComment(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/leads/:id/ignore',
    summary: 'Say that a detected duplicate is none',
    right: 'leads.write',
    body: Duplicate,
    answer: [204, Nothing],
    async act(work, asked) {
      await ignoreDuplicate(work, asked.actor, readId(asked.params.id), () => asked.body.duplicate_id);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/leads/:id/merge',
    summary: 'Make one lead of two: this one stays, the other goes',
    right: 'leads.manage',
    body: Merge,
    answer: [204, Nothing],
    async act(work, asked) {
      await mergeLeads(work, asked.actor, readId(asked.params.id), () => asked.body);
      return { status: 204 };
    },
  }),
  route({
    method: 'DELETE',
    path: '/leads/:id',
    summary: 'Delete a lead with its history',
    right: 'leads.manage',
    answer: [204, Nothing],
    async act(work, { actor, params }) {
      await removeLead(work, actor, await lockWholeLead(work, actor, readId(params.id), 'leads.manage'));
      return { status: 204 };
    },
  }),
];
