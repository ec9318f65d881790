import { randomUUID } from 'node:crypto';
import { fastify, LogController, type FastifyInstance } from 'fastify';
import { isLocal } from './app.ts';
import type { Config } from './config.ts';
import { cutConnectionsAtClose } from './platform/connections.ts';
import { answerClientError, answerError, notFound } from './platform/errors.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import { addOperations } from './platform/operations.ts';
import type { Pulse } from './platform/pulse.ts';
import { addSecurityHeaders } from './platform/security-headers.ts';

type Parts = { config: Config; pulse: Pick<Pulse, 'fault'>; log: Log; metrics: Metrics; isStopping: () => boolean };

/** Health and metrics of a process that answers nothing else. */
export function buildOperationsApp({ config, pulse, log, metrics, isStopping }: Parts): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    bodyLimit: 1024,
    requestTimeout: 10_000,
    connectionTimeout: 30_000,
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError(log),
    forceCloseConnections: true,
    ...(config.tls && { https: config.tls }),
  }) as unknown as FastifyInstance;
  cutConnectionsAtClose(app, config.tls !== undefined);
  addSecurityHeaders(app, config.baseUrl.startsWith('https:'));
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  addOperations(app, {
    pulse,
    metrics,
    isStopping,
    isLocal: isLocal(config),
    ...(config.metricsToken && { metricsToken: config.metricsToken }),
  });
  return app;
}
