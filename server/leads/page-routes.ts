import { Type } from 'typebox';
import { Activity, Comment, DeletedLead, Duplicate, Merge } from '../../contract/leads.ts';
import { Alike, AlikeAsked, FitAsked, ListJob } from '../../contract/list-pages.ts';
import { ComingBack } from '../../contract/retries.ts';
import { ignoreDuplicate, mergeLeads } from './merge.ts';
import { answerPage, Paging, readPage } from '../platform/paging.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { findLeadList } from './access.ts';
import { findAlike } from './alike.ts';
import { addComment, deleteComment, editComment } from './comments.ts';
import { startFit } from './list-jobs.ts';
import { findLead, listActivity } from './read.ts';
import { deleteOneLead, listDeletedLeads, restoreLead } from './deleted.ts';
import { renewLead } from './renew.ts';
import { readComingBack } from './tries.ts';

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
    method: 'GET',
    path: '/leads/:id/coming_back',
    summary: 'What would become of a lead that gets a call back without a time now, by category',
    right: 'leads.outcome',
    answer: [200, ComingBack],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readComingBack(reading, actor, readId(params.id)),
    }),
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
    method: 'POST',
    path: '/lists/:id/alike',
    summary: 'Leads that a new one with these values might be',
    right: 'leads.write',
    body: AlikeAsked,
    answer: [200, Type.Array(Alike)],
    async act(work, asked) {
      const list = await findLeadList(work, asked.actor, readId(asked.params.id), 'leads.write');
      return { status: 200, body: await findAlike(work, asked.actor, list, asked.body.lead) };
    },
  }),
  route({
    method: 'POST',
    path: '/lists/:id/fields/:field_id/fit',
    kind: 'dear',
    summary: 'How many values of a field would not fit another kind',
    right: 'lists.write',
    body: FitAsked,
    answer: [200, ListJob],
    act: async (work, asked) => ({
      status: 200,
      body: await startFit(
        work,
        asked.actor,
        { listId: readId(asked.params.id), fieldId: readId(asked.params.field_id) },
        () => asked.body.field,
      ),
    }),
  }),
  route({
    method: 'POST',
    path: '/leads/:id/renew',
    summary: 'Make a lead new again, as if nobody had called it; its history and its claim stay',
    right: 'leads.outcome',
    answer: [204, Nothing],
    async act(work, { actor, params }) {
      const renewed = await renewLead(work, actor, readId(params.id));
      return renewed.map(() => ({ status: 204 }));
    },
  }),
  route({
    method: 'DELETE',
    path: '/leads/:id',
    summary: 'Delete a lead with its history; for a week it can be brought back',
    right: 'leads.manage',
    answer: [204, Nothing],
    async act(work, { actor, params }) {
      await deleteOneLead(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/leads/:id/restore',
    summary: 'Bring a deleted lead back, where and as it was',
    right: 'leads.manage',
    answer: [204, Nothing],
    async act(work, { actor, params }) {
      await restoreLead(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/leads/deleted',
    summary: 'The leads that were deleted last and can be brought back',
    right: 'leads.manage',
    query: Type.Object({
      id: Type.Optional(Type.Integer({ description: 'Only this lead, however many went later.' })),
    }),
    answer: [200, Type.Array(DeletedLead)],
    read: async (reading, { actor, query }) => ({
      status: 200,
      body: await listDeletedLeads(reading, actor, query.id ?? null),
    }),
  }),
];
