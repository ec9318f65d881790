import { parentPort, workerData } from 'node:worker_threads';
import { findLeadList } from '../../server/leads/access.ts';
import { loadLeads } from '../../server/leads/load.ts';
import { serviceActor, type Account } from '../../server/platform/actor.ts';
import { createDb } from '../../server/platform/db.ts';
import { createPool } from '../../server/platform/pool.ts';
import { createLog } from '../../server/platform/log.ts';
import { Secrets } from '../../server/platform/secrets.ts';
import { createTransact } from '../../server/platform/work.ts';
import { consequences } from '../../server/consequences.ts';
import { makePerson } from './people.ts';

/** A thread that loads its share of the leads, the way an import does. */

export type Chunk = { listId: number; from: number; count: number };
export type Share = { url: string; secretKey: string; account: Account; chunks: Chunk[] };

const { url, secretKey, account, chunks } = workerData as Share;
const pool = createPool(url, { log: createLog('silent') });
const transact = createTransact({ db: createDb(pool), secrets: new Secrets(secretKey), consequences });
const actor = serviceActor(account, 'bench');

for (const { listId, from, count } of chunks) {
  await transact(async (work) => {
    const list = await findLeadList(work, actor, listId, 'leads.write');
    const people = Array.from({ length: count }, (_, index) => makePerson(from + index));
    await loadLeads(work, actor, list, people);
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(count);
}
await pool.end();
