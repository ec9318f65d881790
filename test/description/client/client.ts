// A client as an outsider writes it, with types that openapi-typescript made of the description. description.test.ts puts them beside it.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

const { LEADLINE_URL = '', LEADLINE_KEY = '' } = process.env;
const api = createClient<paths>({
  baseUrl: LEADLINE_URL,
  headers: { Authorization: `Token "${LEADLINE_KEY}"` },
  querySerializer: { object: { style: 'form', explode: true } },
});

type Answered<Data> = { data?: Data; error?: components['schemas']['Error']; response: Response };

/** The answer, or the sentence that says why there is none. */
function expect<Data>({ data, error, response }: Answered<Data>): Data {
  if (error) throw new Error(`${response.status} ${error.code}: ${error.error}`);
  return data!;
}

const list = expect(
  await api.POST('/api/v2/lists', {
    params: { header: { 'Idempotency-Key': 'autumn' } },
    body: { list: { name: 'Autumn', winner_categories: 'Order' } },
  }),
);
const inList = { path: { id: list.id } };
const leads: components['schemas']['LeadWithEvents'][] = [];
for (const company_name of ['Acme', 'Blue Bakery', 'Corner Cycles'])
  leads.push(expect(await api.POST('/api/v2/lists/{id}/leads', { params: inList, body: { lead: { company_name } } })));
const [acme, bakery] = leads;

// An outcome with a body, and one without.
const won = await api.POST('/api/v2/leads/{id}/winner', {
  params: { path: { id: acme!.id } },
  body: { lead: { category: 'Order', comment: 'Twelve of them' } },
});
const archived = await api.POST('/api/v2/leads/{id}/archive', { params: { path: { id: bakery!.id } } });

const found = expect(
  await api.GET('/api/v2/lists/{id}/leads/find', {
    params: { ...inList, query: { fields: { company_name: 'Acme' }, matchall: true } },
  }),
);

/** Where the page after this one begins, from `Link`. */
function nextIn(link: string): string | undefined {
  const [, next] = /<([^>]+)>; rel="next"/.exec(link) ?? [];
  return next && (new URL(next).searchParams.get('after') ?? undefined);
}

const visited: number[] = [];
let after: string | undefined;
do {
  const answer = await api.GET('/api/v2/lists/{id}/leads', {
    params: { ...inList, query: { per_page: 1, ...(after && { after }) } },
  });
  visited.push(...expect(answer).map(({ id }) => id));
  after = nextIn(answer.response.headers.get('link') ?? '');
} while (after);

const moved = await api.PATCH('/api/v2/leads/{id}/migrate', {
  params: { path: { id: acme!.id } },
  body: { lead: { to_list_id: list.id, give_back_leads: '1' } },
});

const refused = await api.POST('/api/v2/leads/{id}/winner', {
  params: { path: { id: acme!.id } },
  body: { lead: { category: 'No such' } },
});
const lead = expect(await api.GET('/api/v2/leads/{id}', { params: { path: { id: acme!.id } } }));

console.log(
  JSON.stringify({
    list: list.leads_count,
    created: leads.map(({ id }) => id),
    statuses: [won, archived, moved].map(({ response }) => response.status),
    found: found.map(({ lead_data }) => lead_data.company_name),
    visited,
    refused: [refused.response.status, refused.error?.code, refused.error?.errors],
    state: lead.state,
    events: lead.events.map(({ kind }) => kind),
  }),
);
