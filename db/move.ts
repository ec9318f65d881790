import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { migrate } from './migrate.ts';
import { describe, hostsOf } from './hosts.ts';
import { checkExternal } from './open.ts';
import { probeWay } from './pooler.ts';
import { Refusal } from './refusal.ts';

/** Copies every table to another database in one transaction there, and commits only when counts and checksums are equal. */
export async function move(sourceUrl: string, to: string, say: (sentence: string) => void): Promise<void> {
  if (!hostsOf(to).every((host) => URL.canParse(host)))
    throw new Refusal('--to takes an address such as postgresql://user:password@host/leadline.');
  const targetUrl = await checkExternal(to, say);
  if ((await probeWay(targetUrl)).shared)
    throw new Refusal(
      '--to leads through a pooler that shares its connections. Name the database itself: migrations need a connection of their own.',
    );
  await migrate(sourceUrl);
  const source = await connect(sourceUrl);
  const target = await connect(targetUrl);
  try {
    await refuseBusy(source);
    await refuseFilled(target, describe(targetUrl));
    await migrate(targetUrl);
    await makeQueues(sourceUrl, targetUrl);
    await source.query('begin isolation level repeatable read, read only');
    await target.query('begin');
    // Checked with each table: a check that is still due would forbid switching its triggers on again.
    await target.query('set constraints all immediate');
    await makeParts(source, target);
    const tables = await listTables(source);
    // Installing the job queue and a first start left rows there; the other tables were found empty.
    const begun = tables.filter((table) => table.startsWith('pgboss.') || table === 'public.installation');
    await target.query(`truncate ${begun.join(', ')}`);
    for (const table of tables) {
      const rows = await copyTable(source, target, table);
      if (rows > 0) say(`${table.padEnd(30)} ${String(rows).padStart(12)} rows, equal`);
    }
    await copySequences(source, target);
    await target.query('commit');
    say(`Everything is in ${describe(targetUrl)}. Start Leadline with DATABASE_URL set to it and SECRET_KEY as before`);
    say('(of an embedded database: the content of the file `secret` in its data folder).');
  } finally {
    await source.end();
    await target.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'leadline move' });
  await client.connect();
  // Rows are compared by their text, so both sides have to write it alike.
  await client.query(
    "set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex'",
  );
  return client;
}

async function refuseBusy(source: Client): Promise<void> {
  const { rows } = await source.query<{ host: string; pid: number }>(
    "select host, pid from nodes where seen_at between now() - interval '30 seconds' and now() + interval '5 seconds'",
  );
  if (rows.length === 0) return;
  const names = rows.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ');
  throw new Refusal(`Leadline is at work (${names}). Stop it first: what is changed during the move would be lost.`);
}

async function refuseFilled(target: Client, address: string): Promise<void> {
  const { rows } = await target.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not in ('migrations', 'installation')`,
  );
  for (const { name } of rows) {
    const { rowCount } = await target.query(`select from ${name} limit 1`);
    if (rowCount)
      throw new Refusal(`The database ${address} is not empty: its table ${name} has rows. Make a new one.`);
  }
}

/** The job queue installs its own tables; some queues have one of their own. */
async function makeQueues(sourceUrl: string, targetUrl: string): Promise<void> {
  const options = { schema: 'pgboss', supervise: false, schedule: false };
  const source = new PgBoss({ ...options, connectionString: sourceUrl });
  const target = new PgBoss({ ...options, connectionString: targetUrl });
  await source.start();
  await target.start();
  for (const { name, policy, partition } of await source.getQueues()) {
    await target.createQueue(name, { ...(policy && { policy }), ...(partition && { partition }) });
  }
  await source.stop();
  await target.stop();
}

/** What lies ready of an uploaded file is in parts of their own, which no migration makes. */
async function makeParts(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ part: string; whole: string; bound: string }>(
    `select format('%I', p.relname) as part, format('%I', w.relname) as whole, pg_get_expr(p.relpartbound, p.oid) as bound
       from pg_inherits i join pg_class p on p.oid = i.inhrelid join pg_class w on w.oid = i.inhparent
      where p.relispartition and p.relkind = 'r' and p.relnamespace = 'public'::regnamespace`,
  );
  for (const { part, whole, bound } of rows)
    await target.query(`create table public.${part} partition of public.${whole} ${bound}`);
}

/** Tables with rows of their own, those that others refer to first. */
async function listTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; refers_to: string[] }>(
    `select format('%I.%I', nspname, relname) as name,
            array(select distinct format('%I.%I', fn.nspname, f.relname)
                    from pg_constraint
                    join pg_class f on f.oid = confrelid
                    join pg_namespace fn on fn.oid = f.relnamespace
                   where contype = 'f' and conrelid = c.oid and confrelid <> c.oid) as refers_to
       from pg_class c
       join pg_namespace n on n.oid = relnamespace
      where nspname in ('public', 'pgboss') and relkind = 'r' and (nspname, relname) <> ('public', 'migrations')
      order by 1`,
  );
  const ordered: string[] = [];
  const waiting = new Map(rows.map(({ name, refers_to }) => [name, refers_to]));
  while (waiting.size > 0) {
    const free = [...waiting].find(([, others]) => others.every((other) => !waiting.has(other)));
    if (!free) throw new Error(`These tables refer to each other in a circle: ${[...waiting.keys()].join(', ')}`);
    ordered.push(free[0]);
    waiting.delete(free[0]);
  }
  return ordered;
}

async function copyTable(source: Client, target: Client, table: string): Promise<number> {
  const { rows } = await source.query<{ columns: string }>(
    `select string_agg(format('%I', attname), ', ' order by attnum) as columns from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const { columns } = rows[0]!;
  // What triggers derive is copied too, so here they would do it twice.
  await target.query(`alter table ${table} disable trigger user`);
  await pipeline(
    source.query(copyTo(`copy ${table} (${columns}) to stdout`)),
    target.query(copyFrom(`copy ${table} (${columns}) from stdin`)),
  );
  await target.query(`alter table ${table} enable trigger user`);
  const [before, after] = [await measure(source, table), await measure(target, table)];
  if (before.rows === after.rows && before.checksum === after.checksum) return Number(before.rows);
  throw new Refusal(`The copy of ${table} differs (${before.rows} rows here, ${after.rows} there). Nothing was moved.`);
}

async function measure(client: Client, table: string): Promise<{ rows: string; checksum: string }> {
  const { rows } = await client.query<{ rows: string; checksum: string }>(
    `select count(*)::text as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as checksum from only ${table} t`,
  );
  return rows[0]!;
}

async function copySequences(source: Client, target: Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname in ('public', 'pgboss')`,
  );
  for (const { name } of rows) {
    const { rows: state } = await source.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from ${name}`,
    );
    await target.query('select setval($1::regclass, $2::bigint, $3)', [
      name,
      state[0]!.last_value,
      state[0]!.is_called,
    ]);
  }
}
