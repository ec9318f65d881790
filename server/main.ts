import { once } from 'node:events';
import { Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { migrate } from '../db/migrate.ts';
import { openDatabase, type OpenDatabase } from '../db/open.ts';
import { Refusal } from '../db/refusal.ts';
import { buildApp } from './app.ts';
import { hasOwner } from './accounts/accounts.ts';
import { findAccount } from './accounts/find.ts';
import type { Config } from './config.ts';
import { firstRunLink } from './door/first-run.ts';
import { makeOwner, placeIncoming, placeRecordings, readSecretKey, type Household } from './household.ts';
import { createDb, createPool } from './platform/db.ts';
import { startJobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { joinNodes, refuseSharedFolder, type Role } from './platform/nodes.ts';
import { Secrets } from './platform/secrets.ts';
import { createTransact } from './platform/work.ts';
import { nameFolder, openIncoming } from './recordings/incoming.ts';
import { openStore, type Store } from './recordings/store.ts';
import { fanOut } from './webhooks/fan-out.ts';
import { listJobs, startDeliveries, startLine, startTidying } from './worker.ts';

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
  return start('serve', config, log, async ({ pool, db, secrets, transact, store, undo }) => {
    if (config.owner) await makeOwner(transact, config, log);
    const app = buildApp({ config, pool, db, secrets, transact, store, log, isStopping: () => stopping });
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

type Started = Household & { store: Store; undo: (step: Undo) => void };

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
    const applied = await migrate(database.directUrl);
    if (applied.length > 0) log.info({ applied }, 'The database was migrated');
    const pool = createPool(database.url, log);
    const db = createDb(pool);
    undo(() => pool.end());
    // The embedded database is used from this machine alone, whatever it was called before a restart.
    const recordings = placeRecordings(config, database);
    const folder = 'folder' in recordings ? recordings.folder : undefined;
    const incoming = openIncoming(placeIncoming(config, database), folder && join(folder, 'incoming'));
    const folderId = folder ? nameFolder(folder) : null;
    if (!database.embedded && folder) await refuseSharedFolder(db, folder, folderId!);
    const node = await joinNodes(db, role, log, folderId);
    undo(() => node.leave());
    const jobs = await startJobs(pool, log);
    undo(() => jobs.stop());
    const secrets = new Secrets(readSecretKey(config, database));
    const store = openStore(recordings);
    const transact = createTransact({ db, secrets, tell: fanOut, boss: jobs.boss, nudge: () => line.nudge() });
    const line = startLine({ db, transact, store, log, node, carrier: config.carrier, incoming });
    undo(() => line.stop());
    await jobs.work(listJobs({ db, secrets, transact, config, store, incoming: incoming.path, log }));
    undo(startTidying({ db, log }));
    undo(startDeliveries({ db, secrets, config, log, node }));
    const address = await open({ pool, db, secrets, transact, incoming: incoming.path, store, undo });
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
