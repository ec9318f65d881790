import { Client } from 'pg';
import { hire } from '../../bench/agents.ts';
import { migrate } from '../../db/migrate.ts';
import { setUp } from '../../server/people/accounts/accounts.ts';
import { readKey } from '../../server/people/keys/keys.ts';
import { findLeadList } from '../../server/leads/access.ts';
import { loadLeads } from '../../server/leads/load.ts';
import { createList } from '../../server/lists/lists.ts';
import { serviceActor, type Account } from '../../server/platform/actor.ts';
import { createDb } from '../../server/platform/db.ts';
import { createLog } from '../../server/platform/log.ts';
import { createPool } from '../../server/platform/pool.ts';
import { hashPassword } from '../../server/platform/passwords.ts';
import { Secrets } from '../../server/platform/secrets.ts';
import { createTransact } from '../../server/platform/work.ts';
import { consequences } from '../../server/consequences.ts';
import { subscribe } from '../../server/webhooks/webhooks.ts';

/** An account with agents at a list, and another list that a program writes to. */

export const SECRET_KEY = 'the same on every node, 32 characters';

export type World = {
  account: Account;
  key: string;
  /** Agents take their leads from here. */
  queue: number;
  /** A client of the API makes and changes leads here. */
  desk: number;
  agents: { id: number; token: string }[];
  /** Of each subscriber's address, the subscription to winners of the queue. */
  webhooks: number[];
};

type Wanted = { leads?: number; lead?: Record<string, string>; agents?: number; subscribers?: string[] };

/** So long that a page of such leads does not fit between client and server: whoever does not read it holds it up in the service. */
export const LONG_LEAD = { first_name: 'Ann '.repeat(1_000) };

export async function furnish(
  url: string,
  { leads = 0, lead = { first_name: 'Ann' }, agents = 1, subscribers = [] }: Wanted,
): Promise<World> {
  await migrate(url);
  const pool = createPool(url, { log: createLog('silent') });
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    const db = createDb(pool);
    const secrets = new Secrets(SECRET_KEY);
    const transact = createTransact({ db, secrets, consequences });
    const owner = { email: 'owner@example.com', passwordHash: await hashPassword('correct horse battery') };
    const { account } = await transact((work) =>
      setUp(work, undefined, { name: 'Acme', baseUrl: 'http://localhost' }, owner),
    );
    const actor = serviceActor(account, 'faults');
    const newList = (name: string) => transact((work) => createList(work, actor, { name }));
    const [queue, desk] = [(await newList('Queue')).id, (await newList('Desk')).id];
    for (let left = leads; left > 0; left -= 1_000) {
      const rows = Array.from({ length: Math.min(left, 1_000) }, () => lead);
      await transact(async (work) =>
        loadLeads(work, actor, await findLeadList(work, actor, queue, 'leads.write'), rows),
      );
    }
    const webhooks: number[] = [];
    for (const target_url of subscribers) {
      const { id } = await transact((work) => subscribe(work, actor, queue, { event: 'winner', target_url }));
      webhooks.push(id);
    }
    const key = (await readKey({ db, secrets }, { accountId: account.id, userId: null }))!;
    return { account, key, queue, desk, agents: await hire(client, account.id, queue, agents), webhooks };
  } finally {
    await client.end();
    await pool.end();
  }
}
