import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { asIs } from '../../test/database.ts';
import { query, type Db } from './db.ts';
import type { Sql } from './sql.ts';

const SERVER = join(import.meta.dirname, '..');

test('a statement is named after its file', () => {
  const elsewhere = globSync('**/*.ts', { cwd: SERVER })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...readFileSync(join(SERVER, file), 'utf8').matchAll(/\bsql(?:For)?\(\s*'([^']+)'/g)].flatMap(([, name]) =>
        name!.startsWith(`${file.slice(0, -'.ts'.length)}.`) ? [] : [`${name} in server/${file}`],
      ),
    );
  assert.deepEqual(elsewhere, []);
});

// Looked at by the compiler alone: each line below an expectation has to be refused, or the expectation is.
test('what rows are taken for is compared with what they are made of', () => {
  const found = asIs('') as Sql<{ id: number; state: string; at: Date | null; ids: number[] }>;
  const look = (db: Db) => [
    query<{ id: number; state: 'new' | 'won'; at: Date | null; ids: number[] | null }>(db, found, []),
    query<{ id: number | null }>(db, found, []),
    query(db, found, []),
    // @ts-expect-error -- it has no such member
    query<{ name: string }>(db, found, []),
    // @ts-expect-error -- it is a number
    query<{ id: string }>(db, found, []),
    // @ts-expect-error -- it can be null
    query<{ at: Date }>(db, found, []),
    // @ts-expect-error -- they are numbers
    query<{ ids: string[] }>(db, found, []),
    // @ts-expect-error -- a text that nothing was asked about
    query(db, 'select 1', []),
  ];
  assert.equal(typeof look, 'function');
});
