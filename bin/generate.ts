// `npm run generate`: what is written by programs. A check in `npm test` compares it with what is there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { generateRows } from './generate-rows.ts';
import { generateZones } from './generate-zones.ts';
import { describeForEnv, describeForReadme } from '../server/settings-papers.ts';
import { makeExamples } from './examples/make.ts';

const ROOT = join(import.meta.dirname, '..');

/** Path and content of every generated file but the examples, given a database that was migrated just now. */
export async function generate(url: string): Promise<Record<string, string>> {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return {
    'db/schema.ts': await generateSchema(url),
    'db/rows.ts': await generateRows(url, (type) => (isJson(type) ? 'Json' : readAs(type))),
    'server/platform/zones.json': generateZones(),
    '.env.example': describeForEnv(),
    'README.md': readme.replace(
      /(?<=<!-- settings -->\n)[^]*(?=<!-- \/settings -->)/,
      () => `${describeForReadme()}\n`,
    ),
  };
}

/** Apart: a call is made and recorded for them, which takes its time. They fill the database. */
export const generateExamples = async (url: string): Promise<Record<string, string>> => ({
  'server/docs/examples.json': await makeExamples(url),
});

const COLUMNS = `
  select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as nullable
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
   order by c.relname collate "C", a.attname collate "C"`;

type Column = { table: string; name: string; type: string; nullable: boolean };

/** As server/platform/db.ts has the driver read them. */
const READ_AS: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  float4: 'number',
  float8: 'number',
  inet: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  jsonb: 'unknown',
  numeric: 'string',
  text: 'string',
  timestamptz: 'Date',
  tsvector: 'string',
  uuid: 'string',
  void: 'string',
};

const isJson = (type: string) => ['json', 'jsonb', '_json', '_jsonb'].includes(type);

function readAs(type: string): string {
  if (type.startsWith('_')) return `${readAs(type.slice(1))}[]`;
  const read = READ_AS[type];
  if (!read) throw new Error(`Say in bin/generate.ts as what the driver reads ${type}.`);
  return read;
}

async function generateSchema(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Column>(COLUMNS).finally(() => client.end());
  const tables = Map.groupBy(rows, ({ table }) => table);
  const types = [...tables].map(([table, columns]) => {
    const members = columns.map(
      ({ name, type, nullable }) =>
        `  ${name}: ${readAs(type)}${nullable && readAs(type) !== 'unknown' ? ' | null' : ''};\n`,
    );
    return `\nexport type ${typeName(table)} = {\n${members.join('')}};\n`;
  });
  return `// Written by \`npm run generate\`: a row of each table, as it is read.\n${types.join('')}`;
}

const typeName = (table: string) => table.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-generate-'));
  const database = await openDatabase(undefined, { dataDir: { path: folder, explicit: true } });
  await migrate(database.directUrl);
  try {
    const made = Object.entries({ ...(await generate(database.url)), ...(await generateExamples(database.url)) });
    for (const [path, content] of made) writeFileSync(join(ROOT, path), content);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
}
