import type { QueryConfig } from 'pg';
import { Gauge } from 'prom-client';
import type { Pool } from './db.ts';
import { isDatabaseAway } from './errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** What the database knows: `text` selects `value`, and beside it each label under its own name. It has to be cheap, however much there is. */
export type Measure = { name: string; help: string; labels?: string[]; text: string };

/** Counted up to here: more is simply much. */
export const MOST_MEASURED = 100_000;

/** How many wait, and since when the oldest does. `rows` is what follows `from`, `since` a column of it. */
export const measureWaiting = (name: string, what: string, since: string, rows: string): Measure[] => {
  const some = `(select ${since} as since from ${rows} limit ${MOST_MEASURED}) w`;
  return [
    {
      name: `leadline_${name}`,
      help: `${what}, up to ${MOST_MEASURED}`,
      text: `select count(*) as value from ${some}`,
    },
    {
      name: `leadline_${name.replace(/_[a-z]+$/, '')}_oldest_seconds`,
      help: 'Since when the oldest of them waits',
      text: `select coalesce(extract(epoch from now() - min(since)), 0) as value from ${some}`,
    },
  ];
};

const PATIENCE_MS = 2_000;
const FRESH_MS = 3_000;

type Found = { measure: number; labels: Record<string, string>; value: number };
type Look = { up: boolean; found?: Map<number, Found[]> };

/**
 * Shows what the database knows, asked for in one statement by all who look within a few seconds. A database that does not answer is told
 * as such, in time, and what it would have known is not shown at all: an old figure would look like a good one.
 */
export function addMeasures({ register }: Metrics, pool: Pool, log: Log, measures: Measure[]): void {
  const text = measures
    .map(
      (measure, index) =>
        `select ${index} as measure, to_jsonb(m) - 'value' as labels, m.value::float8 from (${measure.text}) m`,
    )
    .join(' union all ');
  const look = lookNowAndThen(pool, log, text);
  void new Gauge({
    name: 'leadline_database_up',
    help: 'Whether the database answered in time',
    registers: [register],
    async collect() {
      this.set((await look()).up ? 1 : 0);
    },
  });
  for (const [index, { name, help, labels = [] }] of measures.entries()) {
    void new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [register],
      async collect() {
        const { found } = await look();
        this.reset();
        // Without labels a reset is a nought.
        if (labels.length === 0) this.remove();
        for (const one of found?.get(index) ?? []) this.set(one.labels, one.value);
      },
    });
  }
}

/** However many ask, the database is asked once in a while, and nobody waits for it for long. */
function lookNowAndThen(pool: Pool, log: Log, text: string): () => Promise<Look> {
  let asked: Promise<Look> | undefined;
  let since = -Infinity;
  return () => {
    if (!asked || performance.now() - since > FRESH_MS) {
      since = performance.now();
      asked = lookInTime(pool, log, text);
    }
    return asked;
  };
}

async function lookInTime(pool: Pool, log: Log, text: string): Promise<Look> {
  const late = Promise.withResolvers<Look>();
  const timer = setTimeout(() => late.resolve({ up: false }), PATIENCE_MS);
  const answer = ask(pool, text).then(
    (rows): Look => ({ up: true, found: Map.groupBy(rows, ({ measure }) => measure) }),
    (error: unknown): Look => {
      const up = !isDatabaseAway(error);
      if (up) log.error({ err: error }, 'The database could not be measured');
      return { up };
    },
  );
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

// In one go, and so that the database gives up by itself, too. Left in the middle by an error, the connection is thrown away.
async function ask(pool: Pool, text: string): Promise<Found[]> {
  const whole = `begin read only; set local statement_timeout = ${PATIENCE_MS}; ${text}; commit`;
  const results = await pool.query({ text: whole, query_timeout: PATIENCE_MS } as QueryConfig);
  return (results as unknown as { rows: Found[] }[])[2]!.rows;
}
