import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from './database.ts';

const SERVER = join(import.meta.dirname, '..', 'server');

/** The demo has a past: what it made by the nouns' verbs it dates back. */
const MAY_DATE_BACK = 'demo';

/** Which rooms write a table, from `insert into`, `update … set`, `delete from` and what nouns have swept. */
function drawWriters(): Map<string, Map<string, string>> {
  const writers = new Map<string, Map<string, string>>();
  const writes =
    /\b(?:insert into|delete from) ([a-z_]+)\b|\bupdate ([a-z_]+)\s+(?:[a-z]+ )?set\b|\btable: '([a-z_]+)', past/g;
  for (const file of globSync('*/**/*.ts', { cwd: SERVER })) {
    if (file.endsWith('.test.ts')) continue;
    const [room] = file.split('/') as [string];
    for (const [, inserted, updated, swept] of readFileSync(join(SERVER, file), 'utf8').matchAll(writes)) {
      const table = (inserted ?? updated ?? swept)!;
      if (!writers.has(table)) writers.set(table, new Map());
      if (room !== MAY_DATE_BACK) writers.get(table)!.set(room, `server/${file}`);
    }
  }
  return writers;
}

test('a table is written by one noun; what others want of it they ask that noun for', () => {
  const writers = drawWriters();
  assert.ok(writers.size > 25, 'the statements are found at all');
  const shared = [...writers].filter(([, rooms]) => rooms.size > 1);
  assert.deepEqual(
    shared.map(
      ([table, rooms]) =>
        `${table} is written by ${[...rooms].map(([room, file]) => `${room} (${file})`).join(' and by ')}. ` +
        'Leave it to the noun it belongs to, and call its verb or take its statement.',
    ),
    [],
  );
});

// Columns of an index or a constraint, in their order.
const named = (table: string, numbers: string) => `
  array(select a.attname::text from unnest(${numbers}) with ordinality as each (number, place)
          join pg_attribute a on a.attrelid = ${table} and a.attnum = each.number order by each.place)`;

const OF_ACCOUNTS = `
  select c.oid, c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'account_id' and not a.attisdropped`;

test('what is of an account has the account first in its primary key, and in every reference to what is of one', async () => {
  const { pool } = await createTestDatabase();
  const keys = await pool.query<{ name: string; columns: string[] }>(
    `select t.name, ${named('t.oid', 'i.indkey')} as columns from (${OF_ACCOUNTS}) t
       join pg_index i on i.indrelid = t.oid and i.indisprimary`,
  );
  const elsewhere = keys.rows.filter(({ columns }) => columns[0] !== 'account_id').map(({ name }) => name);
  // These are looked for by their hash before the account is known.
  assert.deepEqual(elsewhere.toSorted(), ['api_keys', 'sessions']);
  const references = await pool.query<{ name: string; columns: string[] }>(
    `select k.conname::text as name, ${named('k.conrelid', 'k.conkey')} as columns from pg_constraint k
       join (${OF_ACCOUNTS}) own on own.oid = k.conrelid
       join (${OF_ACCOUNTS}) other on other.oid = k.confrelid where k.contype = 'f'`,
  );
  assert.ok(references.rows.length > 15);
  assert.deepEqual(
    references.rows.filter(({ columns }) => !columns.includes('account_id')).map(({ name }) => name),
    [],
  );
});
