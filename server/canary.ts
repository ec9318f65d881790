import { Refusal } from '../db/refusal.ts';
import { query, type Db } from './platform/db.ts';
import { sql, sqlFor } from './platform/sql.ts';
import { liveNodes } from './platform/nodes.ts';
import { Secrets } from './platform/secrets.ts';

/**
 * A known text, sealed under SECRET_KEY and kept in the database. A process that cannot open it has another key than the others: it would
 * fail every delivery it takes, and seal what the others cannot read. So it does not start.
 */
const TEXT = 'leadline';

const READ = sql('canary.read')`select sealed from installation`;
const MADE = sql('canary.made')`select to_regclass('public.installation') is not null as made`;
const WRITE = sql('canary.write')`insert into installation (sealed) values ($1) on conflict (alone) do nothing`;
const REPLACE = sql('canary.replace')`
  insert into installation (sealed) values ($1)
  on conflict (alone) do update set sealed = excluded.sealed, made_at = excluded.made_at`;

/** The secrets of this installation, or a refusal. The first start writes the text, if its key opens what is there already. */
export async function openSecrets(db: Db, secretKey: string): Promise<Secrets> {
  const secrets = new Secrets(secretKey);
  const canary = await readCanary(db);
  if (!canary) {
    if (!(await opensMost(db, secrets))) throw wrongKey();
    await query(db, WRITE, [secrets.seal(TEXT)]);
  }
  // Of several that start together with different keys the first has written it.
  if (!opens(secrets, canary ?? (await readCanary(db))!)) throw wrongKey();
  return secrets;
}

/** Whether this is the key of the database, which may be from before there was the text, or the tables. */
export async function isSecretKey(db: Db, secretKey: string): Promise<boolean> {
  const secrets = new Secrets(secretKey);
  const [table] = await query<{ made: boolean }>(db, MADE, []);
  const canary = table!.made ? await readCanary(db) : undefined;
  return canary ? opens(secrets, canary) : opensMost(db, secrets);
}

/** Whether nothing is sealed yet, so that any key will do. */
export const isUnsealed = async (db: Db): Promise<boolean> =>
  !(await readCanary(db)) && (await readNewest(db)).length === 0;

/** Where the former key is lost. What was sealed under it stays unreadable. A key that has to be made is made when nothing is in the way. */
export async function acceptSecretKey(db: Db, readKey: () => string): Promise<void> {
  const [node] = await liveNodes(db);
  if (node) throw new Refusal(`Leadline is at work (process ${node.pid} on ${node.host}). Stop it first.`);
  await query(db, REPLACE, [new Secrets(readKey()).seal(TEXT)]);
}

async function readCanary(db: Db): Promise<Buffer | undefined> {
  const [row] = await query<{ sealed: Buffer }>(db, READ, []);
  return row?.sealed;
}

// Whatever is sealed, in whichever table, is in a column of this name.
const SEALED_TABLES = sql('canary.sealed_tables')`
  select format('%I', relname) as name from pg_attribute join pg_class on pg_class.oid = attrelid
   where attname = 'sealed' and relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'installation'`;

const NEWEST = sqlFor(
  'canary.newest',
  (tables: string[]) => {
    const newest = tables.map((name) => `(select sealed, created_at from ${name} order by created_at desc limit 100)`);
    return `select sealed from (${newest.join(' union all ')}) newest order by created_at desc limit 100`;
  },
  [[['mails']], [['api_keys', 'mails', 'webhooks']]],
);

/**
 * Whether this key opens at least half of the hundred newest sealed rows; also where there are none. Not all: some may be of a key that was
 * lost long ago, or written by a node with the wrong one before there was this text.
 */
async function opensMost(db: Db, secrets: Secrets): Promise<boolean> {
  const rows = await readNewest(db);
  return rows.filter(({ sealed }) => opens(secrets, sealed)).length >= rows.length / 2;
}

async function readNewest(db: Db): Promise<{ sealed: Buffer }[]> {
  const tables = await query<{ name: string }>(db, SEALED_TABLES, []);
  if (tables.length === 0) return [];
  return query<{ sealed: Buffer }>(db, NEWEST(tables.map(({ name }) => name)), []);
}

function opens(secrets: Secrets, sealed: Buffer): boolean {
  try {
    secrets.open(sealed);
    return true;
  } catch {
    return false;
  }
}

const wrongKey = () =>
  new Refusal(
    'SECRET_KEY is not the one under which this database keeps its secrets (with the embedded database: the file `secret` ' +
      'in the data folder). Set the one the other nodes have. ' +
      whereLost('this one'),
  );

/** Without a key where there has been one. A file that is made now would not open anything, and would be taken for the key later. */
export const noKey = (file: string) =>
  new Refusal(
    `SECRET_KEY is not set and there is no file ${file}: one of them holds the key under which this database keeps its ` +
      `secrets. Set SECRET_KEY to the one the service has, or put the file back. ${whereLost('a new one')}`,
  );

const whereLost = (other: string) =>
  `Where it is lost, \`leadline secret --accept\` goes on with ${other}: webhooks then have to be subscribed and keys to ` +
  'be made anew.';
