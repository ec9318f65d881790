import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { BulkAct, BulkQuestion, NewBulkAct } from '../contract/bulk.ts';
import type { Account } from '../server/platform/actor.ts';
import { MISCOUNTED } from '../test/counters.ts';
import { hire, type Agent } from './agents.ts';
import { openLine } from './generator.ts';
import { startProduct, type Measured } from './processes.ts';
import { beginShift, request, type Felt, type Shift } from './shift.ts';
import type { Heard } from './subscriber.ts';
import { subscribe } from './webhooks.ts';

/**
 * Acts on many leads of the list of a million while agents work it: each is done and undone, the service is killed twice on the way, and
 * what is there afterwards is held against what was there before.
 */

const AGENTS = 20;
const PEOPLE = 5;
const ALONE_SECONDS = 20;
const LOOK_MS = 250;
/** Every so often the act is made to wait for so long: what agents feel then is of the same minutes as what they feel beside it. */
const HELD = { everyMs: 40_000, ms: 10_000 };
/** Of the way. */
const KILLS = [1 / 3, 2 / 3];

export type BulkRun = {
  name: string;
  total: number;
  done: number;
  refused: number;
  seconds: number;
  felt: Felt;
  /** The same while it was made to wait. */
  held: Felt;
  /** The same without it, before or after: a machine has slower hours, and an act takes some of them. */
  alone: Pick<Felt, 'p50' | 'p99'>;
  /** Places at the kills that were not exactly those of the leads that had their turn. */
  misplaced: number;
  /** Counters that do not count what is there. */
  miscounted: number;
  /** Deliveries that the question announced at most, that were written down, that arrived. */
  announced: number;
  written: number;
  arrived: number;
  /** Of an undo: leads nobody touched that are not as they were before the act. */
  different?: number;
  why: string;
};
export type Bulk = { alone: Felt; runs: BulkRun[] };

type Measures = {
  url: string;
  account: Account;
  listId: number;
  otherList: number;
  subscriber: Measured;
  leads: number;
  /** Which of them. */
  acts: string[];
  say: (sentence: string) => void;
};

export async function measureBulk(measures: Measures): Promise<Bulk> {
  const client = new Client({ connectionString: measures.url });
  await client.connect();
  let product = await startProduct(measures.url);
  const restart = async () => {
    process.kill(product.pid, 'SIGKILL');
    await product.stop();
    product = await startProduct(measures.url);
  };
  try {
    const { account, listId, otherList, subscriber, leads, say } = measures;
    const [manager, ...others] = await hire(client, account.id, listId, 1 + PEOPLE + AGENTS);
    await client.query('update users set lists_admin = true, users_admin = true where account_id = $1 and id = $2', [
      account.id,
      manager!.id,
    ]);
    const [people, agents] = [others.slice(0, PEOPLE), others.slice(PEOPLE)];
    const hooks = await subscribe(client, account, `http://127.0.0.1:${subscriber.port}/good`, 1, listId);
    const shift = beginShift(agents, listId, () => product.port);
    const until = await findUntil(client, listId, leads);
    const matching: NewBulkAct['matching'] = {
      list_ids: [listId],
      filter: [{ name: 'created', operator: 'at_most', values: [until] }],
    };
    const acts: Record<string, NewBulkAct> = {
      delegate: { kind: 'delegate', matching, lead: { delegate_to: people.map(({ id }) => id) } },
      move: { kind: 'migrate', matching, lead: { to_list_id: otherList } },
      change: { kind: 'change', matching, lead: { field: 'title', value: 'Head of Nothing Else' } },
      delete: { kind: 'delete', matching },
    };
    const means: Means = {
      client,
      manager: manager!,
      agents,
      hooks,
      shift,
      subscriber,
      restart,
      port: () => product.port,
      lists: [listId, otherList],
    };
    try {
      const feelAlone = async () => {
        await sleep(5_000);
        shift.feel();
        await sleep(ALONE_SECONDS * 1_000);
        const felt = shift.feel();
        say(`agents alone: ${JSON.stringify(felt)}`);
        return felt;
      };
      const alone = await feelAlone();
      const runs: BulkRun[] = [];
      let before = alone;
      const note = async (run: Omit<BulkRun, 'alone'>) => {
        const after = await feelAlone();
        // The quieter of the two: a stall in one of them must not make an act look better than it is.
        runs.push({ ...run, alone: { p50: Math.min(before.p50, after.p50), p99: Math.min(before.p99, after.p99) } });
        say(JSON.stringify(runs.at(-1)));
        before = after;
      };
      for (const [name, bulk] of Object.entries(acts)) {
        if (!measures.acts.includes(name)) continue;
        await takeDown(client, listId, until);
        const question = await ask<BulkQuestion>(means, 'POST', '/bulk/question', { bulk });
        const announced = question.tells.reduce((sum, { times }) => sum + times, 0);
        const act = await ask<BulkAct>(means, 'POST', '/bulk', { bulk });
        await note(await follow(means, name, act, announced));
        const undo = await ask<BulkAct>(means, 'POST', `/bulk/${act.id}/undo`);
        const undone = await follow(means, `${name}, undone`, undo, 0);
        const different = await findDifferent(means, act.id, undo.id);
        if (different.length > 0) say(`not as it was: ${JSON.stringify(different[0])}`);
        await note({ ...undone, different: different.length });
      }
      return { alone, runs };
    } finally {
      await shift.end();
    }
  } finally {
    await product.stop();
    await client.end();
  }
}

