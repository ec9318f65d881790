import { Client } from 'pg';
import { PLAN_ANEW } from '../server/platform/db.ts';
import type { BenchDatabase } from './database.ts';
import { captureStatements, type Statement } from './statements.ts';

/** The plans of all that the product asks of the database, as they are at a million leads. */

const HEAD = `# Plans at 1.1 million leads

Written by \`npm run bench -- --explain > docs/plans.md\`. The statements are those that the requests led to, with their values. What the
product prepares is shown with its general plan, which is what a connection comes to after five runs; what it plans anew, with
the plan for these values. Where the database would go on planning what is prepared, as it looks cheaper for the values at hand than for any,
the plan says so in its first line: \`whenRun\` of server/platform/sql.ts is against that.
`;

export async function explain(database: BenchDatabase): Promise<string> {
  const verbs = await captureStatements(database);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const shown = new Map<string, number>();
  const parts = [HEAD];
  try {
    for (const { verb, statements } of verbs) {
      parts.push(`## ${verb}\n`);
      for (const statement of statements) {
        const plan = await planOf(client, statement);
        const [took, before] = [timeOf(plan), shown.get(statement.text)];
        // The same text with other values may be another matter: an offset of half a million, a word that many have.
        const alike = before !== undefined && took < before * 3;
        if (!alike) shown.set(statement.text, took);
        parts.push(`\`${shorten(statement.text)}\`\n`);
        parts.push(alike ? `As above, ${took} ms.\n` : `\`\`\`\n${plan}\n\`\`\`\n`);
      }
    }
  } finally {
    await client.end();
  }
  return parts.join('\n');
}

const REALLY = 'analyze, buffers, costs off, summary on';

/** Taken back afterwards: `analyze` really does it. */
async function planOf(client: Client, { text, values }: Statement): Promise<string> {
  const anew = text.startsWith(PLAN_ANEW);
  const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
  const kept = anew || values.length === 0 || (await isKept(client, text, given));
  await client.query(`set plan_cache_mode = ${anew ? 'force_custom_plan' : 'force_generic_plan'}`);
  await client.query(`prepare shown as ${text}`);
  try {
    await client.query('begin');
    const show = async (how: string) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (${how}) execute shown ${given}`);
      return [...(kept ? [] : [PLANNED_ANEW]), ...rows.map((row) => row['QUERY PLAN'])].join('\n');
    };
    try {
      // Twice: the first reads the catalogue, too.
      await show(REALLY);
      await client.query('rollback; begin');
      return await show(REALLY);
    } catch {
      // An insert under an id that was drawn for it succeeds only once.
      await client.query('rollback; begin');
      return `(not run again)\n${await show('costs off')}`;
    }
  } finally {
    await client.query('rollback; deallocate shown');
  }
}

const PLANNED_ANEW = '(planned anew each time)';
/** After so many the database chooses. */
const RUNS = 7;

/** Whether the database comes to one plan for all values. */
async function isKept(client: Client, text: string, given: string): Promise<boolean> {
  await client.query('set plan_cache_mode = auto');
  await client.query(`prepare shown as ${text}`);
  try {
    for (let run = 0; run < RUNS; run += 1) {
      await client.query('begin');
      await client.query(`execute shown ${given}`);
      await client.query('rollback');
    }
    const counted = await client.query("select generic_plans from pg_prepared_statements where name = 'shown'");
    return Number(counted.rows[0].generic_plans) > 0;
  } catch {
    // An insert under an id that was drawn for it succeeds only once.
    return true;
  } finally {
    await client.query('rollback; deallocate shown');
  }
}

const timeOf = (plan: string) => Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1] ?? 0);

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return `'${textOf(value).replaceAll("'", "''")}'`;
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (Array.isArray(value)) {
    const item = (one: unknown) =>
      one === null || one === undefined ? 'null' : `"${textOf(one).replaceAll(/["\\]/g, '\\$&')}"`;
    return `{${value.map(item).join(',')}}`;
  }
  return String(value);
}

const shorten = (text: string) => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 220 ? `${line.slice(0, 220)} …` : line;
};
