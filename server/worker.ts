import type { Db, Pool } from './platform/db.ts';
import { startJobs, type Job, type Jobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { forgetSilentNodes } from './platform/nodes.ts';

/** All jobs and schedules, listed. */
const listJobs = (db: Db): Job[] => [
  { name: 'forget-silent-nodes', every: '17 * * * *', run: () => forgetSilentNodes(db) },
];

export const startWorker = (pool: Pool, db: Db, log: Log): Promise<Jobs> => startJobs(pool, listJobs(db), log);
