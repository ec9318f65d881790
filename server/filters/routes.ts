import { MOST_TOKENS, readToken, type Token } from '../../contract/filters.ts';
import {
  ExactCount,
  LeadTable,
  MatchingAsked,
  MOST_FIELDS,
  StateCounts,
  TableAsked,
  type Matching,
} from '../../contract/lead-table.ts';
import { invalid, readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import type { RequestKind } from '../platform/work.ts';
import { countStates } from './counts.ts';
import { countMatching, readMatching } from './matching.ts';
import { fieldOf } from './orders.ts';
import { readFilter } from './read.ts';
import { readTable } from './table.ts';

/** The table of leads, for the pages. */
export const filterRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/leads',
    kind: kindOf,
    summary: 'A page of the table of leads: of a list, several or all, filtered, in an order',
    right: 'leads.read',
    query: TableAsked,
    answer: [200, LeadTable],
    async read(reading, { actor, query }) {
      const { order = 'queue', size = 100, after, before, at, fields = '' } = query;
      if ([after, before, at].filter((begin) => begin !== undefined).length > 1)
        throw invalid({ after: ['cannot be asked together with before or at'] });
      const keys = fields === '' ? [] : fields.split(',');
      if (keys.length > MOST_FIELDS) throw invalid({ fields: [`must be at most ${MOST_FIELDS}`] });
      const field = fieldOf(order);
      const filter = await readFilter(reading, actor, readAsked(query), field === undefined ? [] : [field]);
      const begin = { ...(after && { after }), ...(before && { before }), ...(at !== undefined && { at }) };
      const table = await readTable(reading, actor, filter, { order, size, fields: keys, ...begin });
      // As it is: whether a value is one of several kinds is looked up for each when it is written by the schema.
      return { status: 200, json: JSON.stringify(table) };
    },
  }),
  route({
    method: 'GET',
    path: '/leads/counts',
    summary: 'How many leads lists have in each state, whatever is filtered',
    right: 'leads.read',
    query: MatchingAsked,
    answer: [200, StateCounts],
    async read(reading, { actor, query }) {
      const filter = await readMatching(reading, actor, { ...readAsked({ ...query, f: [] }), query: '' });
      return { status: 200, body: await countStates(reading, actor, filter) };
    },
  }),
  route({
    method: 'GET',
    path: '/leads/count',
    kind: 'dear',
    summary: 'Exactly how many leads match',
    right: 'leads.read',
    query: MatchingAsked,
    answer: [200, ExactCount],
    async read(reading, { actor, query }) {
      const filter = await readMatching(reading, actor, readAsked(query));
      return { status: 200, body: { number: await countMatching(reading, actor, filter) } };
    },
  }),
];

type Asked = { lists?: string; f?: string | string[]; q?: string };

/** What is looked for in what leads say, or in what happened to them, takes one of the few connections for that. */
function kindOf({ f = [], q = '' }: Asked): RequestKind {
  const deep = [f].flat().some((text) => /^(?:field\.|attempts|last_outcome|duplicate|import)/.test(text));
  return deep || q !== '' ? 'dear' : 'usual';
}

function readAsked({ lists, f = [], q = '' }: Asked): Matching {
  const texts = [f].flat();
  if (texts.length > MOST_TOKENS) throw invalid({ f: [`must be given at most ${MOST_TOKENS} times`] });
  const filter = texts.map((text): Token => {
    const token = readToken(text);
    if (!token) throw invalid({ f: [`must be tokens such as state:is:new, and ${text.slice(0, 100)} is none`] });
    return token;
  });
  const listIds = lists === undefined || lists === '' ? undefined : lists.split(',').map(readListId);
  return { ...(listIds && { list_ids: listIds }), filter, query: q };
}

function readListId(text: string): number {
  const id = readId(text);
  if (id === undefined) throw invalid({ lists: ['must be ids, divided by commas'] });
  return id;
}
