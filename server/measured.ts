import type { OpenDatabase } from '../db/open.ts';
import { readLastBackup } from '../db/embedded/last-backup.ts';
import { BULK_ACTS } from './bulk/backlog.ts';
import { IMPORTS } from './imports/backlog.ts';
import type { Switchboard } from './calls/switchboard.ts';
import { CALLS } from './calls/under-way.ts';
import { MAILS } from './mails/backlog.ts';
import type { Pool } from './platform/db.ts';
import { watchFolders } from './platform/disk.ts';
import { JOBS } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { addMeasures } from './platform/measures.ts';
import type { Recordings } from './settings.ts';
import { watchNumber, type Metrics } from './platform/metrics.ts';
import { NODES, type Node } from './platform/nodes.ts';
import { HOLDS } from './leads/holds.ts';
import { RECORDINGS } from './recordings/backlog.ts';
import { TEXTS } from './texts/backlog.ts';
import { DELIVERIES, deliveryAttempts } from './webhooks/backlog.ts';

type Means = {
  pool: Pool;
  log: Log;
  node: Node;
  line: Pick<Switchboard, 'isHolder'>;
  database: OpenDatabase;
  /** Where recordings wait to be stored. */
  incoming: string;
  recordings: Recordings;
};

/** All that is measured beside requests and connections, listed. docs/operate.md says what to make of it. */
export function addMeasured(metrics: Metrics, { pool, log, node, line, database, incoming, recordings }: Means): void {
  const work = [...DELIVERIES, ...JOBS, ...MAILS, ...BULK_ACTS, ...IMPORTS];
  addMeasures(metrics, pool, log, [...work, ...CALLS, ...TEXTS, ...RECORDINGS, ...HOLDS, ...NODES]);
  metrics.register.registerMetric(deliveryAttempts);
  watchNumber(metrics, 'leadline_heartbeat_age_seconds', 'Time since this process could last say that it lives', () =>
    node.silentFor(),
  );
  watchNumber(metrics, 'leadline_line_holder', 'Whether this process looks after the telephone line', () =>
    line.isHolder() ? 1 : 0,
  );
  const folder = database.embedded?.home.folder;
  watchFolders(metrics, {
    ...(folder && { data: folder }),
    incoming,
    ...('folder' in recordings && { recordings: recordings.folder }),
  });
  if (!folder) return;
  watchNumber(metrics, 'leadline_last_backup_timestamp_seconds', 'When leadline backup last succeeded; 0: never', () =>
    readLastBackup(folder),
  );
}
