import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Account } from '../server/platform/actor.ts';
import { Secrets } from '../server/platform/secrets.ts';
import { makeSecret } from '../server/webhooks/sign.ts';
import { KEYS } from './database.ts';
import { median } from './measure.ts';
import { cpuSeconds, type Measured } from './processes.ts';
import type { Heard } from './subscriber.ts';

/** How fast deliveries that wait are brought to those who answer at once, alone and beside those who never answer. */

const TO_ONE = 20_000;
const TO_EACH_OF_TEN = 3_000;
const HANGING = 100;
const TO_EACH_THAT_HANGS = 100;
/** All of them hang before the others are begun with. */
const HANGING_FIRST = HANGING;
const PATIENCE_MS = 120_000;

type Round = { rate: number; node: number; postgres: number };

export type Webhooks = {
  one: Round;
  ten: Round;
  beside: Round;
  /** Arrived more than once; not noted as delivered. */
  repeats: number;
  missing: number;
};

type Measures = {
  url: string;
  account: Account;
  product: Measured;
  subscriber: Measured;
  postmaster: number;
  rounds: number;
  say: (sentence: string) => void;
};

export async function measureWebhooks({ rounds, say, ...means }: Measures): Promise<Webhooks> {
  const client = new Client({ connectionString: means.url });
  await client.connect();
  try {
    const kinds = {
      one: { good: 1, each: TO_ONE, hanging: 0 },
      ten: { good: 10, each: TO_EACH_OF_TEN, hanging: 0 },
      beside: { good: 10, each: TO_EACH_OF_TEN, hanging: HANGING },
    };
    type Kind = keyof typeof kinds;
    const all: Record<Kind, Round[]> = { one: [], ten: [], beside: [] };
    let [repeats, missing] = [0, 0];
    await bring(client, means, { good: 1, each: 2_000, hanging: 0 });
    for (let round = 0; round < rounds; round += 1) {
      for (const [kind, amounts] of Object.entries(kinds) as [Kind, Amounts][]) {
        const brought = await bring(client, means, amounts);
        repeats += brought.repeats;
        missing += brought.missing;
        all[kind].push(brought);
        say(`webhooks, ${kind}: ${Math.round(brought.rate)} a second`);
      }
    }
    return { one: middle(all.one), ten: middle(all.ten), beside: middle(all.beside), repeats, missing };
  } finally {
    await client.end();
  }
}

function middle(rounds: Round[]): Round {
  const of = (figure: keyof Round) => median(rounds.map((round) => round[figure]));
  return { rate: of('rate'), node: of('node'), postgres: of('postgres') };
}

type Amounts = { good: number; each: number; hanging: number };
type Means = Pick<Measures, 'account' | 'product' | 'subscriber' | 'postmaster'>;

async function bring(client: Client, means: Means, { good, each, hanging }: Amounts) {
  const { account, product, subscriber, postmaster } = means;
  const address = `http://127.0.0.1:${subscriber.port}`;
  const hear = async () => (await (await fetch(address)).json()) as Heard;
  const forget = async () => void (await fetch(address, { method: 'DELETE' }));
  await forget();
  if (hanging > 0) {
    await fill(client, await subscribe(client, account, `${address}/hang`, hanging), TO_EACH_THAT_HANGS);
    await until(async () => (await hear()).hanging >= HANGING_FIRST);
  }
  const hooks = await subscribe(client, account, `${address}/good`, good);
  const before = [cpuSeconds(product.pid), cpuSeconds(postmaster, true)] as const;
  await fill(client, hooks, each);
  const all = good * each;
  await until(async () => (await hear()).different >= all);
  const [node, postgres] = [cpuSeconds(product.pid) - before[0], cpuSeconds(postmaster, true) - before[1]];
  const { arrivals, seconds } = await hear();

  // Those that hang are ended and let go; then all that is under way comes to be noted.
  await client.query(
    `with ended as (update webhooks set ended_at = now() where ended_at is null and target_url like '%/hang/%' returning id)
     update deliveries d set state = 'failed' from ended where d.webhook_id = ended.id and d.state = 'waiting'`,
  );
  await forget();
  const waiting = "select count(*)::int as left from deliveries where state = 'waiting'";
  await until(async () => (await client.query<{ left: number }>(waiting)).rows[0]!.left === 0);
  const { rows } = await client.query<{ delivered: number }>(
    `select count(*)::int as delivered from deliveries where webhook_id = any ($1::bigint[]) and state = 'delivered'`,
    [hooks],
  );
  return {
    rate: all / seconds,
    node: (node / all) * 1e6,
    postgres: (postgres / all) * 1e6,
    repeats: arrivals - all,
    missing: all - rows[0]!.delivered,
  };
}

let made = 0;

/** To what is won anywhere in the account, or to all that happens in a list. */
export async function subscribe(
  client: Client,
  account: Account,
  address: string,
  count: number,
  listId?: number,
): Promise<string[]> {
  const secrets = new Secrets(KEYS.secretKey);
  const urls = Array.from({ length: count }, () => `${address}/${(made += 1)}`);
  const { rows } = await client.query<{ id: string }>(
    `insert into webhooks (account_id, list_id, event, target_url, sealed)
     select $1, $4, case when $4::bigint is null then 'winner' else 'new_event' end, w.url, w.sealed
       from unnest($2::text[], $3::bytea[]) as w (url, sealed) returning id`,
    [account.id, urls, urls.map(() => secrets.seal(makeSecret())), listId ?? null],
  );
  return rows.map(({ id }) => id);
}

/** All at the same moment, those of all subscribers mixed. */
async function fill(client: Client, hooks: string[], each: number): Promise<void> {
  await client.query(
    `insert into deliveries (account_id, webhook_id, resource)
     select w.account_id, w.id, '/api/v2/leads/' || number
       from generate_series(1, $2::int) as number cross join webhooks w where w.id = any ($1::bigint[])`,
    [hooks, each],
  );
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await reached()); await sleep(100)) {
    if (Date.now() > deadline) throw new Error('Deliveries did not come to an end.');
  }
}