type Means = {
  client: Client;
  manager: Agent;
  agents: Agent[];
  hooks: string[];
  shift: Shift;
  subscriber: Measured;
  restart: () => Promise<void>;
  port: () => number;
  lists: number[];
};

async function ask<Answer>({ port, manager }: Means, method: string, path: string, body?: object): Promise<Answer> {
  const line = await openLine(port());
  try {
    const answer = await line.ask(request(manager, method, path, body ? JSON.stringify(body) : ''));
    if (answer.status >= 300) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as Answer;
  } finally {
    line.close();
  }
}

/** The time until which so many leads of the list were made. */
async function findUntil(client: Client, listId: number, leads: number): Promise<string> {
  const { rows } = await client.query<{ created_at: Date }>(
    'select created_at from leads where list_id = $1 order by created_at, id offset $2 limit 1',
    [listId, leads - 1],
  );
  return rows[0]!.created_at.toISOString();
}

/** Everything of a lead that an undo brings back: all but when it was last touched, and by whom it is open. */
const TOLD = `concat(
  (to_jsonb(l) - '{last_updated,held_by,held_until,input_at}'::text[])::text, ' ', d.data::text, d.hidden::text, d.words::text, d.marks::text,
  (select string_agg(e.id::text, ',' order by e.id) from events e
    where e.account_id = l.account_id and e.lead_id = l.id and e.id <= (select last_event from bench_before limit 1)),
  (select string_agg(concat(c.id, ' ', c.lead_id), ',' order by c.id) from calls c
    where c.account_id = l.account_id and c.lead_id = l.id),
  (select string_agg(t.id::text, ',' order by t.id) from texts t where t.account_id = l.account_id and t.lead_id = l.id),
  (select string_agg(i.other_id::text, ',' order by i.other_id) from ignored_duplicates i
    where i.account_id = l.account_id and i.lead_id = l.id))`;

async function takeDown(client: Client, listId: number, until: string): Promise<void> {
  await client.query('drop table if exists bench_told');
  await client.query('drop table if exists bench_before');
  await client.query('create table bench_before as select max(id) as last_event from events');
  await client.query(
    `create table bench_told as select l.id, ${TOLD} as told
       from leads l join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
      where l.list_id = $1 and l.created_at <= $2`,
    [listId, until],
  );
  await client.query('create index on bench_told (id)');
  await client.query('analyze bench_told');
}

