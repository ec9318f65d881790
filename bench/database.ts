import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openDatabase } from '../db/open.ts';
import { buildDataset, type Dataset, type Keys } from './dataset/build.ts';

/** The database to measure on: built once, copied for each run, so that every run begins with the same rows. */

export const KEYS: Keys = {
  secretKey: 'the benchmark keeps nothing that is secret',
  apiKey: 'benchmark-key-of-an-account-that-only-exists-here',
  baseUrl: 'http://localhost:3000',
};

/** Never reached, but counted. */
export const LIMITS = '100000000/60,100000000/300';

const COPY = 'bench_run';

export type BenchDatabase = Dataset & {
  url: string;
  postmaster: number;
  /** Another one with the same rows. */
  copyAgain: () => Promise<string>;
  close(): Promise<void>;
};

export async function openBenchDatabase(say: (sentence: string) => void): Promise<BenchDatabase> {
  const folder = join(cacheFolder(), fingerprint());
  const finished = join(folder, 'dataset.json');
  if (!existsSync(finished)) rmSync(folder, { recursive: true, force: true });
  const server = await openDatabase(undefined, { dataDir: { path: folder, explicit: true }, say });
  try {
    if (!existsSync(finished)) {
      say(`Building the data in ${folder}; this takes minutes, once.`);
      writeFileSync(finished, JSON.stringify(await buildDataset(server.url, KEYS, say)));
    }
    const dataset = JSON.parse(readFileSync(finished, 'utf8')) as Dataset;
    say('Copying the data for this run.');
    const run = (...statements: string[]) => runAll(server.url.replace('/leadline?', '/postgres?'), statements);
    const copies: string[] = [];
    const drop = (name: string) => `drop database if exists ${name} with (force)`;
    const copyAgain = async () => {
      const name = `${COPY}_${copies.length}`;
      copies.push(name);
      await run(drop(name), `create database ${name} template leadline strategy file_copy`);
      const url = server.url.replace('/leadline?', `/${name}?`);
      await runAll(url, WARM);
      return url;
    };
    const url = await copyAgain();
    const close = async () => {
      for (const name of copies) await run(drop(name)).catch(() => {});
      await server.close();
    };
    const postmaster = Number(readFileSync(join(folder, 'pgdata/postmaster.pid'), 'utf8').split('\n')[0]);
    return { ...dataset, url, postmaster, copyAgain, close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

// As far as a server has it in memory after a day: every page of what is asked for, with its index.
const WARM = [
  'create extension if not exists pg_prewarm',
  `select pg_prewarm(c.oid) from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'i', 'S')`,
  'analyze lead_counts',
];

async function runAll(url: string, statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** PostgreSQL does not run as root, and nobody else may enter root's own folder. */
function cacheFolder(): string {
  const own = process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache');
  return process.env.BENCH_DIR ?? join(own, 'leadline-bench');
}

/** Of all that decides what the rows look like. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const folder of ['../db/migrations', './dataset']) {
    const path = join(import.meta.dirname, folder);
    for (const name of readdirSync(path).toSorted()) hash.update(name).update(readFileSync(join(path, name)));
  }
  return hash.digest('hex').slice(0, 12);
}
