import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type Connection, type Submittable } from 'pg';
import { STATEMENTS } from '../server/platform/sql.ts';

const SERVER = join(import.meta.dirname, '..', 'server');

/** What PostgreSQL says of a column of a row, as the driver passes it on. */
type Field = { name: string; dataTypeID: number; tableID: number; columnID: number };

/** What the rows of each statement of the service are made of, given a migrated database and as what the driver reads a type. */
export async function generateRows(url: string, readAs: (type: string) => string): Promise<string> {
  await importStatements();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const types = await readTypes(client);
    const nullable = await readNullable(client);
    const write = ({ name, dataTypeID, tableID, columnID }: Field): string => {
      const made = readAs(types.get(dataTypeID)!);
      const member = /^\w+$/.test(name) ? name : `'${name}'`;
      return `${member}: ${made}${nullable.has(`${tableID}.${columnID}`) && made !== 'Json' ? ' | null' : ''}`;
    };
    const rows: string[] = [];
    for (const [name, { texts, given }] of [...STATEMENTS].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const forms = new Set<string>();
      for (const text of texts)
        forms.add((await describe(client, name, standingOn(given, text))).map(write).join('; '));
      if (forms.size > 1) throw new Error(`The forms of ${name} have different rows: ${[...forms].join(' and ')}.`);
      const [members] = [...forms];
      rows.push(`  '${name}': ${members ? `{ ${members} }` : 'object'};\n`);
    }
    return (
      '// Written by `npm run generate`: what the rows of each statement are made of, as PostgreSQL describes it. Whether an expression, or a\n' +
      '// column of a table that is joined only where there is a row, can be null it does not say.\n\n' +
      `type Json = any;\n\nexport type Rows = {\n${rows.join('')}};\n`
    );
  } finally {
    await client.end();
  }
}

/** Whatever makes a statement is imported, and nothing else: some files begin to work when they are. */
async function importStatements(): Promise<void> {
  const files = globSync('**/*.ts', { cwd: SERVER }).filter((file) => !file.endsWith('.test.ts'));
  for (const file of files.toSorted()) {
    if (/\bsql(?:For)?\(/.test(readFileSync(join(SERVER, file), 'utf8'))) await import(join(SERVER, file));
  }
}

/** With what stands for the rows of the parts before it. */
function standingOn(given: Record<string, string>, text: string): string {
  const parts = Object.entries(given).map(([name, select]) => `${name} as (${select})`);
  if (parts.length === 0) return text;
  return /^\s*with\b/.test(text)
    ? text.replace(/^\s*with\b/, `with ${parts.join(', ')}, `)
    : `with ${parts.join(', ')} ${text}`;
}

/** Parsed and described, never run. */
const describe = (client: Client, name: string, text: string): Promise<Field[]> =>
  new Promise((resolve, reject) => {
    let fields: Field[] = [];
    const question = {
      submit(connection: Connection) {
        const wire = connection as unknown as Record<'parse' | 'describe', (given: object) => void> & { sync(): void };
        wire.parse({ text });
        wire.describe({ type: 'S' });
        wire.sync();
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        fields = message.fields;
      },
      // The driver says nothing more of a question that failed.
      handleError: (error: Error) =>
        reject(new Error(`PostgreSQL refuses ${name}: ${error.message}`, { cause: error })),
      handleReadyForQuery: () => resolve(fields),
    };
    client.query(question as unknown as Submittable);
  });

async function readTypes(client: Client): Promise<Map<number, string>> {
  const { rows } = await client.query<{ oid: number; name: string }>('select oid, typname as name from pg_type');
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

/** Columns that can be null, as `table.number`. */
async function readNullable(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select attrelid || '.' || attnum as name from pg_attribute where not attnotnull and attnum > 0`,
  );
  return new Set(rows.map(({ name }) => name));
}
