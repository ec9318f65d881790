import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { forbidden } from './errors.ts';
import type { Metrics } from './metrics.ts';
import type { Pulse } from './pulse.ts';

export type Operations = {
  pulse: Pick<Pulse, 'fault'>;
  metrics: Metrics;
  metricsToken?: string;
  /** The service is for this machine alone, with no proxy before it. */
  isLocal: boolean;
  /** True from the moment a stop was asked for: load balancers then send no more. */
  isStopping: () => boolean;
};

/** What machines ask: is it alive, can it work, how is it doing. */
export function addOperations(
  app: FastifyInstance,
  { pulse, metrics, metricsToken, isLocal, isStopping }: Operations,
): void {
  app.get('/health/live', { logLevel: 'warn' }, () => ({ status: 'ok' }));

  app.get('/health/ready', { logLevel: 'warn' }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isStopping()) return reply.code(503).header('retry-after', 5).send({ status: 'stopping' });
    const fault = pulse.fault();
    if (!fault) return { status: 'ok' };
    return reply
      .code(503)
      .header('retry-after', 2)
      .send({ status: `database ${fault}` });
  });

  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (!(isLocal && comesFromThisMachine(request)) && !(metricsToken && bears(request, metricsToken))) {
      throw forbidden('Metrics are for this machine, or for those who send METRICS_TOKEN as a bearer token.');
    }
    return reply.type(metrics.register.contentType).send(await metrics.register.metrics());
  });
}

/**
 * Behind a proxy on this machine every request comes from loopback, so where there may be one (a BASE_URL other than loopback, TRUST_PROXY)
 * only the token counts; and never a request that says it was passed on or sent to a public name.
 */
function comesFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  const passedOn = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => name in headers);
  const name = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return !passedOn && isLoopback(socket.remoteAddress ?? '') && (name === 'localhost' || isLoopback(name));
}

export const isLoopback = (address: string) => isIP(address) > 0 && /^(::ffff:)?127\.|^::1$/.test(address);

function bears(request: FastifyRequest, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`));
}
