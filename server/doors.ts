import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listPageRoutes, listRoutes } from './lists/routes.ts';
import { nobody } from './accounts/accounts.ts';
import { accountRoutes } from './accounts/routes.ts';
import { bulkRoutes } from './bulk/routes.ts';
import { callPageRoutes, callRoutes } from './calls/routes.ts';
import { createAuthenticator, readAuthorization, unauthorized } from './keys/authenticate.ts';
import { demoRoutes } from './demo/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { leadPageRoutes } from './leads/page-routes.ts';
import { leadRoutes } from './leads/routes.ts';
import { addLive } from './live/stream.ts';
import { HttpError, notFound } from './platform/errors.ts';
import { rateHeaders, tooMany } from './platform/limits.ts';
import { hostAsked, refuseForeignOrigin } from './platform/origin.ts';
import { compileReader } from './platform/read.ts';
import { acceptJson, mount, type Door, type Route } from './platform/route.ts';
import type { House } from './platform/work.ts';
import { queueRoutes } from './queue/routes.ts';
import type { WhoIs } from './sessions/cookie.ts';
import { recordingRoutes } from './recordings/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { textRoutes } from './texts/routes.ts';
import { peopleRoutes, userRoutes } from './users/routes.ts';
import { deliveryRoutes, webhookRoutes } from './webhooks/routes.ts';

/** The verbs of the contract. They stand at both doors with the same body and answer. */
const contractRoutes: Route[] = [...userRoutes, ...listRoutes, ...leadRoutes, ...callRoutes, ...webhookRoutes];

/** What only the pages need. */
const pageRoutes = (house: House): Route[] => [
  ...sessionRoutes(house.pool),
  ...peopleRoutes,
  ...keyRoutes(house),
  ...accountRoutes,
  ...listPageRoutes,
  ...leadPageRoutes,
  ...bulkRoutes,
  ...queueRoutes,
  ...callPageRoutes,
  ...demoRoutes,
  ...recordingRoutes,
  ...textRoutes,
  ...deliveryRoutes,
];

/** `/api/v2` by key, `/app` by cookie: two scopes, one house. */
export function openDoors(app: FastifyInstance, house: House, whoIs: WhoIs): void {
  app.decorateRequest('actor', null);
  app.decorateRequest('sessionId', undefined);
  app.setValidatorCompiler(({ schema }) => compileReader(schema as never));

  void app.register(
    (scope, _options, done) => {
      const authenticate = createAuthenticator(house.pool, house.rateLimits);
      scope.addHook('onRequest', (request, reply) => enterByKey(authenticate, request, reply));
      prepare(scope);
      furnish(scope, house, contractRoutes, { repeatable: true });
      done();
    },
    { prefix: '/api/v2' },
  );
  void app.register(
    (scope, _options, done) => {
      scope.addHook('onRequest', (request) => enterByCookie(house, whoIs, request));
      prepare(scope);
      furnish(scope, house, contractRoutes, { repeatable: true });
      furnish(scope, house, pageRoutes(house), { repeatable: false });
      addLive(scope, house.reading, async (request) => (await whoIs(request, false))?.actor);
      done();
    },
    { prefix: '/app' },
  );
}

function furnish(
  scope: FastifyInstance,
  { reading, transact }: House,
  routes: Route[],
  manner: { repeatable: boolean },
): void {
  const door: Door = { reading, transact, actorOf: ({ actor }) => actor! };
  for (const one of routes) mount(scope, door, one, manner);
}

/** What both doors share: JSON and nothing else, and JSON where there is nothing. */
function prepare(scope: FastifyInstance): void {
  // Before its body is looked at.
  scope.addHook('onRequest', (request, _reply, done) => done(request.is404 ? notFound() : undefined));
  acceptJson(scope);
  scope.setNotFoundHandler(() => {
    throw notFound();
  });
}

const isPublic = ({ routeOptions }: FastifyRequest) => routeOptions.config.right === 'public';

async function enterByKey(
  authenticate: ReturnType<typeof createAuthenticator>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (isPublic(request)) return;
  const { headers, ip: address } = request;
  const key = readAuthorization(headers.authorization);
  const { actor, standing } = await authenticate({ key, host: hostAsked(request), address });
  if (standing) reply.headers(rateHeaders(standing));
  if (standing?.exceeded) throw tooMany(standing, 'Too many requests. Wait until the time in Ratelimit-Reset.');
  if (!actor) {
    reply.header('www-authenticate', 'Token realm="api"');
    throw unauthorized();
  }
  request.actor = actor;
}

async function enterByCookie({ reading }: House, whoIs: WhoIs, request: FastifyRequest): Promise<void> {
  const { ip: address, method } = request;
  const signedIn = await whoIs(request);
  if (signedIn) {
    request.actor = signedIn.actor;
    request.sessionId = signedIn.sessionId;
  } else if (isPublic(request)) {
    request.actor = await nobody(reading, hostAsked(request), address);
  } else {
    throw new HttpError(401, 'signed_out', 'You are not signed in.');
  }
  if (method !== 'GET' && method !== 'HEAD') refuseForeignOrigin(request, request.actor.account.baseUrl);
}
