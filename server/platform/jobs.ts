import { PgBoss } from 'pg-boss';
import type { Pool } from './db.ts';
import { isDatabaseAway, isLockTimeout, isTooSlow } from './errors.ts';
import type { Log } from './log.ts';
import type { Measure } from './measures.ts';

/** Work that is done later. Handlers are short and may run twice: a node can die between the work and the note that it was done. */
export type Job<Data extends object = never> = {
  name: string;
  /** A cron expression, in UTC, for work that nobody asks for. */
  every?: string;
  run: (data: Data) => Promise<void>;
};

/** The queue itself, ready to be asked; `work` begins to do what it holds. */
export type Jobs = {
  boss: PgBoss;
  /** `former`: what earlier versions did by jobs. It would be asked for by its schedule for ever, and done by nobody. */
  work(jobs: Job[], former?: string[]): Promise<void>;
  stop(patience?: number): Promise<void>;
};

/** Of what a stop broke off: pg-boss counts it as an attempt that failed, and puts it off or, the last time, gives it up. */
const GIVE_BACK = `
  update pgboss.job set state = 'retry', started_on = null, completed_on = null, start_after = now(), output = null
   where id = any($1::uuid[]) and state in ('retry', 'failed')`;

/** That the database is away is told once, by its pulse; not that it took too long over something. */
const isToldElsewhere = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(isToldElsewhere)
    : isDatabaseAway(error) && !isTooSlow(error) && !isLockTimeout(error);

export async function startJobs(pool: Pool, log: Log): Promise<Jobs> {
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) }, schema: 'pgboss' });
  // While the database is away every poll fails; that it is away is told elsewhere, once.
  boss.on('error', (given) => {
    // Often a plain object that has only the members of an error.
    const error = given instanceof Error ? given : Object.assign(new Error((given as Error).message), given);
    log[isDatabaseAway(error) ? 'debug' : 'error']({ err: error }, 'A job could not be handled');
  });
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'The job queue needs attention'));
  await boss.start();
  const underWay = new Set<string>();
  const work = async (jobs: Job[], former: string[] = []) => {
    for (const { name, every, run } of jobs) {
      // Without a heartbeat the jobs of a killed node would wait for their expiry, a quarter of an hour.
      await boss.createQueue(name, { heartbeatSeconds: 10, retryLimit: 5, retryDelay: 10, retryBackoff: true });
      // What someone asks for may take long, and waits for nobody else's; what the clock asks for is one at a time.
      await boss.work<never>(name, { localConcurrency: every ? 1 : 4 }, async ([job]) => {
        if (!job) return;
        underWay.add(job.id);
        await run(job.data)
          .catch((error: unknown) => {
            if (!isToldElsewhere(error)) log.error({ err: error, job: name }, 'A job failed');
            throw error;
          })
          .finally(() => underWay.delete(job.id));
      });
      if (every) await boss.schedule(name, every);
    }
    // By name: what is merely unknown here may be a later version's, which runs beside this one.
    for (const name of former) {
      await boss.unschedule(name);
      await boss.deleteQueue(name);
    }
  };
  /** What is not done by then goes back, for another node to begin anew at once. */
  const stop = async (patience = 20_000) => {
    await boss.stop({ graceful: true, timeout: patience, close: false });
    if (underWay.size > 0) await pool.query(GIVE_BACK, [[...underWay]]);
  };
  return { boss, work, stop };
}

export const JOBS: Measure[] = [
  {
    name: 'leadline_jobs_failed',
    help: 'Jobs of the last hour that failed for good, by name',
    labels: ['name'],
    text: `select q.name, count(j.id) as value from pgboss.queue q
             left join pgboss.job j on j.name = q.name and j.state = 'failed'
               and j.completed_on > now() - interval '1 hour'
            group by 1`,
  },
  {
    name: 'leadline_jobs_overdue_seconds',
    help: 'For how long a job is due that has not begun',
    text: `select coalesce(max(extract(epoch from now() - start_after)), 0) as value from pgboss.job
            where state < 'active' and not blocked and start_after <= now()`,
  },
];
