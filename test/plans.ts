import { Client } from 'pg';
import type { Db } from '../server/platform/db.ts';
import { atEnd } from './database.ts';

type Node = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: Node[];
};

/** A step of a plan: how many rows it walked over, and of what. */
export type Step = { rows: number; table: string | undefined };
const stepsOf = (node: Node): Step[] => [
  {
    rows: (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    table: node['Relation Name'],
  },
  ...(node.Plans ?? []).flatMap(stepsOf),
];

/** Statements are planned for any values, as a connection comes to after five runs; or, where they say so, for each anew. */
export async function openPlans(url: string, mode: 'force_generic_plan' | 'auto' = 'force_generic_plan') {
  const client = new Client({ connectionString: url });
  await client.connect();
  atEnd(() => client.end());
  await client.query(`set plan_cache_mode = ${mode}`);
  let planned = 0;

  /** Planned now; what it walks over is told as often as it is asked. */
  async function plan(text: string, values: unknown[]): Promise<() => Promise<Step[]>> {
    planned += 1;
    const name = `shown_${planned}`;
    await client.query(`prepare ${name} as ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const run = `execute ${name} ${given}`;
    await client.query(`explain ${run}`);
    return async () => {
      const { rows } = await client.query(`explain (analyze, format json) ${run}`);
      return stepsOf(rows[0]['QUERY PLAN'][0].Plan);
    };
  }

  /** How many rows a statement walks over at most. */
  async function mostRows(text: string, values: unknown[]): Promise<number> {
    const walk = await plan(text, values);
    return Math.max(...(await walk()).map(({ rows }) => rows));
  }
  return { plan, mostRows };
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Array.isArray(value)) return literal(`{${value.map(elementOf).join(',')}}`);
  return `'${(value as number | string).toString().replaceAll("'", "''")}'`;
}

const elementOf = (value: unknown): string =>
  value === null ? 'null' : `"${(value as number | string).toString().replaceAll(/["\\]/g, '\\$&')}"`;

/** A database that tells what is sent to it. */
export function listenTo(db: Db): Db & { sent: [text: string, values: unknown[]][] } {
  const sent: [text: string, values: unknown[]][] = [];
  return {
    sent,
    send(text, values) {
      sent.push([text, values]);
      return db.send(text, values);
    },
  };
}
