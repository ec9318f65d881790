import { Type } from 'typebox';
import { Event } from '../../contract/events.ts';
import { Delegation, FoundLeads, Lead, LeadValues, LeadWithEvents, Migration, Outcome } from '../../contract/leads.ts';
import { Last } from '../platform/db.ts';
import { answerPage, Paging, readPage } from '../platform/paging.ts';
import { invalid, readId, readMoment } from '../platform/read.ts';
import { readAfter, route, type Route } from '../platform/route.ts';
import { drawLead, findLeadList } from './access.ts';
import { changeLead } from './change.ts';
import { readChangedLeads } from './changed.ts';
import { delegateLead } from './claims.ts';
import { createLead } from './create.ts';
import { findLeads, readConditions } from './find.ts';
import { migrateLead } from './migrate.ts';
import { giveOutcome, OUTCOMES } from './outcomes.ts';
import { readPageOfList } from './pages.ts';
import { findLead, listEvents, readLead } from './read.ts';
import { searchLeads } from './search.ts';

const Nothing = Type.Null();
const MOST_LISTS = 1_000;

/** Pages above this are read like what is searched for: one at a time of a person. */
const LARGE_PAGE = 200;

const UPDATED_SINCE = `Only leads whose \`last_updated\` is at or after this time, the longest unchanged first. The time is
\`YYYY-MM-DD HH:MM:SS UTC\` or ISO 8601; without a zone it is UTC.
Following \`Link\` to its end visits every one of them, also while others change leads.
\`X-Next-Updated-Since\` of the answers is what to ask with next time: then no change is missed, and some leads come twice.
Leads that were deleted or moved to another list are not among them. \`order=last_updated_first\` cannot be combined with it.`;

