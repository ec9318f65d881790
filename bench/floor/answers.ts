import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import { toEvent } from '../../server/activity/events.ts';
import { findLeadList, type LeadList } from '../../server/leads/access.ts';
import { writeLead, writeLeads, type LeadRow } from '../../server/leads/lead.ts';
import { readMark } from '../../server/platform/paging.ts';
import { READ } from '../../server/leads/read.ts';
import { store } from '../../server/leads/stored.ts';
import { readQuery } from '../../server/leads/words.ts';
import { toList } from '../../server/lists/lists.ts';
import { serviceActor, type Account } from '../../server/platform/actor.ts';
import { createDb } from '../../server/platform/db.ts';
import { createMilestones } from './milestones.ts';
import * as statements from './statements.ts';

type Asked = { Params: { id: string }; Querystring: Record<string, string | undefined> };
type Writing = Asked & { Body: { lead: Record<string, string> } };

const SIZE = 50;

export async function addAnswers(app: FastifyInstance, pool: Pool, account: Account): Promise<void> {
  const { id: accountId, baseUrl } = account;
  const prepared = async (name: string, text: string, values: unknown[]) =>
    (await pool.query({ name, text, values })).rows;
  // As in the product: prepared, the database would choose a plan for values it does not know.
  const anew = async (text: string, values: unknown[]) => (await pool.query(text, values)).rows;
  const json = (reply: FastifyReply, text: string) => reply.type('application/json; charset=utf-8').send(text);
  const leads = (reply: FastifyReply, rows: LeadRow[]) => json(reply, writeLeads(rows, baseUrl));
  // Asked for one lead at first, PostgreSQL would go on planning this for each: its general plan expects ten, and looks dearer.
  const fifty = { name: 'leads', text: statements.LEADS, values: [accountId, Array<number>(SIZE).fill(0)] };
  pool.on('connect', (client) => {
    for (let run = 0; run < 6; run += 1) void client.query(fifty);
  });
  const findMilestone = createMilestones(pool, accountId);
  const lists = new Map<number, LeadList>();
  const listOf = async (id: number) => {
    const reading = { db: createDb(pool), secrets: undefined as never };
    const list = lists.get(id) ?? (await findLeadList(reading, serviceActor(account, 'bench'), id, 'leads.write'));
    lists.set(id, list);
    return list;
  };

  app.get<Asked>('/api/v2/leads/:id', async ({ params }, reply) => {
    const [lead] = await prepared('lead', READ.whole, [accountId, params.id]);
    return json(reply, writeLead(lead, baseUrl, `,"events":${JSON.stringify((lead.events ?? []).map(toEvent))}`));
  });

  app.get<Asked>('/api/v2/lists/:id', async ({ params }, reply) => {
    const [list] = await prepared('list', statements.READ_LIST, [accountId, params.id]);
    return json(reply, JSON.stringify(toList(list)));
  });

  app.get<Asked>('/api/v2/lists/:id/stats', async ({ params }, reply) => {
    const [{ counts, ...list }] = await prepared('stats', statements.READ_STATS, [accountId, params.id]);
    const groups: Record<string, Record<string, number>> = {};
    for (const { state, category, leads: count } of counts) (groups[state] ??= {})[category] = count;
    return json(reply, JSON.stringify({ ...toList(list), leads_counts: groups }));
  });

  app.get<Asked>('/api/v2/lists/:id/leads', async ({ params, query }, reply) => {
    const common = [accountId, params.id, null, SIZE];
    if (query.after) {
      const { at, id } = readMark(query.after);
      return leads(reply, await prepared('after', statements.PAGE_AFTER, [...common, at, id]));
    }
    const offset = (Number(query.page ?? 1) - 1) * SIZE;
    const stone = offset === 0 ? undefined : await findMilestone(Number(params.id), offset);
    if (!stone) return leads(reply, await prepared('page', statements.FIRST_PAGE, [...common, offset]));
    const values = [...common, stone.beyond, stone.at, stone.id];
    return leads(reply, await prepared('milestone', statements.PAGE_FROM_MILESTONE, values));
  });

  app.get<Asked>('/api/v2/lists/:id/leads/find', async ({ params, query }, reply) => {
    const values = [accountId, params.id, SIZE, JSON.stringify({ e_mail: query.e_mail })];
    const [{ ids }] = await anew(statements.FIND, values);
    return leads(reply, await prepared('leads', statements.LEADS, [accountId, ids]));
  });

  app.get<Asked>('/api/v2/leads/search', async ({ query }, reply) => {
    const scope = query.list_ids ? 'and d.list_id = any ($5::bigint[])' : '';
    const within = query.list_ids ? [query.list_ids.split(',')] : [];
    const values = [accountId, readQuery(query.query!)!.matches, 1_000, SIZE, ...within];
    const [{ total, ids }] = await anew(statements.searchIn(scope), values);
    const rows = await prepared('leads', statements.LEADS, [accountId, ids]);
    return json(reply, `{"total":${total},"leads":${writeLeads(rows, baseUrl)}}`);
  });

  app.post<Writing>('/api/v2/lists/:id/leads', async ({ params, body }, reply) => {
    const list = await listOf(Number(params.id));
    const { data, hidden, words, marks } = store(list, new Map(Object.entries(body.lead)), new Map());
    const values = [accountId, list.id, data, hidden, words, marks];
    const [{ id, created_at, event_id }] = await prepared('create', statements.CREATE, values);
    const event = { id: event_id, kind: 'lead_created' as const, category: null, comment: '', user_email: '' };
    return json(
      reply.code(201),
      writeLead(
        {
          ...UNTOUCHED,
          id,
          list_id: list.id,
          list_name: list.name,
          created_at,
          last_updated: created_at,
          data,
        },
        baseUrl,
        `,"events":[${JSON.stringify(toEvent({ ...event, call_id: null, created_at }))}]`,
      ),
    );
  });

  app.patch<Writing>('/api/v2/leads/:id', async ({ params, body, headers }, reply) => {
    // A statement alone cannot know the words of what it keeps, so the whole lead comes along.
    const list = await listOf(Number(headers['x-list']));
    const { data, words, marks } = store(list, new Map(Object.entries(body.lead)), new Map());
    await prepared('change', statements.CHANGE, [accountId, params.id, data, words, marks]);
    return reply.code(204).send();
  });

  const outcome = (door: string, kind: string, state: string) =>
    app.post<Partial<Writing>>(`${door}/leads/:id/${kind}`, async ({ params, body, headers }, reply) => {
      const { category = null, scheduled_for = null } = body?.lead ?? {};
      const { id } = params as { id: string };
      const values = [accountId, id, state, category, scheduled_for, kind, headers['x-agent'] ?? null];
      await prepared('outcome', statements.OUTCOME, values);
      return reply.code(204).send();
    });
  outcome('/api/v2', 'winner', 'won');
  outcome('/api/v2', 'call_back', 'call_back');
  outcome('/app', 'winner', 'won');

  app.post<Asked>('/app/lists/:id/next', async ({ params, headers }, reply) => {
    const [lead] = await prepared('next', statements.NEXT, [accountId, params.id, headers['x-agent']]);
    if (!lead) return json(reply, '{"lead":null}');
    const events = JSON.stringify((lead.events ?? []).map(toEvent));
    return json(reply, `{"lead":${writeLead(lead, baseUrl, `,"events":${events}`)},"next_due_at":null}`);
  });

  app.post<Asked>('/narrow/lists/:id/next', async ({ params, headers }, reply) => {
    const [lead] = await prepared('next-alone', statements.NEXT_ALONE, [accountId, params.id, headers['x-agent']]);
    return json(reply, `{"lead":${lead ? `{"id":${lead.id}}` : 'null'}}`);
  });
}

const UNTOUCHED = {
  state: 'new',
  category: null,
  scheduled_for: null,
  claimed_by: null,
  claimed_at: null,
  first: null,
  second: null,
  third: null,
  alike: null,
  ignored: null,
};
