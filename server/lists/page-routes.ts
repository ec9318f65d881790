import { Type } from 'typebox';
import { List } from '../../contract/lists.ts';
import {
  DeletedList,
  Field,
  FieldChange,
  Fields,
  ListAtPages,
  ListChange,
  ListCopy,
  ListDeletion,
  ListJob,
  ListOverview,
  ListPeople,
  ListPeopleChange,
  ListProgress,
  ListWithSettings,
  NewField,
  NewListAtPages,
  Renaming,
} from '../../contract/list-pages.ts';
import { MOST_LISTS, Subjects, SubjectsAsked } from '../../contract/lead-table.ts';
import { invalid, readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { changeListPeople, readListPeople } from './assigned.ts';
import { renameCategory } from './categories.ts';
import { copyList } from './copy.ts';
import { deleteList, listDeletedLists, restoreList } from './deleted.ts';
import { addField, changeField, listFields, removeField } from './fields.ts';
import { readListJob } from './jobs.ts';
import { createList, findList, listListsAtPages } from './lists.ts';
import { listProgress, readOverview } from './progress.ts';
import { changeList, readListWithSettings } from './settings.ts';
import { readSubjects } from './subjects.ts';

/** Lists for the pages: how they stand, and every change of them. */
export const listPageRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/lists',
    summary: 'All lists, newest first, with how they stand',
    right: 'lists.index',
    answer: [200, Type.Array(ListAtPages)],
    read: async (reading, { actor }) => ({ status: 200, body: await listListsAtPages(reading, actor) }),
  }),
  route({
    method: 'POST',
    path: '/lists',
    summary: 'Create a list',
    right: 'lists.write',
    body: NewListAtPages,
    answer: [201, List],
    async act(work, { actor, body }) {
      const list = await createList(work, actor, body.list);
      return { status: 201, body: list, headers: { location: list.location } };
    },
  }),
  route({
    method: 'GET',
    path: '/lists/progress',
    summary: 'How far every list is: leads by state, due, people, last activity',
    right: 'stats.read',
    answer: [200, Type.Array(ListProgress)],
    read: async (reading, { actor }) => ({ status: 200, body: await listProgress(reading, actor) }),
  }),
  route({
    method: 'GET',
    path: '/lists/:id',
    summary: 'One list, with what can be changed about it',
    right: 'lists.read',
    answer: [200, ListWithSettings],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readListWithSettings(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/lists/:id',
    summary: 'Change a list: its name, script, categories, queue, claims, duplicates, caller ID; pause and archive it',
    right: 'lists.write',
    body: ListChange,
    answer: [200, ListWithSettings],
    act: async (work, asked) => ({
      status: 200,
      body: await changeList(work, asked.actor, readId(asked.params.id), () => asked.body),
    }),
  }),
  route({
    method: 'POST',
    path: '/lists/:id/copy',
    summary: 'A new list with everything of this one but its leads',
    right: 'lists.write',
    body: ListCopy,
    answer: [201, ListAtPages],
    act: async (work, asked) => ({
      status: 201,
      body: await copyList(work, asked.actor, readId(asked.params.id), () => asked.body.list),
    }),
  }),
  route({
    method: 'GET',
    path: '/lists/:id/overview',
    summary: 'How far one list is, with its categories',
    right: 'stats.read',
    answer: [200, ListOverview],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readOverview(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/lists/:id/jobs/:job_id',
    summary: 'How far something is that is done to all leads of a list',
    // What one finds names leads and what they hold.
    right: 'lists.write',
    answer: [200, ListJob],
    async read(reading, { actor, params }) {
      const list = await findList(reading, actor, readId(params.id));
      return { status: 200, body: await readListJob(reading, actor, list.id, readId(params.job_id)) };
    },
  }),
  route({
    method: 'GET',
    path: '/lists/:id/fields',
    summary: 'The fields of a list, and how many leads have a value in each',
    right: 'lists.read',
    answer: [200, Fields],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await listFields(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'POST',
    path: '/lists/:id/fields',
    summary: 'Add a field to a list',
    right: 'lists.write',
    body: NewField,
    answer: [201, Field],
    act: async (work, asked) => ({
      status: 201,
      body: await addField(work, asked.actor, readId(asked.params.id), () => asked.body),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/lists/:id/fields/:field_id',
    summary: 'Rename, move, hide or show a field, or change its kind',
    right: 'lists.write',
    body: FieldChange,
    answer: [200, Field],
    async act(work, asked) {
      const [id, field] = [readId(asked.params.id), readId(asked.params.field_id)];
      return { status: 200, body: await changeField(work, asked.actor, id, field, () => asked.body) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/lists/:id/fields/:field_id',
    summary: 'Remove a field; its values are kept out of sight',
    right: 'lists.write',
    query: Type.Object({ seen: Type.Optional(Type.Integer({ description: 'The version of the fields.' })) }),
    answer: [204, Type.Null()],
    async act(work, asked) {
      const { seen } = asked.query;
      const [id, field] = [readId(asked.params.id), readId(asked.params.field_id)];
      await removeField(work, asked.actor, id, field, seen === undefined ? undefined : { fields: seen });
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/lists/:id/categories',
    summary: 'Rename a category, and with it the leads that carry it',
    right: 'lists.write',
    body: Renaming,
    answer: [200, ListWithSettings],
    async act(work, asked) {
      const id = await renameCategory(work, asked.actor, readId(asked.params.id), () => asked.body);
      return { status: 200, body: await readListWithSettings(work, asked.actor, id) };
    },
  }),
  route({
    method: 'GET',
    path: '/lists/:id/people',
    summary: 'Who works a list',
    right: 'lists.read',
    answer: [200, ListPeople],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readListPeople(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'PUT',
    path: '/lists/:id/people',
    summary: 'Say who works a list',
    right: 'users.assign',
    body: ListPeopleChange,
    answer: [200, ListPeople],
    act: async (work, asked) => ({
      status: 200,
      body: await changeListPeople(work, asked.actor, readId(asked.params.id), () => asked.body),
    }),
  }),
  route({
    method: 'GET',
    path: '/lists/deleted',
    summary: 'Deleted lists that can be brought back, the last first',
    right: 'lists.write',
    answer: [200, Type.Array(DeletedList)],
    read: async (reading, { actor }) => ({ status: 200, body: await listDeletedLists(reading, actor) }),
  }),
  route({
    method: 'DELETE',
    path: '/lists/:id',
    summary: 'Delete a list with all that is in it; for a week it can be brought back',
    right: 'lists.write',
    body: ListDeletion,
    answer: [204, Type.Null()],
    async act(work, asked) {
      await deleteList(work, asked.actor, readId(asked.params.id), () => asked.body);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/lists/:id/restore',
    summary: 'Bring a deleted list back, as it was',
    right: 'lists.write',
    answer: [200, ListAtPages],
    act: async (work, { actor, params }) => ({
      status: 200,
      body: await restoreList(work, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/leads/subjects',
    summary: 'The fields and categories of lists: what their leads can be filtered by',
    right: 'leads.read',
    query: SubjectsAsked,
    answer: [200, Subjects],
    async read(reading, { actor, query }) {
      const lists = query.lists ? query.lists.split(',').map((id) => readId(id) ?? 0) : null;
      if (lists && lists.length > MOST_LISTS) throw invalid({ lists: [`must be at most ${MOST_LISTS} ids`] });
      return { status: 200, body: await readSubjects(reading, actor, lists) };
    },
  }),
];
