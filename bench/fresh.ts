import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { consequences } from '../server/consequences.ts';
import { setUp } from '../server/people/accounts/accounts.ts';
import { createDb } from '../server/platform/db.ts';
import { createLog } from '../server/platform/log.ts';
import { hashPassword } from '../server/platform/passwords.ts';
import { createPool } from '../server/platform/pool.ts';
import { Secrets } from '../server/platform/secrets.ts';
import { createTransact } from '../server/platform/work.ts';
import { countTrips } from '../test/trips.ts';
import { KEYS } from './database.ts';
import { startProduct, type Measured } from './processes.ts';

/** What is measured on an installation of this moment: trips a verb, and what is slow while nothing is known of the tables yet. */

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const LEADS = 8_000;
const TIMES = 60;

type Ask = (method: string, path: string, body?: unknown) => Promise<any>;
type Fresh = { url: string; api: Ask; desk: Ask; list: number };

/** `via` puts something between the service and its database. */
async function onFresh(
  use: (fresh: Fresh) => Promise<string>,
  via: (url: string) => Promise<string> = async (url) => url,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-fresh-'));
  const database = await openDatabase(undefined, { dataDir: { path: folder, explicit: true } });
  let product: Measured | undefined;
  try {
    await migrate(database.directUrl);
    const pool = createPool(database.url, { log: createLog('silent') });
    const transact = createTransact({ db: createDb(pool), secrets: new Secrets(KEYS.secretKey), consequences });
    const owner = { email: OWNER.email, passwordHash: await hashPassword(OWNER.password) };
    await transact((work) => setUp(work, undefined, { name: 'Bench', ...KEYS }, owner));
    await pool.end();
    product = await startProduct(await via(database.url));
    const api = ask(`http://127.0.0.1:${product.port}/api/v2`, { authorization: `Token "${KEYS.apiKey}"` });
    const { id: list } = await api('POST', '/lists', { list: { name: 'Fresh' } });
    return await use({ url: database.url, api, desk: await signIn(product.port), list });
  } finally {
    await product?.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function signIn(port: number): Promise<Ask> {
  const app = `http://127.0.0.1:${port}/app`;
  const origin = { origin: KEYS.baseUrl };
  const headers = { 'content-type': 'application/json', ...origin };
  const answer = await fetch(`${app}/session`, { method: 'POST', headers, body: JSON.stringify(OWNER) });
  if (!answer.ok) throw new Error(await answer.text());
  return ask(app, { ...origin, cookie: answer.headers.get('set-cookie')!.split(';', 1)[0]! });
}

const ask =
  (at: string, headers: Record<string, string>): Ask =>
  async (method, path, body) => {
    const answer = await fetch(`${at}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

const leadOf = (number: number) => ({
  lead: {
    company_name: `Company ${number % 997}`,
    first_name: `First ${number}`,
    mobile_phone: `+45 ${20_000_000 + number}`,
    e_mail: `person${number}@example.com`,
  },
});

/** How often each verb waits for the database, the door's look at key or session with it. */
export async function measureTrips(): Promise<string> {
  let count: Awaited<ReturnType<typeof countTrips>>['count'];
  const via = async (url: string) => {
    const trips = await countTrips(url);
    count = trips.count;
    return trips.url;
  };
  return onFresh(async ({ api, desk, list }) => {
    const leads: number[] = [];
    for (let number = 0; number < 20; number += 1)
      leads.push((await api('POST', `/lists/${list}/leads`, leadOf(number))).id);
    const [one, other] = leads as [number, number];
    const verbs: [name: string, act: () => Promise<unknown>][] = [
      ['lead', () => api('GET', `/leads/${one}`)],
      ['page', () => api('GET', `/lists/${list}/leads`)],
      ['find', () => api('GET', `/lists/${list}/leads/find?first_name=First+3`)],
      ['create', () => api('POST', `/lists/${list}/leads`, leadOf(100 + Math.random()))],
      ['change', () => api('PATCH', `/leads/${one}`, { lead: { title: String(Math.random()) } })],
      ['outcome', () => api('POST', `/leads/${one}/winner`, { lead: { comment: 'Yes' } })],
      ['next', () => desk('POST', `/lists/${list}/next`)],
      ['hold', () => desk('POST', `/leads/${other}/hold`)],
      ['skip', () => desk('POST', `/leads/${other}/skip`)],
      ['let go', () => desk('DELETE', `/leads/${other}/hold`)],
      ['comment', () => desk('POST', `/leads/${other}/comments`, { comment: 'Said' })],
    ];
    const lines: string[] = [];
    for (const [name, act] of verbs) lines.push(`| ${name} | ${await count(act)} |\n`);
    return `| verb | trips |\n| --- | ---: |\n${lines.join('')}`;
  }, via);
}

/** Page, find, search and next over leads made through the API, one question after the other: before the tables were ever analysed, and after. */
export async function measureYoung(say: (sentence: string) => void): Promise<string> {
  return onFresh(async ({ url, api, desk, list }) => {
    let number = 0;
    const create = async () => {
      while (number < LEADS) await api('POST', `/lists/${list}/leads`, leadOf((number += 1)));
    };
    await Promise.all(Array.from({ length: 8 }, create));
    say(`${LEADS} leads are there`);
    const pool = createPool(url, { log: createLog('silent') });
    const analysed = async () => {
      const { rows } = await pool.query(
        `select count(*)::int as tables from pg_stat_user_tables
          where relname in ('leads', 'lead_data', 'lead_marks') and greatest(last_analyze, last_autoanalyze) is not null`,
      );
      return rows[0].tables as number;
    };
    const questions: [name: string, ask: (turn: number) => Promise<unknown>][] = [
      ['page', () => api('GET', `/lists/${list}/leads?per_page=100`)],
      ['find', (turn) => api('GET', `/lists/${list}/leads/find?company_name=Company+${turn * 13}`)],
      ['search', (turn) => api('GET', `/leads/search?query=person${turn * 101 + 1}`)],
      ['next', () => desk('POST', `/lists/${list}/next`)],
    ];
    const measure = async () => {
      const figures: number[] = [];
      for (const [, put] of questions) {
        const times: number[] = [];
        for (let turn = 0; turn < TIMES; turn += 1) {
          const began = performance.now();
          await put(turn);
          times.push(performance.now() - began);
        }
        figures.push(times.toSorted((a, b) => a - b)[TIMES / 2]!);
      }
      return figures;
    };
    const known = await analysed();
    const young = await measure();
    await pool.query('analyze');
    const grown = await measure();
    await pool.end();
    const lines = questions.map(([name], at) => `| ${name} | ${young[at]!.toFixed(1)} | ${grown[at]!.toFixed(1)} |\n`);
    return `${known} of 3 tables had been analysed by the time the leads were there.\n\n| ms (p50) | young | analysed |\n| --- | ---: | ---: |\n${lines.join('')}`;
  });
}
