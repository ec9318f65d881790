import { hostname } from 'node:os';
import { sql } from 'kysely';
import { Refusal } from '../../db/refusal.ts';
import { VERSION } from '../version.ts';
import type { Db } from './db.ts';
import type { Log } from './log.ts';
import type { Measure } from './measures.ts';

const HEARTBEAT = 10_000;
/** Three heartbeats missed. */
const SILENT = sql<Date>`now() - interval '30 seconds'`;

export type Role = 'serve' | 'work';

export type Node = {
  id: number;
  /** Seconds since it last could say that it lives. */
  silentFor(): number;
  leave(): Promise<void>;
};

/** Writes this process down among the nodes and keeps saying that it lives, until `leave`. */
export async function joinNodes(db: Db, role: Role, log: Log): Promise<Node> {
  const { id } = await db
    .insertInto('nodes')
    .values({ role, host: hostname(), pid: process.pid, version: VERSION })
    .returning('id')
    .executeTakeFirstOrThrow();

  // Regular and cheap, so it is also what notices that the database is away, once, instead of every request.
  let away = false;
  let heardAt = performance.now();
  const beat = async () => {
    try {
      await db
        .updateTable('nodes')
        .set({ seen_at: sql`now()` })
        .where('id', '=', id)
        .execute();
      if (away) log.info('The database is back');
      away = false;
      heardAt = performance.now();
    } catch (error) {
      if (!away) log.warn({ err: error }, 'The database is away');
      away = true;
    }
  };
  const timer = setInterval(beat, HEARTBEAT);

  const leave = async () => {
    clearInterval(timer);
    await db
      .deleteFrom('nodes')
      .where('id', '=', id)
      .execute()
      .catch(() => {});
  };
  return { id, silentFor: () => (performance.now() - heardAt) / 1_000, leave };
}

export const liveNodes = (db: Db) =>
  db.selectFrom('nodes').selectAll().where('seen_at', '>', SILENT).orderBy('id').execute();

export const NODES: Measure[] = [
  {
    name: 'leadline_nodes',
    help: 'Processes that say they live',
    labels: ['role', 'version'],
    text: `select role, version, count(*) as value from nodes where seen_at > now() - interval '30 seconds' group by 1, 2`,
  },
];

/** Files in a folder of one machine would be missing on the others. */
export async function refuseSharedFolder(db: Db, folder: string): Promise<void> {
  const others = (await liveNodes(db)).filter(({ host }) => host !== hostname());
  if (others.length === 0) return;
  throw new Refusal(
    `RECORDINGS is the folder ${folder}, but ${others[0]!.host} works on the same database and could not read it. ` +
      'Set RECORDINGS to an S3-compatible bucket on every node.',
  );
}

/** Rows of processes that were killed and could not take their leave. */
export async function forgetSilentNodes(db: Db): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where('seen_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute();
}
