import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Pools } from './pool.ts';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(pools: Pools) {
  const register = new Registry();
  // The default looks at the event loop a hundred times a second, which an idle machine feels.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: 100 });
  const requests = new Histogram({
    name: 'leadline_http_request_seconds',
    help: 'Time to answer a request, by route pattern',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [register],
  });
  void new Gauge({
    name: 'leadline_database_connections',
    help: 'Connections of this process to the database',
    labelNames: ['kind', 'state'],
    registers: [register],
    collect() {
      for (const [kind, pool] of Object.entries(pools)) {
        this.set({ kind, state: 'idle' }, pool.idleCount);
        this.set({ kind, state: 'busy' }, pool.totalCount - pool.idleCount);
        this.set({ kind, state: 'waited_for' }, pool.waitingCount);
      }
    },
  });
  return { register, requests };
}
