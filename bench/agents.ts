import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Account } from '../server/platform/actor.ts';
import { hashToken, makeToken } from '../server/platform/secrets.ts';
import { median } from './measure.ts';
import { openLine, spread, type Line, type Run } from './generator.ts';
import { KEYS } from './database.ts';
import { cpuSeconds, type Measured } from './processes.ts';

/** A hundred agents at the same list, each asking for the next lead, winning it, and asking again. */

const AGENTS = 100;
/** More than a run hands out. */
const IN_ORDER = 300_000;

const WARM_SECONDS = 8;

export type Agent = { id: number; token: string };
type Name = 'product' | 'bare' | 'narrow';
/** Rate and milliseconds are those of `next`; processor time is of `next` and the outcome together. */
type Round = Pick<Run, 'rate' | 'p50' | 'p99'> & { outcome: number; node: number; postgres: number };

export type Dispatch = {
  figures: Record<Name, Round>;
  /** Leads that were handed out; of them those to more than one agent or more than once; those that came before them and were not. */
  given: number;
  twice: number;
  passedOver: number;
  /** Answers without a lead, though there were some. */
  empty: number;
};

type Measures = {
  url: string;
  account: Account;
  listId: number;
  product: Measured;
  bare: Measured;
  seconds: number;
  rounds: number;
  postmaster: number;
};

export async function measureDispatch(measures: Measures): Promise<Dispatch> {
  const { url, account, listId, product, bare, seconds, rounds, postmaster } = measures;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const agents = await hire(client, account.id, listId);
    const order = await readOrder(client, account.id, listId);
    const given = new Map<number, number>();
    let empty = 0;
    const targets = [
      { name: 'product', process: product, path: '/app' },
      { name: 'bare', process: bare, path: '/app' },
      { name: 'narrow', process: bare, path: '/narrow' },
    ] as const;
    const run = async ({ process: { port, pid }, path }: (typeof targets)[number], time: number): Promise<Round> => {
      const before = [cpuSeconds(pid), cpuSeconds(postmaster, true)] as const;
      const worked = await work({ port, agents, next: `${path}/lists/${listId}/next`, seconds: time });
      for (const id of worked.given) given.set(id, (given.get(id) ?? 0) + 1);
      empty += worked.empty;
      const spent = (after: number, from: number) => ((after - from) / worked.given.length) * 1e6;
      const [node, postgres] = [spent(cpuSeconds(pid), before[0]), spent(cpuSeconds(postmaster, true), before[1])];
      return { ...worked, node, postgres };
    };
    const all = new Map<Name, Round[]>(targets.map(({ name }) => [name, []]));
    // Longer than for the other rows: two requests after each other are worked on slowly at first.
    for (const target of targets) await run(target, target.name === 'product' ? WARM_SECONDS : 1);
    for (let round = 0; round < rounds; round += 1) {
      for (const target of targets) all.get(target.name)!.push(await run(target, seconds));
    }
    const figures = Object.fromEntries([...all].map(([name, done]) => [name, middle(done)])) as Dispatch['figures'];
    const twice = [...given.values()].filter((times) => times > 1).length;
    return { figures, given: given.size, twice, passedOver: countPassedOver(order, given), empty };
  } finally {
    await client.end();
  }
}

function middle(rounds: Round[]): Round {
  const of = (figure: keyof Round) => median(rounds.map((round) => round[figure]));
  return {
    rate: of('rate'),
    p50: of('p50'),
    p99: of('p99'),
    outcome: of('outcome'),
    node: of('node'),
    postgres: of('postgres'),
  };
}

/** Agents who work the list and are signed in; others at every call. */
export async function hire(client: Client, accountId: number, listId: number, count = AGENTS): Promise<Agent[]> {
  const tokens = Array.from({ length: count }, makeToken);
  const { rows } = await client.query<{ id: string }>(
    `with person as (
       insert into users (account_id, email, email_folded, accepted_at)
       select $1, email, email, now()
         from generate_series(1, $3) as number, lateral (select number || '.' || $4 || '@bench.example' as email) a
       returning id
     ), assigned as (
       insert into list_people (account_id, list_id, user_id) select $1, $2, id from person
     )
     select id from person order by id`,
    [accountId, listId, count, randomUUID()],
  );
  const agents = tokens.map((token, index) => ({ id: Number(rows[index]!.id), token }));
  await client.query(
    `insert into sessions (hash, account_id, user_id, address, browser, expires_at)
     select s.hash, $1, s.user_id, '127.0.0.1', 'bench', now() + interval '1 day' from unnest($2::bytea[], $3::bigint[]) as s (hash, user_id)`,
    [accountId, tokens.map(hashToken), agents.map(({ id }) => id)],
  );
  return agents;
}

type Place = { id: number; rank: number };

/** What is due, in the order in which it has to be handed out. */
async function readOrder(client: Client, accountId: number, listId: number): Promise<Place[]> {
  const { rows } = await client.query<{ id: string; rank: number }>(
    `select id, rank from leads where account_id = $1 and list_id = $2 and claimant = 0 and rank is not null and turn_at <= now()
      order by rank, turn_at, id limit ${IN_ORDER}`,
    [accountId, listId],
  );
  return rows.map(({ id, rank }) => ({ id: Number(id), rank }));
}

/** Of each rank, those before the last one that was handed out. */
function countPassedOver(order: Place[], given: Map<number, number>): number {
  const last = new Map<number, number>();
  for (const [index, { id, rank }] of order.entries()) if (given.has(id)) last.set(rank, index);
  return order.filter(({ id, rank }, index) => index < (last.get(rank) ?? 0) && !given.has(id)).length;
}

type Shift = { port: number; agents: Agent[]; next: string; seconds: number };

async function work({ port, agents, next, seconds }: Shift) {
  const lines = await Promise.all(agents.map(() => openLine(port)));
  const [times, outcomes, given]: [number[], number[], number[]] = [[], [], []];
  let empty = 0;
  const begun = performance.now();
  const deadline = begun + seconds * 1_000;
  const timed = async (line: Line, request: string, into: number[]) => {
    const asked = performance.now();
    const { status, body } = await line.ask(request);
    if (status >= 300) throw new Error(`An agent was answered with ${status}: ${body}`);
    into.push(performance.now() - asked);
    return body;
  };
  // Whoever was given a lead ends with it, so that nothing stays open.
  const keepWorking = async (agent: Agent, line: Line) => {
    while (performance.now() < deadline) {
      const [, id] = /^\{"lead":\{"id":(\d+)/.exec(await timed(line, write(agent, next), times)) ?? [];
      if (id === undefined) {
        empty += 1;
        continue;
      }
      given.push(Number(id));
      await timed(line, write(agent, `/app/leads/${id}/winner`), outcomes);
    }
  };
  try {
    await Promise.all(agents.map((agent, index) => keepWorking(agent, lines[index]!)));
  } finally {
    for (const line of lines) line.close();
  }
  const elapsed = performance.now() - begun;
  return { rate: (given.length / elapsed) * 1_000, ...spread(times), outcome: spread(outcomes).p50, given, empty };
}

const write = ({ id, token }: Agent, path: string) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost:3000\r\norigin: ${KEYS.baseUrl}\r\ncookie: leadline_session=${token}\r\nx-agent: ${id}\r\ncontent-length: 0\r\n\r\n`;
