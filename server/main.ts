import { once } from 'node:events';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { migrate } from '../db/migrate.ts';
import { openDatabase, type OpenDatabase } from '../db/open.ts';
import { DIRECT, probeWay, refuseShared } from '../db/pooler.ts';
import { Refusal } from '../db/refusal.ts';
import { buildApp, type Parts } from './app.ts';
import { hasOwner } from './accounts/accounts.ts';
import { findAccount } from './accounts/find.ts';
import type { Config } from './config.ts';
import { firstRunLink } from './door/first-run.ts';
import { makeOwner, placeRecordings, readSecretKey } from './household.ts';
import { createDb } from './platform/db.ts';
import { startJobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { joinNodes, refuseSharedFolder, type Role } from './platform/nodes.ts';
import { createPools, endPools } from './platform/pool.ts';
import { startPulse } from './platform/pulse.ts';
import { Secrets } from './platform/secrets.ts';
import { openWays } from './platform/work.ts';
import { openStore } from './recordings/store.ts';
import { fanOut } from './webhooks/fan-out.ts';
import { listJobs, startDeliveries, startLine } from './worker.ts';

export type Running = {
  /** Where the web server listens; unset for a worker. */
  address?: string;
  /** The link that makes the account and its owner, while there is none. */
  firstRun?: string;
  database: OpenDatabase;
  stop(): Promise<void>;
};

/** What is started last is stopped first. */
type Undo = () => Promise<unknown>;

/** Answers requests and does the jobs. */
export async function serve(config: Config, log: Log): Promise<Running> {
  let stopping = false;
  return start('serve', config, log, async ({ pools, ways, pulse, store, undo }) => {
    if (config.owner) await makeOwner(ways.usual.transact, config, log);
    const app = buildApp({ config, pools, ways, pulse, store, log, isStopping: () => stopping });
    const address = await listen(app, config);
    undo(() => app.close());
    undo(async () => {
      stopping = true;
      await leaveQuietly(app);
    });
    return address;
  });
}

/**
 * Stops so that no request is cut off: first load balancers are told (by /health/ready), then the door is closed to new connections
 * alone, and those that are kept get "close" with their next answer. `server.close()` would also cut idle ones, on which the next
 * request may be under way.
 */
async function leaveQuietly({ server }: FastifyInstance): Promise<void> {
  await sleep(500);
  const closed = once(server, 'close');
  NetServer.prototype.close.call(server);
  await Promise.race([closed, sleep(500)]);
}

/** Does the jobs only. */
export const work = (config: Config, log: Log): Promise<Running> => start('work', config, log, async () => undefined);

type Started = Pick<Parts, 'pools' | 'ways' | 'pulse' | 'store'> & { undo: (step: Undo) => void };

async function start(
  role: Role,
  config: Config,
  log: Log,
  open: (started: Started) => Promise<string | undefined>,
): Promise<Running> {
  const steps: Undo[] = [];
  const undo = (step: Undo) => void steps.unshift(step);
  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= (async () => {
      for (const step of steps) {
        // One that fails must not keep the others, and PostgreSQL, from stopping.
        await step().catch((error: unknown) => log.error({ err: error }, 'A part did not stop in order'));
      }
    })());

  try {
    // A worker joins the embedded server of a `serve` that runs already.
    const database = await openDatabase(config.database, {
      dataDir: config.dataDir,
      attach: role === 'work',
      say: (sentence) => log.warn(sentence),
    });
    undo(() => database.close());
    const way = database.embedded ? DIRECT : await probeWay(database.url);
    if (way.shared) log.info(way, 'A pooler is between this and the database');
    await refuseShared(database, way);
    const applied = await migrate(database.directUrl);
    if (applied.length > 0) log.info({ applied }, 'The database was migrated');
    const pulse = startPulse(database.hosts, database.url, log);
    undo(() => pulse.stop());
    const pools = createPools(database.url, { log, pulse, way });
    undo(() => endPools(pools));
    const db = createDb(pools.vital);
    // The embedded database is used from this machine alone, whatever it was called before a restart.
    const recordings = placeRecordings(config, database);
    if (!database.embedded && 'folder' in recordings) await refuseSharedFolder(db, recordings.folder);
    const node = await joinNodes(db, role, log);
    undo(() => node.leave());
    const jobs = await startJobs(pools.background, log);
    undo(() => jobs.stop());
    const secrets = new Secrets(readSecretKey(config, database));
    const store = openStore(recordings);
    const ways = openWays(pools, { secrets, tell: fanOut, boss: jobs.boss, nudge: () => line.nudge() });
    const { vital, background } = ways;
    const { db: backgroundDb } = background.reading;
    const { carrier } = config;
    const line = startLine({ db, transact: vital.transact, store, log, nodeId: node.id, carrier, recordings });
    undo(() => line.stop());
    const means = { db: backgroundDb, secrets, transact: background.transact, config, store, recordings, log };
    await jobs.work(listJobs(means));
    undo(startDeliveries(means));
    const address = await open({ pools, ways, pulse, store, undo });
    const account = await findAccount({ db }, '');
    const firstRun = (await hasOwner(db, account))
      ? undefined
      : await firstRunLink({ db, secrets }, account, config.baseUrl);
    return { ...(address && { address }), ...(firstRun && { firstRun }), database, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen(app: FastifyInstance, { bind, port }: Config): Promise<string> {
  try {
    return await app.listen({ host: bind, port });
  } catch (error) {
    await app.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Refusal(`Port ${port} is taken by another program. Set PORT to a free one.`);
    }
    if (code === 'EACCES') {
      throw new Refusal(
        `Port ${port} may not be opened by this user. Set PORT to one above 1023, behind a proxy if need be.`,
      );
    }
    if (code === 'EADDRNOTAVAIL') throw new Refusal(`BIND is ${bind}, which is no address of this machine.`);
    throw error;
  }
}