/** Of those that the act changed and the undo put back, and that no agent touched since they were taken down. */
async function findDifferent({ client, agents }: Means, actId: number, undoId: number) {
  const { rows } = await client.query<{ id: string; before: string; now: string }>(
    `select b.lead_id as id, before.told as before, ${TOLD} as now
       from bulk_leads b
       join bench_told before on before.id = b.lead_id
       left join bulk_leads u on u.account_id = b.account_id and u.act_id = $2 and u.lead_id = b.lead_id
       left join leads l on l.account_id = b.account_id and l.id = b.lead_id
       left join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
      where b.act_id = $1 and b.left_at is not null and u.refused is null
        and not exists (select from events e where e.account_id = b.account_id and e.lead_id = b.lead_id
          and e.user_id = any ($3::bigint[]) and e.id > (select last_event from bench_before))
        and (u.place is null or l.id is null or before.told <> ${TOLD})`,
    [actId, undoId, agents.map(({ id }) => id)],
  );
  return rows;
}

type Place = { total: number; position: number; turns: number; gathering: boolean; finished: boolean };

/** How far it says that it is, and how many leads have had their turn. */
async function readPlace(client: Client, id: number, counted: boolean): Promise<Place> {
  const { rows } = await client.query<Place>(
    `select total::int, position::int, gathered_after is not null as gathering, finished_at is not null as finished,
            case when $2 then (select count(*) from bulk_leads l
              where l.act_id = b.id and (l.left_at is not null or l.refused is not null))::int end as turns
       from bulk_acts b where id = $1`,
    [id, counted],
  );
  return rows[0]!;
}

/** No node gets a turn of it until that is through. Says how long it was. */
async function holdAct(client: Client, id: number, until: () => Promise<void>): Promise<number> {
  await client.query('begin');
  await client.query('select from bulk_acts where id = $1 for update', [id]);
  const begun = performance.now();
  await until();
  await client.query('commit');
  return performance.now() - begun;
}

async function follow(
  means: Means,
  name: string,
  { id, kind }: BulkAct,
  announced: number,
): Promise<Omit<BulkRun, 'alone'>> {
  const { client, shift, subscriber, hooks, restart, lists } = means;
  const heard = async () => (await (await fetch(`http://127.0.0.1:${subscriber.port}`)).json()) as Heard;
  const before = (await heard()).different;
  shift.feel();
  const begun = performance.now();
  const kills = [...KILLS];
  let misplaced = 0;
  let [holdAt, heldMs] = [begun + HELD.everyMs, 0];
  for (;;) {
    const { total, position, gathering, finished } = await readPlace(client, id, false);
    if (finished) break;
    if (!gathering && performance.now() > holdAt) {
      heldMs += await holdAct(client, id, () => shift.apart(() => sleep(HELD.ms)));
      holdAt = performance.now() + HELD.everyMs;
    }
    if (!gathering && kills.length > 0 && position >= total * kills[0]!) {
      kills.shift();
      await shift.except(restart);
      holdAt = performance.now() + HELD.everyMs;
      const place = await readPlace(client, id, true);
      // An undo's rows hold what it puts back from the beginning: of it the place alone is compared.
      if (place.position < position || (kind !== 'undo' && place.turns !== place.position)) misplaced += 1;
    }
    await sleep(LOOK_MS);
  }
  const seconds = (performance.now() - begun - heldMs) / 1_000;
  const [felt, held] = [shift.feel(), shift.feelApart()];
  const act = await ask<BulkAct>(means, 'GET', `/bulk/${id}`);
  const { rows } = await client.query<{ written: number }>(
    `select count(*)::int as written from deliveries d join events e on e.account_id = d.account_id and e.id = d.event_id
      where d.webhook_id = any ($1::bigint[]) and d.later and d.created_at >= $2`,
    [hooks, act.created_at],
  );
  const { written } = rows[0]!;
  await sleep(1_000);
  const arrived = (await heard()).different - before;
  const miscounted = (await client.query(MISCOUNTED, [lists])).rowCount!;
  const why = act.reasons
    .slice(0, 3)
    .map(({ reason, number }) => `${number} ${reason}`)
    .join(', ');
  const { total, done, refusals: refused } = act;
  return { name, total, done, refused, seconds, felt, held, misplaced, miscounted, announced, written, arrived, why };
}
