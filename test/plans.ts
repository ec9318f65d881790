import { Client } from 'pg';
import type { Db } from '../server/platform/db.ts';
import { atEnd } from './database.ts';

type Node = { 'Actual Rows': number; 'Actual Loops': number; 'Rows Removed by Filter'?: number; Plans?: Node[] };
const most = (node: Node): number =>
  Math.max(
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...(node.Plans ?? []).map(most),
  );

/** How many rows a statement walks over at most, by the general plan that a connection comes to after five runs. */
export async function openPlans(url: string): Promise<(text: string, values: unknown[]) => Promise<number>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  atEnd(() => client.end());
  await client.query('set plan_cache_mode = force_generic_plan');
  return async (text, values) => {
    await client.query(`prepare shown as ${text}`);
    const { rows } = await client.query(
      `explain (analyze, format json) execute shown (${values.map(literal).join(', ')})`,
    );
    await client.query('deallocate shown');
    return most(rows[0]['QUERY PLAN'][0].Plan);
  };
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Array.isArray(value)) return `'{${value.map((one) => (one === null ? 'null' : String(one))).join(',')}}'`;
  return `'${value as string}'`;
}

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
