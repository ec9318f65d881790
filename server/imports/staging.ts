import { query, type Tx } from '../platform/db.ts';
import { sql, type Sql } from '../platform/sql.ts';

/** What lies ready of a file until it is imported: chunks, rows, and what they become. Each import has a part of its own of these tables. */
export const STAGED = ['import_chunks', 'import_rows', 'import_checked'] as const;
type Staged = (typeof STAGED)[number];

const partOf = (table: Staged, importId: number): string => `${table}_${Math.trunc(importId)}`;

const send = (tx: Tx, text: string) => query(tx, text as Sql, []);

const NOTE = sql('imports/staging.note')`insert into import_parts (account_id, import_id) values ($1, $2)`;

// Made apart and then attached: a part that is made in place would wait for everyone who reads or writes another.
export async function openParts(tx: Tx, accountId: number, importId: number): Promise<void> {
  await query(tx, NOTE, [accountId, importId]);
  for (const table of STAGED) {
    const part = partOf(table, importId);
    await send(tx, `create table if not exists ${part} (like ${table} including all)`);
    await send(tx, `alter table ${table} attach partition ${part} for values in (${Math.trunc(importId)})`);
  }
}

/** Nobody else's part is waited for. */
export const emptyPart = (tx: Tx, table: Staged, importId: number) => send(tx, `truncate ${partOf(table, importId)}`);

const FORGET = sql('imports/staging.forget')`delete from import_parts where import_id = $1`;

export async function dropParts(tx: Tx, importId: number): Promise<void> {
  for (const table of STAGED) await send(tx, `drop table if exists ${partOf(table, importId)}`);
  await query(tx, FORGET, [importId]);
}

/** So that the database knows what is in a part that was just filled. */
export const analyzePart = (tx: Tx, table: Staged, importId: number, columns: string[]) =>
  send(tx, `analyze ${partOf(table, importId)} (${columns.join(', ')})`);

/** Imports that parts are there of. */
export const PARTS = `
  select distinct substring(part.relname from '\\d+$')::bigint as import_id
    from pg_inherits i join pg_class part on part.oid = i.inhrelid join pg_class parent on parent.oid = i.inhparent
   where parent.relname in (${STAGED.map((table) => `'${table}'`).join(', ')})`;
