import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { Refusal } from './refusal.ts';

/**
 * How the way to the database is: whether others use its connections between two transactions of ours (`shared`: a pooler such as PgBouncer
 * in transaction mode), and whether a statement that was prepared under a name is there with the next one (`named`).
 */
export type Way = { shared: boolean; named: boolean };

export const DIRECT: Way = { shared: false, named: true };

const NAME = 'leadline_probe';
const PATIENCE_MS = 3_000;
/** A pooler that has more idle connections than this may hide what it does; then the careful way is taken. */
const MOST_ASKED = 12;

/** Tried, not asked: poolers do not say what they are. */
export async function probeWay(url: string, patience = PATIENCE_MS): Promise<Way> {
  const opened: Client[] = [];
  const open = async () => {
    const client = new Client({
      connectionString: url,
      application_name: NAME,
      connectionTimeoutMillis: patience,
      query_timeout: patience,
    });
    client.on('error', () => {});
    opened.push(client);
    await client.connect();
    return client;
  };
  // A name of its own: what an earlier probe prepared may still be there, on any connection of the pooler.
  const named = { name: `${NAME}_${randomBytes(8).toString('hex')}`, text: 'select pg_backend_pid() as pid' };
  const serverOf = async (client: Client, question: string | typeof named) =>
    (await client.query<{ pid: number }>(question)).rows[0]!.pid;

  try {
    const own = await open();
    // A pooler hands out process ids of its own.
    if ((own as unknown as { processID: number }).processID === (await serverOf(own, named.text))) return DIRECT;
    // Its own answer says where it was prepared: a question later others may have that connection.
    const server = await serverOf(own, named);
    for (let turn = 0; turn < MOST_ASKED; turn += 1) {
      const other = await open();
      await other.query('begin');
      // The other has the connection on which we prepared: now ours is another one.
      if ((await serverOf(other, named.text)) === server) return { shared: true, named: await answers(own, named) };
    }
    return { shared: true, named: false };
  } finally {
    for (const client of opened) await client.end().catch(() => {});
  }
}

const answers = (client: Client, named: { name: string; text: string }): Promise<boolean> =>
  client.query(named).then(
    () => true,
    () => false,
  );

/** Migrations take a lock that belongs to a connection, so their way must not be shared. */
export async function refuseShared({ url, directUrl }: { url: string; directUrl: string }, way: Way): Promise<void> {
  if (!way.shared || (directUrl !== url && !(await probeWay(directUrl)).shared)) return;
  throw new Refusal(
    `${directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'} leads through a pooler that shares its connections. ` +
      'Set DATABASE_DIRECT_URL to the database itself: migrations need a connection of their own.',
  );
}
