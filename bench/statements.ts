import { tmpdir } from 'node:os';
import { Client, type PoolClient } from 'pg';
import { buildApp } from '../server/app.ts';
import { readConfig } from '../server/config.ts';
import { NO_ROLES, serviceActor } from '../server/platform/actor.ts';
import { createDb } from '../server/platform/db.ts';
import { look } from '../server/live/look.ts';
import { createPool } from '../server/platform/pool.ts';
import { createLog } from '../server/platform/log.ts';
import { writeMark } from '../server/platform/paging.ts';
import { Secrets } from '../server/platform/secrets.ts';
import { openWays } from '../server/platform/work.ts';
import { openStore } from '../server/recordings/open.ts';
import { consequences } from '../server/consequences.ts';
import { hire } from './agents.ts';
import { KEYS, LIMITS, type BenchDatabase } from './database.ts';
import { COMMON_WORD, makePerson } from './dataset/people.ts';
import { sampleList } from './rows.ts';
import { TABLE } from './table.ts';

/** What each request really sends to the database, caught on the way. */

export type Statement = { text: string; values: unknown[] };
export type Verb = { verb: string; statements: Statement[] };

type Request = { method: 'GET' | 'POST' | 'PATCH'; url: string; payload?: object; cookie?: string };

export async function captureStatements({ url, account, large, middling: [middling] }: BenchDatabase): Promise<Verb[]> {
  const { id, cookie } = await signInAgent(url, account.id, large);
  const { leads } = await sampleList(url, large, true);
  const [first, second, third] = leads.filter(({ unique }) => unique);
  const rare = first!.data.company_name!.split(' ')[0]!;
  const mark = writeMark({ at: second!.created_at, id: second!.id });
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const get = (path: string): Request => ({ method: 'GET', url: path });
  const requests: Record<string, Request> = {
    'one lead': get(`/leads/${first!.id}`),
    'one list': get(`/lists/${large}`),
    'all lists': get('/lists'),
    'stats of a list': get(`/lists/${large}/stats`),
    'the first page': get(`/lists/${large}/leads`),
    'the first page, last changed first': get(`/lists/${large}/leads?order=last_updated_first`),
    'page 10,000 by number': get(`/lists/${large}/leads?page=10000`),
    'page 10,000, last changed first': get(`/lists/${large}/leads?page=10000&order=last_updated_first`),
    'a page by its link': get(`/lists/${large}/leads?page=2&after=${mark}`),
    'leads changed in the last hour': get(`/lists/${large}/leads?updated_since=${hourAgo}`),
    'calls, newest first': get('/calls'),
    'calls of a list that were voicemail': get(`/calls?list=${large}&disposition=voicemail`),
    'users, newest first': get('/users'),
    'find by e-mail': get(`/lists/${large}/leads/find?e_mail=${encodeURIComponent(first!.data.e_mail!)}`),
    'search, a rare word': get(`/leads/search?query=${rare}`),
    'search, a rare word in the large list': get(`/leads/search?query=${rare}&list_ids=${large}`),
    'search, a word of 5 % of the leads': get(`/leads/search?query=${COMMON_WORD}`),
    'search, that word in a list of 10,000': get(`/leads/search?query=${COMMON_WORD}&list_ids=${middling}`),
    'create a lead': { method: 'POST', url: `/lists/${large}/leads`, payload: { lead: makePerson(2e9) } },
    'change a lead': { method: 'PATCH', url: `/leads/${second!.id}`, payload: { lead: { title: 'Another' } } },
    'an outcome': {
      method: 'POST',
      url: `/leads/${third!.id}/winner`,
      payload: { lead: { category: 'Sale', comment: 'asked for an offer' } },
    },
    'the next lead, for an agent': { method: 'POST', url: `/lists/${large}/next`, cookie },
    'what lies ahead, for an agent': { ...get(`/lists/${large}/ahead`), cookie },
    'the day so far, of an agent': { ...get('/day'), cookie },
    'the desk of a list': { ...get(`/lists/${large}/desk`), cookie },
    'a lead opened by hand': { method: 'POST', url: `/leads/${third!.id}/hold`, cookie },
    'what happened to a lead': { ...get(`/leads/${first!.id}/activity`), cookie },
    'when a lead would come back': { ...get(`/leads/${first!.id}/coming_back`), cookie },
    'the numbers of a lead': { ...get(`/leads/${first!.id}/numbers`), cookie },
    'the texts of a lead': { ...get(`/leads/${first!.id}/texts`), cookie },
    'all lists, with how they stand': { ...get('/lists'), cookie },
    'how far lists are': { ...get('/lists/progress'), cookie },
    'leads by state': { ...get(`/leads/counts?lists=${large}`), cookie },
    'what filters can name': { ...get(`/leads/subjects?lists=${large}`), cookie },
    ...Object.fromEntries(
      Object.entries(TABLE).map(([what, asked]) => [
        `the table: ${what}`,
        { ...get(`/leads?lists=${large}&${new URLSearchParams(asked).toString()}`), cookie },
      ]),
    ),
  };

  const log = createLog('silent');
  const pool = createPool(url, { log });
  let caught: Statement[] = [];
  pool.on('connect', (client) => listenIn(client, (statement) => caught.push(statement)));
  const pools = { vital: pool, usual: pool, dear: pool, background: pool };
  const secrets = new Secrets(KEYS.secretKey);
  const environment = { DATABASE_URL: url, SECRET_KEY: KEYS.secretKey, BASE_URL: KEYS.baseUrl, RATE_LIMITS: LIMITS };
  const config = readConfig(environment);
  const store = openStore({ folder: tmpdir() });
  const ways = openWays(pools, { secrets, consequences });
  const node = { id: 0, silent: () => [] };
  const app = buildApp({ config, pools, ways, pulse: { fault: () => undefined }, store, node, log });
  const verbs: Verb[] = [];
  try {
    for (const [verb, { url: path, cookie: session, ...rest }] of Object.entries(requests)) {
      caught = [];
      const headers = {
        host: 'localhost:3000',
        ...(session ? { cookie: session, origin: KEYS.baseUrl } : { authorization: `Token "${KEYS.apiKey}"` }),
      };
      const { statusCode, body } = await app.inject({
        ...rest,
        url: `${session ? '/app' : '/api/v2'}${path}`,
        headers,
      });
      if (statusCode >= 300) throw new Error(`${verb} was answered with ${statusCode}: ${body}`);
      verbs.push({ verb, statements: caught.filter(({ text }) => !/^(begin|commit|start|set) ?/i.test(text)) });
    }
    // As a page that is open looks each second: at what came since it looked last.
    const agent = { ...serviceActor(account, 'bench'), user: { id, email: '' }, roles: { ...NO_ROLES, agent: true } };
    const reading = { db: createDb(pool), secrets };
    const { newest } = await look(reading, agent, { unheardMs: 0 }, [large]);
    caught = [];
    await look(reading, agent, { since: newest }, [large]);
    verbs.push({ verb: 'the look of a live page, each second', statements: caught });
    // So that handing out is shown, not giving once more what is open already.
    await pool.query('update leads set held_by = null, held_until = null where held_by is not null');
  } finally {
    await app.close();
    await pool.end();
  }
  return verbs;
}

async function signInAgent(url: string, accountId: number, listId: number): Promise<{ id: number; cookie: string }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const [agent] = await hire(client, accountId, listId, 1);
    return { id: agent!.id, cookie: `leadline_session=${agent!.token}` };
  } finally {
    await client.end();
  }
}

type Query = (...args: unknown[]) => unknown;

function listenIn(client: PoolClient, tell: (statement: Statement) => void): void {
  const query = client.query.bind(client) as Query;
  client.query = ((...args: unknown[]) => {
    const [first, values] = args as [string | Statement, unknown[] | undefined];
    if (typeof first === 'string') tell({ text: first, values: values ?? [] });
    else tell({ text: first.text, values: first.values ?? [] });
    return query(...args);
  }) as never;
}
