import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { fastify, LogController, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Config } from './config.ts';
import { addReference } from './docs/routes.ts';
import { addDoorPages, sayNothingHere } from './door/routes.ts';
import { apiRoutes, openDoors } from './doors.ts';
import { acceptJson } from './platform/bodies.ts';
import { cutConnectionsAtClose } from './platform/connections.ts';
import { learnAddresses, tidyAddress } from './platform/addresses.ts';
import { answerClientError, answerError } from './platform/errors.ts';
import { readQuery } from './platform/forms.ts';
import type { Log } from './platform/log.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { openLanes } from './platform/lanes.ts';
import { tooManyStrangers } from './platform/limits.ts';
import type { Node } from './phones/phones.ts';
import { PHONE_PATH } from './phones/socket.ts';
import { addOperations, isLoopback } from './platform/operations.ts';
import { addSecurityHeaders } from './platform/security-headers.ts';
import { packAnswers } from './platform/packing.ts';
import type { Pools } from './platform/pool.ts';
import { buildSerializer } from './platform/serializing.ts';
import type { Pulse } from './platform/pulse.ts';
import { boundUnread } from './platform/unread.ts';
import type { Ways } from './platform/work.ts';
import { createWhoIs, renewCookies } from './people/sessions/cookie.ts';
import { addRecordings } from './recordings/routes.ts';
import type { Store } from './recordings/store.ts';
import { addApplication } from './pages/application.ts';
import { VERSION } from './version.ts';
import { addReceiver } from './webhooks/receiver.ts';
import { allowedBy } from './webhooks/targets.ts';

export type Parts = {
  config: Config;
  pools: Pools;
  ways: Ways;
  pulse: Pick<Pulse, 'fault'>;
  store: Store;
  node: Node;
  log: Log;
  metrics?: Metrics;
  isStopping?: () => boolean;
};

export function buildApp({
  config,
  pools,
  ways,
  pulse,
  store,
  node,
  log,
  metrics = createMetrics(),
  isStopping = () => false,
}: Parts): FastifyInstance {
  const server = {
    // A request without a host is refused in the one shape (hostAsked), instead of by Node.
    requireHostHeader: false,
    // Elsewhere a request that would become something else is one like any other.
    shouldUpgradeCallback: ({ url }: IncomingMessage) => url?.split('?', 1)[0] === PHONE_PATH,
  };
  const app = fastify({
    loggerInstance: log,
    // One line a request is written below, instead of two that name its whole address.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    trustProxy: trustedProxies(config.trustProxy),
    bodyLimit: 1024 * 1024,
    // A client has this long for its headers and body; one that trickles is cut off.
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    // Longer than the minute after which proxies usually drop an idle connection, so that the proxy is the one to close it.
    keepAliveTimeout: 75_000,
    // A stop answers what has arrived instead of refusing it; main.ts decides when the door closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError(log),
    rewriteUrl: tidyAddress,
    // An id of any length is looked for behind the door, like others: what the router refuses is counted by no limit.
    routerOptions: { maxParamLength: 16 * 1024, querystringParser: readQuery },
    schemaController: { compilersFactory: { buildSerializer } },
    ...(config.tls ? { https: { ...config.tls, ...server } } : { http: server }),
  }) as unknown as FastifyInstance;

  cutConnectionsAtClose(app, config.tls !== undefined);
  addSecurityHeaders(app, config.baseUrl.startsWith('https:'));
  addRequestTrace(app, metrics, isStopping);
  boundUnread(app);
  packAnswers(app);
  acceptJson(app);
  app.setErrorHandler(answerError);
  const refuseAddress = learnAddresses(app);
  app.setNotFoundHandler((request, reply) => {
    if (!isReader(request)) throw refuseAddress(request, reply);
    return sayNothingHere(reply);
  });
  addOperations(app, {
    pulse,
    metrics,
    isStopping,
    isLocal: isLocal(config),
    ...(config.metricsToken && { metricsToken: config.metricsToken }),
  });
  const { rateLimits, appLimits } = config;
  const house = {
    ...ways.usual,
    pool: pools.vital,
    ways,
    rateLimits,
    appLimits,
    allowedFor: allowedBy(config),
    sendsMail: config.mail.smtpUrl !== undefined,
    uploadLimit: config.uploadLimit,
    strangers: openLanes({ most: 4, each: 2, waiting: 200, tooMany: tooManyStrangers }),
  };
  addRecordings(app, house.reading, store);
  addReceiver(app);
  const whoIs = createWhoIs(pools.vital, appLimits);
  renewCookies(app);
  openDoors(app, house, whoIs, refuseAddress, { node, iceServers: config.iceServers });
  void app.register((scope, _options, done) => {
    addReference(scope, house.reading, apiRoutes(house), VERSION);
    const first = { baseUrl: config.baseUrl, apiKey: config.accountApiKey };
    addDoorPages(scope, house, whoIs, addApplication(scope, whoIs), first);
    done();
  });
  return app;
}

/** Whether somebody looks at it in a browser, rather than a program. */
const isReader = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !/^\/(api|app)(\/|\?|$)/.test(url) &&
  /\btext\/html(?!\s*;\s*q=0(\.0*)?(,|$))/i.test(headers.accept ?? '');

export function isLocal({ baseUrl, trustProxy }: Config): boolean {
  const { hostname } = new URL(baseUrl);
  return !trustProxy && (hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')));
}

const trustedProxies = (proxies: Config['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies;

/** Every answer names its request; every request leaves one line, without its query, where links carry their tokens. */
function addRequestTrace(app: FastifyInstance, metrics: Metrics, isStopping: () => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (request.routeOptions.config.stream) {
      metrics.streams.inc();
      reply.raw.once('close', () => metrics.streams.dec());
    }
    // Clients that keep their connection would otherwise send the next request into a closed door.
    if (isStopping() && !app.server.listening) reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, routeOptions, ip, reason } = request;
    const status = reply.statusCode;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    // How long a page listens is not how long it waits.
    if (!routeOptions.config.stream)
      metrics.requests.observe({ method, route: routeOptions.url ?? 'none', status }, reply.elapsedTime / 1000);
    const [path] = url.split('?', 1);
    request.log.info({ method, path, status, ms, ip, ...(reason && { reason }) }, 'request');
    done();
  });
}
