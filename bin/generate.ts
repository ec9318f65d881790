// `npm run generate`: what is written by programs. A check in `npm test` compares it with what is there.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { describeForEnv, describeForReadme } from '../server/settings-papers.ts';

const ROOT = join(import.meta.dirname, '..');

/** Path and content of every generated file, given a database that was migrated just now. */
export function generate(url: string): Record<string, string> {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return {
    'db/schema.ts': generateSchema(url),
    '.env.example': describeForEnv(),
    'README.md': readme.replace(
      /(?<=<!-- settings -->\n)[^]*(?=<!-- \/settings -->)/,
      () => `${describeForReadme()}\n`,
    ),
  };
}

function generateSchema(url: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-types-'));
  const file = join(folder, 'schema.ts');
  const { status, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/kysely-codegen'),
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
  for (const [path, content] of Object.entries(generate(database.url))) writeFileSync(join(ROOT, path), content);
  await database.close();
  rmSync(folder, { recursive: true });
}
