import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrl } from '../../db/embedded/server.ts';
import { prepareHome } from '../../db/embedded/home.ts';
import { Client } from 'pg';
import { atEnd } from '../database.ts';
import { send, type Answer } from '../house.ts';
import { isRoot, makeFolder } from '../leadline.ts';
import { startNode } from './nodes.ts';
import { atExit, seconds, type Scenario } from './scenario.ts';

/** A disk without room under the embedded PostgreSQL. */

const SIZE_MB = 400;
const FULL_MS = 20_000;
const KEY = 'a key that exists for as long as this disk does'.replaceAll(' ', '-');

const full: Scenario = {
  name: 'disk-full',
  about: `a disk of ${SIZE_MB} MB is filled while a program writes, then has room again`,
  lacks: () =>
    isRoot && process.platform === 'linux' ? undefined : 'a disk that fills up takes root, to mount a small one',
  async run(finding) {
    const folder = makeFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=755`, 'leadline-faults', folder]);
    let mounted = true;
    const unmount = () => {
      if (mounted) execFileSync('umount', ['--lazy', folder]);
      mounted = false;
    };
    atEnd(async () => unmount());
    atExit(unmount);
    const node = await startNode('node', {
      DATA_DIR: folder,
      RATE_LIMITS: 'off',
      OWNER_EMAIL: 'owner@example.com',
      OWNER_PASSWORD: 'correct horse battery',
      ACCOUNT_API_KEY: KEY,
    });
    const ask = (method: string, path: string, body?: unknown) =>
      send(`${node.address}/api/v2${path}`, method, body, { authorization: `Token "${KEY}"` });
    const list = (await ask('POST', '/lists', { list: { name: 'Disk' } })).body.id as number;
    const acknowledged: number[] = [];
    // Long and not to be compressed, so that the little room there is goes quickly.
    const filler = () =>
      Array.from({ length: 600 }, () => Math.random().toString(36).slice(2))
        .join(' ')
        .slice(0, 9_000);
    const write = async (): Promise<Answer> => {
      const answer = await ask('POST', `/lists/${list}/leads`, { lead: { first_name: 'Ann', title: filler() } });
      if (answer.status === 201) acknowledged.push(answer.body.id as number);
      return answer;
    };
    for (let index = 0; index < 50; index += 1) await write();
    const room = fill(join(folder, 'filler'));
    const tally = { refused: 0, bare: 0, read: 0, unread: 0 };
    const odd = new Map<string, number>();
    const note = (what: string) => odd.set(what, (odd.get(what) ?? 0) + 1);
    for (const deadline = Date.now() + FULL_MS; Date.now() < deadline;) {
      const answer = await write().catch(() => undefined);
      if (answer?.status === 503) tally.refused += 1;
      if (answer?.status === 503 && !answer.headers.has('retry-after')) tally.bare += 1;
      if (answer?.status !== 503 && answer?.status !== 201) note(`${answer?.status ?? 'no answer'}`);
      const read = await ask('GET', `/leads/${acknowledged[0]}`).catch(() => undefined);
      if (read?.status === 200) tally.read += 1;
      else tally.unread += 1;
      if (answer?.status === 503) await sleep(20);
    }
    const written = acknowledged.length;
    rmSync(join(folder, 'filler'));
    const freed = performance.now();
    let healed: number | undefined;
    while (healed === undefined && performance.now() - freed < 60_000) {
      if ((await write().catch(() => undefined))?.status === 201) healed = performance.now() - freed;
      else await sleep(100);
    }
    finding.count('filled', `${Math.round(room / 2 ** 20)} MB`);
    finding.count('acknowledged writes', acknowledged.length);
    finding.count('written while it was full', written - 50);
    finding.count('writes refused', tally.refused);
    finding.count('reads meanwhile', tally.read);
    finding.count('healthy again', healed === undefined ? 'never' : `${seconds(healed)} s`);
    const oddly = [...odd].map(([status, times]) => `${times} × ${status}`).join(', ');
    finding.must('writes are refused with 503 and Retry-After', tally.refused > 0 && tally.bare === 0);
    finding.must('and with nothing else', odd.size === 0, oddly);
    finding.must('reads work', tally.unread === 0, `${tally.unread} of ${tally.read + tally.unread} failed`);
    finding.must('healthy by itself in 15 s', (healed ?? Infinity) <= 15_000);
    const { lost, indexes, faulty } = await inspect(folder, acknowledged);
    finding.count('indexes checked', indexes);
    finding.must('no acknowledged write lost', lost === 0, lost);
    finding.must('no index disagrees with its table', faulty.length === 0, faulty.join(', '));
    const { code } = await node.stop();
    finding.must('it stops in order', code === 0, String(code));
  },
};

/** Takes all the room there is; says how much that was. */
function fill(path: string): number {
  const file = openSync(path, 'w');
  let size = 0;
  for (const piece of [Buffer.alloc(2 ** 20), Buffer.alloc(4096)]) {
    try {
      for (;;) size += writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  closeSync(file);
  if (statfsSync(path).bavail > 0) throw new Error('The disk has room left.');
  return size;
}

/** Every row is read, and every index held against its table. */
async function inspect(folder: string, acknowledged: number[]) {
  const client = new Client({ connectionString: databaseUrl(prepareHome({ path: folder, explicit: true }, () => {})) });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; title: string }>(
      `select lead_id as id, data ->> 'title' as title from lead_data`,
    );
    const found = new Set(rows.filter(({ title }) => title.length > 0).map(({ id }) => Number(id)));
    await client.query('create extension if not exists amcheck');
    const { rows: indexes } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_am a on a.oid = c.relam
        where c.relkind = 'i' and a.amname = 'btree' and c.relpersistence = 'p'`,
    );
    const faulty: string[] = [];
    for (const { name } of indexes) {
      await client.query('select bt_index_check($1::regclass, true)', [name]).catch(() => faulty.push(name));
    }
    return { lost: acknowledged.filter((id) => !found.has(id)).length, indexes: indexes.length, faulty };
  } finally {
    await client.end();
  }
}

export const scenarios = [full];
