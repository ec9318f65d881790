import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Account } from '../server/platform/actor.ts';
import { hire, type Agent } from './agents.ts';
import { COMMON_WORD } from './dataset/people.ts';
import { generate, openLine, spread, type Line } from './generator.ts';
import type { Measured } from './processes.ts';
import { request } from './shift.ts';

/** One person against all others: what ten agents feel of fifty connections on which a manager asks for the dearest there is. */

const OTHERS = 10;
const CONNECTIONS = 50;
/** So that nobody of the others meets a limit. */
const PAUSE_MS = 120;

type Felt = { read: number; next: number };
export type Attack = Felt & {
  name: string;
  /** Of the manager: answered, refused. */
  served: number;
  refused: number;
  /** How often the service said that it was not ready. */
  notReady: number;
};
export type Crowd = { alone: Felt; attacks: Attack[] };

type Measures = { url: string; account: Account; listId: number; product: Measured; seconds: number };

export async function measureCrowd({ url, account, listId, product: { port }, seconds }: Measures): Promise<Crowd> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const [manager, ...others] = await hire(client, account.id, listId, OTHERS + 1);
    await client.query('update users set lists_admin = true where account_id = $1 and id = $2', [
      account.id,
      manager!.id,
    ]);
    const { rows } = await client.query<{ id: string }>('select id from leads where list_id = $1 limit 1000', [listId]);
    const ids = rows.map(({ id }) => Number(id));
    const feel = (time: number) => feelAll({ port, others, listId, ids, seconds: time });
    await feel(2);
    const alone = await feel(seconds);
    const attacks: Attack[] = [];
    for (const [name, next] of Object.entries(requestsOf(manager!, listId, ids[0]!))) {
      const attacking = generate({ port, connections: CONNECTIONS, seconds, next });
      const [felt, { requests, refused }] = await Promise.all([feel(seconds), attacking]);
      attacks.push({ name, ...felt, served: requests, refused });
      // Another minute, so that each begins with its limits unused.
      await sleep(60_000 - (Date.now() % 60_000) + 500);
    }
    return { alone, attacks };
  } finally {
    await client.end();
  }
}

function requestsOf(manager: Agent, listId: number, leadId: number): Record<string, () => string> {
  let turn = 0;
  const conditions = Array.from({ length: 50 }, (_, index) => `first_name=${COMMON_WORD}${index}`).join('&');
  const get = (path: string) => () => request(manager, 'GET', path);
  return {
    'PATCH of one lead': () =>
      request(manager, 'PATCH', `/leads/${leadId}`, JSON.stringify({ lead: { title: `Title ${(turn += 1)}` } })),
    'find with 50 conditions': get(`/lists/${listId}/leads/find?matchall=false&per_page=1000&${conditions}`),
    'search, per_page=1000': get(`/leads/search?query=${COMMON_WORD}&per_page=1000`),
    'page 1,000 of 1,000': get(`/lists/${listId}/leads?page=1000&per_page=1000`),
  };
}

type Feeling = { port: number; others: Agent[]; listId: number; ids: number[]; seconds: number };

async function feelAll({ port, others, listId, ids, seconds }: Feeling): Promise<Felt & { notReady: number }> {
  const deadline = performance.now() + seconds * 1_000;
  const [reads, nexts]: [number[], number[]] = [[], []];
  let notReady = 0;
  const timed = async (line: Line, asks: string, into: number[]) => {
    const asked = performance.now();
    const { status, body } = await line.ask(asks);
    into.push(performance.now() - asked);
    if (status >= 300) throw new Error(`One of the others was answered with ${status}: ${body}`);
    return body;
  };
  const work = async (agent: Agent) => {
    const line = await openLine(port);
    while (performance.now() < deadline) {
      const id = ids[Math.floor(Math.random() * ids.length)];
      await timed(line, request(agent, 'GET', `/leads/${id}`), reads);
      await sleep(PAUSE_MS * Math.random() * 2);
      await timed(line, request(agent, 'POST', `/lists/${listId}/next`), nexts);
      await sleep(PAUSE_MS * Math.random() * 2);
    }
    line.close();
  };
  const watch = async () => {
    while (performance.now() < deadline) {
      if (!(await fetch(`http://127.0.0.1:${port}/health/ready`)).ok) notReady += 1;
      await sleep(100);
    }
  };
  await Promise.all([...others.map(work), watch()]);
  return { read: spread(reads).p50, next: spread(nexts).p50, notReady };
}
