import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepareHome } from '../db/embedded/home.ts';
import { openDatabase, type OpenDatabase } from '../db/open.ts';
import { DIRECT, probeWay, refuseShared, type Way } from '../db/pooler.ts';
import { Refusal } from '../db/refusal.ts';
import type { Config } from '../server/config.ts';

/** What commands have in common: a database for as long as one takes, and how they speak. */

export const say = (sentence: string) => console.log(sentence);

// What is said on the way must not get into what is printed: `KEY=$(leadline key)`.
export const remark = (sentence: string) => console.error(sentence);

/**
 * Uses the database of a running Leadline, or starts it for as long as the command takes. The way there is asked before anything is done:
 * a migration's lock that a pooler keeps would let no node start.
 */
export async function withDatabase<T>(
  config: Config,
  use: (database: OpenDatabase, way: Way) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config.database, { dataDir: config.dataDir, attach: true, say: remark });
  try {
    const way = database.embedded ? DIRECT : await probeWay(database.url);
    await refuseShared(database, way);
    return await use(database, way);
  } finally {
    await database.close();
  }
}

/** In a wrong folder a new, empty database would be made, and saved as if it were the real one. */
export function demandData({ database, dataDir }: Config): void {
  if (database) return;
  const { folder, cluster } = prepareHome(dataDir, remark);
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    throw new Refusal(`There is no database in ${folder}. Run this in the folder of the service, or set DATA_DIR.`);
  }
}

export function demandEmbedded<T>(embedded: T | undefined | false): T {
  if (embedded) return embedded;
  throw new Refusal(
    'DATABASE_URL is set: back up and restore that PostgreSQL with its own tools, such as pg_dump or pg_basebackup.',
  );
}
