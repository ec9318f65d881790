import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { createBareDatabase } from '../test/database.ts';
import { eventually, makeFolder } from '../test/leadline.ts';
import { migrate } from './migrate.ts';

function writeMigrations(files: Record<string, string>): string {
  const folder = makeFolder();
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql);
  return folder;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('ten nodes that start together migrate once', async () => {
  const url = await createBareDatabase();
  const folder = writeMigrations({
    '0001_a.sql': 'create table a (id int); select pg_sleep(0.2)',
    '0002_b.sql': 'create table b (id int)',
  });
  const results = await Promise.all(Array.from({ length: 10 }, () => migrate(url, folder)));
  assert.deepEqual(
    results.filter((applied) => applied.length > 0),
    [['0001_a.sql', '0002_b.sql']],
  );
});

test('a migration that fails leaves nothing, and is named', async () => {
  const url = await createBareDatabase();
  const folder = writeMigrations({
    '0001_a.sql': 'create table a (id int)',
    '0002_b.sql': 'create table b (id int); select nonsense',
  });
  await assert.rejects(migrate(url, folder), /0002_b\.sql failed and nothing of it was kept: .*nonsense/);
  assert.deepEqual(await query(url, "select to_regclass('a')::text as a, to_regclass('b')::text as b"), [
    { a: 'a', b: null },
  ]);
});

test('a migration changed after it was applied is refused', async () => {
  const url = await createBareDatabase();
  const folder = writeMigrations({ '0001_a.sql': 'create table a (id int)' });
  await migrate(url, folder);
  writeFileSync(join(folder, '0001_a.sql'), 'create table a (id bigint)');
  await assert.rejects(migrate(url, folder), /0001_a\.sql was changed after it had been applied/);
});

test('a database that a newer program has migrated is refused, and left as it is', async () => {
  const url = await createBareDatabase();
  const newer = writeMigrations({ '0001_a.sql': 'create table a (id int)', '0002_b.sql': 'create table b (id int)' });
  await migrate(url, newer);
  const older = writeMigrations({ '0001_a.sql': 'create table a (id int)', '0001_c.sql': 'create table c (id int)' });
  await assert.rejects(migrate(url, older), /by a newer Leadline: 0002_b\.sql is not known to this one/);
  assert.deepEqual(await query(url, "select to_regclass('c')::text as c"), [{ c: null }]);
});

test('a migration that meets a table in use lets requests through and tries again', async () => {
  const url = await createBareDatabase();
  await query(url, 'create table a (id int)');
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; lock table a in access share mode');
  const folder = writeMigrations({ '0001_a.sql': 'alter table a add column name text' });
  const migrated = migrate(url, folder);
  await eventually(
    'the migration waits',
    async () => (await query(url, "select from pg_locks where relation = 'a'::regclass and not granted")).length > 0,
  );
  // Behind a migration that waited without end this read would wait too, and be cut off.
  await query(url, "set statement_timeout = '20s'; select * from a");
  await holder.query('commit');
  await holder.end();
  assert.deepEqual(await migrated, ['0001_a.sql']);
});
