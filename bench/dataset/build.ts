import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { migrate } from '../../db/migrate.ts';
import { createAccount } from '../../server/people/accounts/accounts.ts';
import { createList } from '../../server/lists/lists.ts';
import { serviceActor, type Account } from '../../server/platform/actor.ts';
import { createDb } from '../../server/platform/db.ts';
import { createPool } from '../../server/platform/pool.ts';
import { createLog } from '../../server/platform/log.ts';
import { Secrets } from '../../server/platform/secrets.ts';
import { createTransact } from '../../server/platform/work.ts';
import { consequences } from '../../server/consequences.ts';
import { age } from './history.ts';
import type { Chunk, Share } from './loader.ts';

/** One account with a list of a million leads, ten of ten thousand, and many small ones. */

export const LEADS_OF_LARGE = 1_100_000;
const LEADS_OF_MIDDLING = 10_000;
const MIDDLING = 10;
const SMALL = 500;
const CHUNK = 2_500;
const THREADS = 2;

export type Keys = { secretKey: string; apiKey: string; baseUrl: string };
export type Dataset = { account: Account; large: number; middling: number[] };

export async function buildDataset(url: string, keys: Keys, say: (sentence: string) => void): Promise<Dataset> {
  await migrate(url);
  const pool = createPool(url, { log: createLog('silent') });
  const transact = createTransact({ db: createDb(pool), secrets: new Secrets(keys.secretKey), consequences });
  const account = await transact((work) =>
    createAccount(work, { name: 'Bench', baseUrl: keys.baseUrl, apiKey: keys.apiKey }),
  );
  const makeList = (name: string) =>
    transact(async (work) => {
      const given = { name, winner_categories: 'Meeting,Sale', loser_categories: 'Not interested,Wrong number' };
      return (await createList(work, serviceActor(account, 'bench'), given)).id;
    });
  const large = await makeList('A million');
  const middling: number[] = [];
  for (let index = 0; index < MIDDLING; index += 1) middling.push(await makeList(`Ten thousand ${index}`));
  const small: number[] = [];
  for (let index = 0; index < SMALL; index += 1) small.push(await makeList(`Small ${index}`));
  await pool.end();

  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const putBack = await dropIndexes(client);
    // The rows are right by construction: without the triggers of foreign keys they go in twice as fast.
    const quick = `${url}&options=${encodeURIComponent('-c session_replication_role=replica -c synchronous_commit=off')}`;
    await load({ url: quick, secretKey: keys.secretKey, account }, plan(large, middling, small), say);
    await age(client, putBack, say);
  } finally {
    await client.end();
  }
  return { account, large, middling };
}

function plan(large: number, middling: number[], small: number[]): Chunk[] {
  let from = 0;
  const chunksOf = (listId: number, leads: number) =>
    Array.from({ length: Math.ceil(leads / CHUNK) }, (_, index) => {
      const count = Math.min(CHUNK, leads - index * CHUNK);
      const chunk = { listId, from, count };
      from += count;
      return chunk;
    });
  // The small ones in between: whoever uploads lists does so over the months.
  const others = [
    ...middling.flatMap((id) => chunksOf(id, LEADS_OF_MIDDLING)),
    ...small.flatMap((id, index) => chunksOf(id, 10 + (index % 21))),
  ];
  return [...chunksOf(large, LEADS_OF_LARGE), ...others].toSorted((a, b) => place(a) - place(b));
}

const place = ({ from }: Chunk) => Math.imul(from + 1, 2_654_435_761) >>> 0;

/** All but the primary keys go, and come back when the rows are final. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid in ('leads'::regclass, 'lead_data'::regclass) and not i.indisunique`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function load(common: Omit<Share, 'chunks'>, chunks: Chunk[], say: (sentence: string) => void): Promise<void> {
  const begun = Date.now();
  const all = chunks.reduce((sum, { count }) => sum + count, 0);
  let loaded = 0;
  let told = 0;
  const threads = Array.from({ length: THREADS }, (_, thread) => {
    const share: Share = { ...common, chunks: chunks.filter((_chunk, index) => index % THREADS === thread) };
    const worker = new Worker(new URL('./loader.ts', import.meta.url), { workerData: share });
    worker.on('message', (count: number) => {
      loaded += count;
      if (loaded - told < 100_000) return;
      told = loaded;
      say(`${loaded.toLocaleString('en')} of ${all.toLocaleString('en')} leads, ${seconds(begun)} s`);
    });
    return new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`A loader ended with ${code}.`))));
    });
  });
  await Promise.all(threads);
  say(`All ${all.toLocaleString('en')} leads are in, ${seconds(begun)} s`);
}

const seconds = (begun: number) => Math.round((Date.now() - begun) / 1_000);
