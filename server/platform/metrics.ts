import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ceilingsReached } from './ceilings.ts';
import type { Pool } from './db.ts';

/** Who waits behind their own requests alone has waited for nobody. */
export const turnWaits = new Histogram({
  name: 'leadline_turn_wait_seconds',
  help: 'Time that a request waited for its turn because all connections of its kind were used for others',
  labelNames: ['kind'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [],
});

export type Metrics = ReturnType<typeof createMetrics>;

/** What every process measures of itself. What nouns count, the assembly adds. */
export function createMetrics() {
  const register = new Registry();
  // The default looks at the event loop a hundred times a second, which an idle machine feels. What it shows has this tenth in it.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: 100 });
  const requests = new Histogram({
    name: 'leadline_http_request_seconds',
    help: 'Time to answer a request, by route pattern',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [register],
  });
  const streams = new Gauge({
    name: 'leadline_streams',
    help: 'Pages that listen to this process for what changes, and sockets of their telephones',
    registers: [register],
  });
  const waits = new Histogram({
    name: 'leadline_database_wait_seconds',
    help: 'Time until a connection to the database was had, or given up, by kind of pool',
    labelNames: ['kind'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [register],
  });
  const pools = new Map<string, Pool>();
  void new Gauge({
    name: 'leadline_database_connections',
    help: 'Connections of this process to the database, by kind of pool',
    labelNames: ['kind', 'state'],
    registers: [register],
    collect() {
      for (const [kind, pool] of pools) {
        this.set({ kind, state: 'idle' }, pool.idleCount);
        this.set({ kind, state: 'busy' }, pool.totalCount - pool.idleCount);
        this.set({ kind, state: 'waited_for' }, pool.waitingCount);
      }
    },
  });
  register.registerMetric(ceilingsReached);
  register.registerMetric(turnWaits);
  return { register, requests, streams, waits, pools };
}

/** Shows how busy a pool is and how long one waits for a connection. To be called before anybody uses it. */
export function watchPool({ waits, pools }: Metrics, kind: string, pool: Pool): void {
  pools.set(kind, pool);
  type Had = Parameters<Parameters<Pool['connect']>[0]>;
  const connect = pool.connect.bind(pool);
  const wait = waits.labels(kind);
  pool.connect = ((callback?: (...had: Had) => void) => {
    const since = performance.now();
    const note = () => wait.observe((performance.now() - since) / 1_000);
    if (callback) {
      return connect((...had: Had) => {
        note();
        callback(...had);
      });
    }
    const connected = connect();
    connected.then(note, note);
    return connected;
  }) as Pool['connect'];
}

/** A number of this process, or none while there is nothing to tell; looked up whenever it is asked for. */
export function watchNumber(
  { register }: Metrics,
  name: string,
  help: string,
  look: () => number | undefined | Promise<number | undefined>,
): void {
  void new Gauge({
    name,
    help,
    registers: [register],
    async collect() {
      const value = await look();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

/** Counts what happens in this process, by a label of few values. Shown once the assembly registers it; all begin at nought, so that the first is an increase. */
export function createCounter<Label extends string>(name: string, help: string, label: Label, values: string[]) {
  const counter = new Counter({ name, help, labelNames: [label], registers: [] });
  for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0);
  return counter;
}