export const leadRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/lists/:id/leads',
    kind: ({ per_page = 0 }) => (per_page > LARGE_PAGE ? 'dear' : 'usual'),
    summary: 'Leads of a list, newest first, or those that changed since a time',
    right: 'leads.read',
    query: Type.Object({
      ...Paging.properties,
      order: Type.Optional(
        Type.Unknown({
          description: '`last_updated_first`: the last changed first.',
          published: { type: 'string', enum: ['last_updated_first'] },
        }),
      ),
      updated_since: Type.Optional(Type.String({ maxLength: 100, description: UPDATED_SINCE })),
    }),
    answer: [200, Type.Array(Lead)],
    async read(reading, asked) {
      const { actor, params } = asked;
      const listId = readId(params.id);
      const find = () => findLeadList(reading, actor, listId, 'leads.read');
      const { order, updated_since, ...paging } = await readAfter(asked, 'query', find);
      const page = readPage(paging);
      const lastUpdatedFirst = order === 'last_updated_first';
      if (updated_since) {
        await find();
        if (lastUpdatedFirst) throw invalid({ order: ['must be left out with updated_since, which has its own'] });
        const since = readMoment('updated_since', updated_since);
        const { next, ...changed } = await readChangedLeads(reading, actor, listId, since, page);
        return answerPage(asked, page, changed, { 'x-next-updated-since': next.toISOString() });
      }
      const by = lastUpdatedFirst ? 'last_updated' : 'created_at';
      return answerPage(asked, page, await readPageOfList(reading, actor, listId, by, page));
    },
  }),
  route({
    method: 'POST',
    path: '/lists/:id/leads',
    summary: 'Create a lead',
    right: 'leads.write',
    body: LeadValues,
    answer: [201, LeadWithEvents],
    async act(work, asked) {
      const { actor, params } = asked;
      const list = await drawLead(work, actor, readId(params.id), 'leads.write');
      return createLead(work, actor, list, asked.body.lead).map(({ id, json, unknown }) => ({
        status: 201,
        json,
        headers: { location: `/api/v2/leads/${id}`, ...nameUnknown(unknown) },
      }));
    },
  }),
  route({
    method: 'GET',
    path: '/lists/:id/leads/find',
    kind: 'dear',
    summary: 'Leads with exactly these values',
    right: 'leads.read',
    query: Type.Object(
      {
        matchall: Type.Optional(
          Type.Boolean({
            default: true,
            description:
              '`false` combines the conditions with OR, and passes over keys that are no columns as long as one is. `X-Unknown-Fields` names them.',
          }),
        ),
        ...Paging.properties,
        order: Type.Optional(Type.Unknown({ description: 'Of no effect here.', published: false })),
      },
      {
        additionalProperties: Type.Union([Type.String(), Type.Array(Type.String())], { published: { type: 'string' } }),
        description: 'Column key = value. Repeat with different keys; one key repeated means any of its values.',
      },
    ),
    answer: [200, Type.Array(Lead)],
    async read(reading, asked) {
      const { actor, params } = asked;
      const list = await findLeadList(reading, actor, readId(params.id), 'leads.read');
      const { matchall = true, page: number, per_page, after, order: _, ...given } = asked.query;
      const page = readPage({ page: number, per_page, after } as never);
      const { conditions, unknown } = readConditions(
        list.columns,
        given as Record<string, string | string[]>,
        matchall,
      );
      const answer = answerPage(asked, page, await findLeads(reading, actor, list, conditions, matchall, page));
      return { ...answer, headers: { ...answer.headers, ...nameUnknown(unknown) } };
    },
  }),
  route({
    method: 'GET',
    path: '/leads/search',
    kind: 'dear',
    summary: 'Leads by words in their data and activity',
    right: 'leads.read',
    query: Type.Object({
      query: Type.String({ minLength: 1, maxLength: 1000, description: 'Words, or the digits of a phone number.' }),
      list_ids: Type.Optional(
        Type.Union([Type.String(), Type.Array(Type.String())], {
          description: 'Ids of lists that scope the search: comma-separated, or repeated.',
          published: { type: 'string' },
        }),
      ),
      ...Paging.properties,
    }),
    answer: [200, FoundLeads],
    async read(reading, asked) {
      const { query, list_ids, ...paging } = asked.query;
      if (query.trim() === '') throw invalid({ query: ['must not be empty'] });
      const page = readPage(paging);
      const named = [list_ids ?? []].flat().join(',').trim();
      const listIds = named === '' ? undefined : named.split(',').map((id) => readId(id.trim()) ?? 0);
      if (listIds && listIds.length > MOST_LISTS)
        throw invalid({ list_ids: [`must be at most ${MOST_LISTS.toLocaleString('en')} ids`] });
      return answerPage(asked, page, await searchLeads(reading, asked.actor, { query, listIds }, page));
    },
  }),
  route({
    method: 'GET',
    path: '/leads/:id',
    summary: 'One lead with its newest events',
    right: 'leads.read',
    answer: [200, LeadWithEvents],
    read: async (reading, { actor, params }) => ({
      status: 200,
      json: await readLead(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/leads/:id',
    summary: 'Change the data of a lead',
    right: 'leads.write',
    body: LeadValues,
    answer: [204, Nothing],
    async act(work, asked) {
      const changed = await changeLead(work, asked.actor, readId(asked.params.id), () => asked.body.lead);
      const answer = (unknown: string[]) => ({ status: 204, headers: nameUnknown(unknown) });
      return changed instanceof Last ? changed.map(answer) : answer(changed);
    },
  }),
  route({
    method: 'GET',
    path: '/leads/:id/events',
    summary: 'All that happened to a lead, newest first',
    right: 'leads.read',
    query: Paging,
    answer: [200, Type.Array(Event)],
    async read(reading, asked) {
      const { actor, params } = asked;
      const id = await findLead(reading, actor, readId(params.id), 'leads.read');
      const page = readPage(asked.query);
      return answerPage(asked, page, await listEvents(reading, actor, id, page));
    },
  }),
  ...OUTCOMES.map((kind) =>
    route({
      method: 'POST',
      path: `/leads/:id/${kind}`,
      summary: `Record the outcome ${kind}`,
      right: 'leads.outcome',
      body: Type.Optional(Outcome),
      answer: [204, Nothing],
      async act(work, asked) {
        const id = readId(asked.params.id);
        const given = await giveOutcome(work, asked.actor, id, kind, () => asked.body?.lead ?? {});
        return given.map(() => ({ status: 204 }));
      },
    }),
  ),
  route({
    method: 'PATCH',
    path: '/leads/:id/delegate',
    summary: 'Give a user the claim on a lead',
    right: 'leads.delegate',
    body: Delegation,
    answer: [204, Nothing],
    async act(work, asked) {
      const id = readId(asked.params.id);
      const given = await delegateLead(work, asked.actor, id, () => asked.body.lead.delegate_to);
      return given.map(() => ({ status: 204 }));
    },
  }),
  route({
    method: 'PATCH',
    path: '/leads/:id/migrate',
    summary: 'Move a lead to another list, or give it back',
    right: 'leads.release',
    body: Migration,
    answer: [204, Nothing],
    async act(work, asked) {
      const moved = await migrateLead(work, asked.actor, readId(asked.params.id), () => asked.body.lead);
      return moved.map(() => ({ status: 204 }));
    },
  }),
];

const LONGEST_HEADER = 4_000;

/** Keys that are no columns were kept, hidden, or passed over; the answer says so. Those that do not fit are left out whole. */
function nameUnknown(keys: string[]): Record<string, string> {
  if (keys.length === 0) return {};
  let named = '';
  for (const key of keys.map(encodeURIComponent)) {
    const more = named === '' ? key : `${named}, ${key}`;
    if (more.length <= LONGEST_HEADER) named = more;
  }
  return { 'x-unknown-fields': named };
}
