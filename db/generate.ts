import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from './open.ts';
import { migrate } from './migrate.ts';

const SCHEMA = join(import.meta.dirname, 'schema.ts');

/** The types of all tables, as a database that was migrated just now has them. */
export function generateSchema(url: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-types-'));
  const file = join(folder, 'schema.ts');
  const { status, stderr } = spawnSync(
    'kysely-codegen',
    [
      '--dialect=postgres',
      `--url=${url}`,
      `--out-file=${file}`,
      '--default-schema=public',
      '--exclude-pattern=pgboss.*',
      // server/platform/db.ts has the driver read them so.
      '--type-mapping={"int8":"number"}',
      '--log-level=error',
    ],
    { encoding: 'utf8', cwd: folder },
  );
  if (status !== 0) throw new Error(`kysely-codegen failed: ${stderr}`);
  const types = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  return types;
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-generate-'));
  const database = await openDatabase(undefined, { dataDir: { path: folder, explicit: true } });
  await migrate(database.directUrl);
  writeFileSync(SCHEMA, generateSchema(database.url));
  await database.close();
  rmSync(folder, { recursive: true });
}
