import { once } from 'node:events';
import { Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { migrate } from '../db/migrate.ts';
import { openDatabase, type OpenDatabase } from '../db/open.ts';
import { NEVER, unlessAborted, within } from '../db/patience.ts';
import { DIRECT, probeWay, refuseShared, type Way } from '../db/pooler.ts';
import { Refusal } from '../db/refusal.ts';
import { buildApp, type Parts } from './app.ts';
import { hasOwner } from './people/accounts/accounts.ts';
import { findAccount } from './people/accounts/find.ts';
import type { Config } from './config.ts';
import { firstRunLink } from './door/first-run.ts';
import { makeOwner, placeIncoming, placeRecordings, unseal } from './household.ts';
import { addMeasured } from './measured.ts';
import { buildOperationsApp } from './operations-app.ts';
import { createDb } from './platform/db.ts';
import { startJobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { createMetrics, watchPool } from './platform/metrics.ts';
import { joinNodes, refuseApart, type Role } from './platform/nodes.ts';
import { refuseWithoutPages } from './pages/application.ts';
import { createPools, endPools } from './platform/pool.ts';
import { startPulse } from './platform/pulse.ts';
import { openWays, type Nudged } from './platform/work.ts';
import { nameFolder, openIncoming } from './recordings/incoming.ts';
import { openStore } from './recordings/open.ts';
import { consequences } from './consequences.ts';
import { FORMER_JOBS, giveTurns, listJobs, startDeliveries, startLine, startTidying } from './worker.ts';

export type Running = {
  /** Where the web server listens; unset for a worker. */
  address?: string;
  /** The link that makes the account and its owner, while there is none. */
  firstRun?: string;
  database: OpenDatabase;
  stop(): Promise<void>;
};

/**
 * What is stopped together, one group after another, and how long each may hold up the next: first all that does something, then the row
 * that says so, then what they did it with. The database has what is left of the whole.
 */
const GROUPS = { work: 5_500, node: 1_000, pool: 1_000, database: 9_000 };
const WHOLE_MS = 9_000;

type Group = keyof typeof GROUPS;
/** Told how many milliseconds it has. */
type Undo = (patience: number) => Promise<unknown>;

/** Answers requests and does the jobs. */
export async function serve(config: Config, log: Log, signal: AbortSignal = NEVER): Promise<Running> {
  refuseWithoutPages();
  let stopping = false;
  return start('serve', config, log, signal, async ({ pools, ways, pulse, store, node, metrics, undo }) => {
    if (config.owner) await makeOwner(ways.usual.transact, config, log);
    const app = buildApp({ config, pools, ways, pulse, store, node, log, metrics, isStopping: () => stopping });
    const address = await listen(app, config.bind, 'PORT', config.port);
    undo('work', async () => {
      stopping = true;
      await leaveQuietly(app);
      await app.close();
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
  await within(500, closed);
}

/** Does the jobs only, and tells those who watch it how it is. */
export async function work(config: Config, log: Log, signal: AbortSignal = NEVER): Promise<Running> {
  let stopping = false;
  return start('work', config, log, signal, async ({ pulse, metrics, undo }) => {
    if (config.workPort === undefined) return undefined;
    const app = buildOperationsApp({ config, pulse, log, metrics, isStopping: () => stopping });
    const address = await listen(app, config.bind, 'WORK_PORT', config.workPort);
    undo('work', async () => {
      stopping = true;
      await app.close();
    });
    return address;
  });
}

type Started = Required<Pick<Parts, 'pools' | 'ways' | 'pulse' | 'store' | 'node' | 'metrics'>> & {
  undo: (group: Group, step: Undo) => void;
};
type Open = (started: Started) => Promise<string | undefined>;

/** Once the signal is given, the start ends where it is, undone. */
async function start(role: Role, config: Config, log: Log, signal: AbortSignal, open: Open): Promise<Running> {
  const steps: Record<Group, Undo[]> = { work: [], node: [], pool: [], database: [] };
  const undo = (group: Group, step: Undo) => {
    steps[group].push(step);
    signal.throwIfAborted();
  };
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= takeDown(steps, log));

  let opening: Promise<Running> | undefined;
  try {
    // A worker joins the embedded server of a `serve` that runs already.
    const database = await openDatabase(config.database, {
      dataDir: config.dataDir,
      attach: role === 'work',
      say: (sentence) => log.warn(sentence),
      signal,
    });
    undo('database', (patience) => database.close(patience));
    const way = database.embedded ? DIRECT : await unlessAborted(signal, probeWay(database.url));
    if (way.shared) log.info(way, 'A pooler is between this and the database');
    await unlessAborted(signal, refuseShared(database, way));
    const applied = await migrate(database.directUrl, undefined, signal);
    if (applied.length > 0) log.info({ applied }, 'The database was migrated');
    opening = furnish({ role, config, log, database, way, stop, undo }, open);
    return await unlessAborted(signal, opening);
  } catch (error) {
    // What is just being opened undoes itself with the rest.
    if (opening) await within(1_000, opening);
    await stop();
    throw error;
  }
}

type Furnishing = { role: Role; config: Config; log: Log; database: OpenDatabase; way: Way } & Pick<Running, 'stop'> &
  Pick<Started, 'undo'>;

/** All that works on the database, up to the open door. */
async function furnish({ role, config, log, database, way, stop, undo }: Furnishing, open: Open): Promise<Running> {
  const pulse = startPulse(database.hosts, database.url, log);
  undo('pool', () => pulse.stop());
  const pools = createPools(database.url, { log, pulse, way, patience: config.databasePatience });
  undo('pool', () => endPools(pools));
  const metrics = createMetrics();
  for (const [kind, pool] of Object.entries(pools)) watchPool(metrics, kind, pool);
  const db = createDb(pools.vital);
  const secrets = await unseal(db, config, database);
  // The embedded database is used from this machine alone, whatever it was called before a restart.
  const recordings = placeRecordings(config, database);
  const folder = 'folder' in recordings ? recordings.folder : undefined;
  const incoming = openIncoming(placeIncoming(config, database), folder && join(folder, 'incoming'));
  const folderId = folder ? nameFolder(folder) : null;
  const node = await joinNodes(db, role, log, folderId);
  undo('node', () => node.leave());
  const place = folder && folderId ? { path: folder, folder: folderId } : 'a bucket';
  if (!database.embedded) await refuseApart(db, node, place);
  const jobs = await startJobs(pools.background, log);
  undo('work', (patience) => jobs.stop(patience - 1_000));
  const store = openStore(recordings);
  const nudge = (what: Nudged) => (what === 'line' ? line.nudge() : turns.nudge(what));
  const ways = openWays(pools, { secrets, consequences, boss: jobs.boss, nudge });
  const { vital, background } = ways;
  const { db: backgroundDb } = background.reading;
  const { carrier, media } = config;
  const line = startLine({ role, db, transact: vital.transact, store, log, node, carrier, media, incoming });
  undo('work', () => line.stop());
  const means = { db: backgroundDb, secrets, transact: background.transact, config, store, log, node };
  const turns = giveTurns(means);
  undo('work', () => turns.stop());
  await jobs.work(listJobs({ ...means, incoming: incoming.path }), FORMER_JOBS);
  undo('work', startTidying(means));
  undo('work', startDeliveries(means));
  addMeasured(metrics, { pool: pools.vital, log, node, line, database, incoming: incoming.path, recordings });
  const address = await open({ pools, ways, pulse, store, node, metrics, undo });
  const account = await findAccount({ db }, '');
  const firstRun = (await hasOwner(db, account))
    ? undefined
    : await firstRunLink({ db, secrets }, account, config.baseUrl);
  return { ...(address && { address }), ...(firstRun && { firstRun }), database, stop };
}

async function takeDown(steps: Record<Group, Undo[]>, log: Log): Promise<void> {
  const deadline = performance.now() + WHOLE_MS;
  for (const group of Object.keys(GROUPS) as Group[]) {
    const patience = Math.min(GROUPS[group], deadline - performance.now());
    const undone = steps[group].map((step) =>
      // One that fails must not keep the others, and PostgreSQL, from stopping.
      step(patience).catch((error: unknown) => log.error({ err: error }, 'A part did not stop in order')),
    );
    // Stopping the database ends by itself, and has to be seen through: it would otherwise be left running.
    const all = Promise.all(undone);
    if (group === 'database') await all;
    else if (!(await within(patience, all))) log.warn({ group }, 'Not all of it stopped in time');
  }
}

async function listen(
  app: FastifyInstance,
  bind: string,
  setting: 'PORT' | 'WORK_PORT',
  port: number,
): Promise<string> {
  try {
    return await app.listen({ host: bind, port });
  } catch (error) {
    await app.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Refusal(`Port ${port} is taken by another program. Set ${setting} to a free one.`);
    }
    if (code === 'EACCES') {
      throw new Refusal(
        `Port ${port} may not be opened by this user. Set ${setting} to one above 1023, behind a proxy if need be.`,
      );
    }
    if (code === 'EADDRNOTAVAIL') throw new Refusal(`BIND is ${bind}, which is no address of this machine.`);
    throw error;
  }
}
