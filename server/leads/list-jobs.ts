import { setTimeout as sleep } from 'node:timers/promises';
import type { ListJob } from '../../contract/list-pages.ts';
import type { ColumnKind } from '../../contract/lists.ts';
import { splitNames } from '../lists/columns.ts';
import {
  dropFits,
  finishListJob,
  moveListJob,
  nextListJobs,
  readListJob,
  startListJob,
  takeListJob,
  type JobKind,
  type TakenJob,
} from '../lists/jobs.ts';
import { shareShape } from '../lists/shape-lock.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query, type Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { sql } from '../platform/sql.ts';
import { startTurns, type Turns } from '../platform/turns.ts';
import type { Transact, Work } from '../platform/work.ts';
import { findLeadList } from './access.ts';
import { countMisfits } from './fit.ts';
import { removeSomeLeads } from './remove.ts';
import { renameCategory } from './rename.ts';
import { settleLeads } from './settle.ts';
import type { Batch } from './stretch.ts';

/** What is done to all leads of a list in the background, batch by batch: docs/decisions/0033. */

/** How a batch of each kind is done. It ends in a fraction of a second, since what it locks others wait for. */
const BATCHES: { [kind in JobKind]: (work: Work, job: TakenJob) => Promise<Batch> } = {
  settle: settleLeads,
  rename_category: renameCategory,
  fit: countMisfits,
  remove: removeSomeLeads,
};
const KINDS = Object.keys(BATCHES) as JobKind[];

/** After a batch others have the database to themselves, for half as long as it took. */
const REST = 0.5;

type Means = { db: Db; transact: Transact; log: Log; restMs?: number };

/** An account has one turn at a time on a node, its people one after the other. */
export function giveListTurns({ db, transact, log, restMs }: Means): Turns {
  const look = () => nextListJobs(db, KINDS);
  const take = async ({ account_id, id }: Awaited<ReturnType<typeof look>>[number]): Promise<boolean> => {
    const begun = performance.now();
    const goesOn = await transact((work) => doBatch(work, account_id, id));
    if (goesOn) await sleep((performance.now() - begun) * REST);
    return goesOn;
  };
  return startTurns({ what: 'Jobs of lists', width: 3, ofAccount: 1, look, take, log, ...(restMs && { restMs }) });
}

// For a lead that someone has locked a batch waits briefly, and is done again a little later.
const BRIEFLY = sql('leads/list-jobs.briefly')`select set_config('lock_timeout', '500ms', true)`;

/** What is done and how far it has come are one transaction. False: there is nothing to do just now, or another node has it: the lock on the job says who. */
async function doBatch(work: Work, accountId: number, id: number): Promise<boolean> {
  const [, job] = await Promise.all([
    shareShape(work.db, accountId),
    takeListJob(work, accountId, id),
    query(work.db, BRIEFLY, []),
  ]);
  return job ? !(await goOn(work, job)).waits : false;
}

async function goOn(work: Work, job: TakenJob): Promise<Batch> {
  const batch = await BATCHES[job.kind](work, job);
  if (batch.through) await finishListJob(work, job, batch.result);
  else await moveListJob(work, job, batch);
  return batch;
}

const FIELD = sql('leads/list-jobs.field')`
  select key, label from list_columns where account_id = $1 and list_id = $2 and id = $3`;

/** Of a small list it is through before anyone waits. */
const FIRST_MS = 200;

/** Begins to count the values of a field that another kind would not fit, instead of what the same person had counted before. */
export async function startFit(
  work: Work,
  actor: Actor,
  { listId, fieldId }: { listId: number | undefined; fieldId: number | undefined },
  read: () => { kind: ColumnKind; options?: string | string[] },
): Promise<ListJob> {
  const account = actor.account.id;
  const list = await findLeadList(work, actor, listId, 'lists.write');
  const { key, label } = await one<{ key: string; label: string }>(work.db, FIELD, [account, list.id, fieldId ?? 0]);
  const { kind: to, options = [] } = read();
  const what = `${label} is looked through.`;
  await dropFits(work, actor, list.id);
  const id = await startListJob(work, actor, list.id, {
    kind: 'fit',
    what,
    key,
    to,
    options: splitNames('options', options),
  });
  for (const until = performance.now() + FIRST_MS; performance.now() < until;) {
    const job = await takeListJob(work, account, id);
    if (!job || (await goOn(work, job)).through) break;
  }
  return readListJob(work, actor, list.id, id);
}
