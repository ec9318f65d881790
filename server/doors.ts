import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listPageRoutes } from './lists/page-routes.ts';
import { listApiRoutes, listRoutes } from './lists/routes.ts';
import { nobody } from './people/accounts/accounts.ts';
import { accountRoutes } from './people/accounts/routes.ts';
import { bulkRoutes } from './bulk/routes.ts';
import { acceptChunks } from './imports/chunks.ts';
import { chunkRoutes, importRoutes } from './imports/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { viewRoutes } from './filters/view-routes.ts';
import { seePage, whyNotIn } from './calls/line.ts';
import { callPageRoutes, callRoutes } from './calls/routes.ts';
import { createAuthenticator, readAuthorization, unauthorized } from './people/keys/authenticate.ts';
import { filterRoutes } from './filters/routes.ts';
import { demoRoutes } from './demo/routes.ts';
import { keyRoutes } from './people/keys/routes.ts';
import { followMerges } from './leads/merged.ts';
import { leadPageRoutes } from './leads/page-routes.ts';
import { leadRoutes } from './leads/routes.ts';
import { addLive } from './live/stream.ts';
import type { Actor } from './platform/actor.ts';
import { findQueryFault, type RefuseAddress } from './platform/addresses.ts';
import { HttpError, tooBusy } from './platform/errors.ts';
import { openLanes } from './platform/lanes.ts';
import { networkOf, rateHeaders, tooMany, tooManyAtOnce } from './platform/limits.ts';
import { KINDS } from './platform/pool.ts';
import { hostAsked, refuseForeignOrigin } from './platform/origin.ts';
import { compileReader } from './platform/read.ts';
import { acceptForms } from './platform/bodies.ts';
import { acceptBrackets } from './platform/forms.ts';
import { mount, type Door, type Route } from './platform/route.ts';
import type { House, RequestKind } from './platform/work.ts';
import { turnWaits } from './platform/metrics.ts';
import { addPhones, type Means as PhoneMeans } from './phones/socket.ts';
import { queueRoutes } from './queue/routes.ts';
import type { WhoIs } from './people/sessions/cookie.ts';
import { recordingRoutes } from './recordings/routes.ts';
import { sessionRoutes } from './people/sessions/routes.ts';
import { textRoutes } from './texts/routes.ts';
import { peopleRoutes, userApiRoutes, userRoutes } from './people/users/routes.ts';
import { deliveryRoutes, webhookRoutes } from './webhooks/routes.ts';

/** The verbs of the contract. They stand at both doors with the same body and answer. */
const contractRoutes = ({ allowedFor }: Pick<House, 'allowedFor'>): Route[] =>
  followMerges([...userRoutes, ...listRoutes, ...leadRoutes, ...callRoutes, ...webhookRoutes(allowedFor)]);

/** All that stands at `/api/v2`, and is described there. */
export const apiRoutes = (house: Pick<House, 'allowedFor'>): Route[] => [
  ...contractRoutes(house),
  ...listApiRoutes,
  ...userApiRoutes,
];

/** What only the pages need. */
const pageRoutes = (house: House): Route[] =>
  followMerges([
    ...sessionRoutes(house),
    ...peopleRoutes(house),
    ...keyRoutes(house),
    ...accountRoutes,
    ...listPageRoutes,
    ...leadPageRoutes,
    ...filterRoutes,
    ...bulkRoutes,
    ...importRoutes(house),
    ...exportRoutes(house),
    ...viewRoutes,
    ...queueRoutes,
    ...callPageRoutes,
    ...demoRoutes,
    ...recordingRoutes,
    ...textRoutes,
    ...deliveryRoutes,
  ]);

/** `/api/v2` by key, `/app` by cookie: two scopes, one house. */
export function openDoors(
  app: FastifyInstance,
  house: House,
  whoIs: WhoIs,
  refuseAddress: RefuseAddress,
  phones: Pick<PhoneMeans, 'node' | 'iceServers'>,
): void {
  app.decorateRequest('actor', null);
  app.decorateRequest('sessionId', undefined);
  app.setValidatorCompiler(({ schema }) => compileReader(schema as never));

  const door: Door = {
    ways: house.ways,
    enter: openTurns(house.appLimits.length > 0),
    strangers: house.strangers,
    actorOf: ({ actor }) => actor!,
    async askAgain(request) {
      const signedIn = await whoIs(request, false);
      if (!signedIn) throw signedOut();
      return signedIn.actor;
    },
  };
  void app.register(
    (scope, _options, done) => {
      const authenticate = createAuthenticator(house.pool, house.rateLimits);
      prepare(scope, refuseAddress, (request, reply) => enterByKey(authenticate, request, reply));
      acceptForms(scope);
      acceptBrackets(scope);
      scope.setValidatorCompiler(({ schema }) => compileReader(schema as never, { blanks: 'left out' }));
      furnish(scope, door, apiRoutes(house));
      done();
    },
    { prefix: '/api/v2' },
  );
  void app.register(
    (scope, _options, done) => {
      // No forms: a page of somebody else's could send one along with the cookie.
      prepare(scope, refuseAddress, (request) => enterByCookie(house, whoIs, request));
      furnish(scope, door, contractRoutes(house));
      furnish(scope, door, pageRoutes(house));
      void scope.register((uploads, _none, ready) => {
        acceptChunks(uploads);
        furnish(uploads, door, chunkRoutes);
        ready();
      });
      const askAgain = async (request: FastifyRequest) => (await whoIs(request, false))?.actor;
      addLive(scope, house.reading, askAgain);
      const { vital } = house.ways;
      addPhones(scope, {
        ...phones,
        ...vital,
        askAgain,
        whyNotIn: (...asked) => whyNotIn(vital.reading, ...asked),
        seePage: (actor) => seePage(vital.reading, actor),
      });
      done();
    },
    { prefix: '/app' },
  );
}

/** How many of one person are worked on at the same moment, by kind. */
const OF_ONE = { vital: { each: 2 }, usual: { each: 6 }, dear: { each: 1, eachQuick: 2 } };
/** And how many wait for their turn, of all together. */
const MOST_WAITING = 1_000;

/** Of the vital connections some are left for those that have no turns: signing in, signs of life, the telephone line. */
const KEPT: Record<RequestKind, number> = { vital: 2, usual: 0, dear: 0 };

/** At `/app` one person has so many at once on this node, waiting ones too. What keeps a page alive passes. */
function openTurns(limited: boolean): Door['enter'] {
  const open = (kind: RequestKind) =>
    openLanes({ most: KINDS[kind].most - KEPT[kind], ...OF_ONE[kind], waiting: MOST_WAITING, tooMany: tooBusy });
  const lanes = { vital: open('vital'), usual: open('usual'), dear: open('dear') };
  return async (actor, kind, counted) => {
    const person = personOf(actor);
    const isBound = limited && counted && actor.via === 'app';
    if (isBound && Object.values(lanes).reduce((sum, lane) => sum + lane.count(person), 0) >= MOST_AT_ONCE) {
      await sleep(TARRY_MS);
      throw tooManyAtOnce(MOST_AT_ONCE);
    }
    const isScarce = lanes[kind].isFull();
    const begun = performance.now();
    try {
      return await lanes[kind].enter(person);
    } finally {
      turnWaits.observe({ kind }, isScarce ? (performance.now() - begun) / 1_000 : 0);
    }
  };
}

/** Whoever has no name, nor a key, is who comes from that network. */
const personOf = ({ account, user, via, address }: Actor): string =>
  user ? `user ${account.id} ${user.id}` : via === 'api' ? `account ${account.id}` : `address ${networkOf(address)}`;

function furnish(scope: FastifyInstance, door: Door, routes: Route[]): void {
  for (const one of routes) mount(scope, door, one);
}

type Enter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** What both doors share: nobody keeps what they answer, and what is not there says so in JSON, before its body is looked at. */
function prepare(scope: FastifyInstance, refuseAddress: RefuseAddress, enter: Enter): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store');
    done();
  });
  scope.addHook('onRequest', enter);
  scope.addHook('onRequest', (request, reply, done) =>
    done(request.is404 ? refuseAddress(request, reply) : findQueryFault(request.url)),
  );
  scope.setNotFoundHandler((request, reply) => {
    throw refuseAddress(request, reply);
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
  if (standing?.exceeded) {
    await sleep(TARRY_MS);
    throw tooMany(standing, 'Too many requests. Wait until the time in Ratelimit-Reset.');
  }
  if (!actor) {
    reply.header('www-authenticate', 'Token realm="api"');
    throw unauthorized();
  }
  request.actor = actor;
}

const MOST_AT_ONCE = 16;
/** Before those who ask too often are told so: whoever hammers on has that much less of everybody's time. */
const TARRY_MS = 300;

// What is to be remembered counts, whatever it is.
const counts = ({ routeOptions, headers }: FastifyRequest) =>
  !routeOptions.config.stream && (routeOptions.config.counted !== false || headers['idempotency-key'] !== undefined);

const signedOut = () => new HttpError(401, 'signed_out', 'You are not signed in.');

async function enterByCookie({ reading }: House, whoIs: WhoIs, request: FastifyRequest): Promise<void> {
  const { ip: address, method } = request;
  // A page that listens for ever is not someone who does something.
  const signedIn = await whoIs(request, !request.routeOptions.config.stream, counts(request));
  if (signedIn) {
    request.actor = signedIn.actor;
    request.sessionId = signedIn.sessionId;
  } else if (isPublic(request)) {
    request.actor = await nobody(reading, hostAsked(request), address);
  } else {
    throw signedOut();
  }
  if (signedIn?.standing?.exceeded && counts(request)) {
    await sleep(TARRY_MS);
    throw tooMany(signedIn.standing, 'Too many requests. Wait a minute.');
  }
  if (method !== 'GET' && method !== 'HEAD') refuseForeignOrigin(request, request.actor.account.baseUrl);
}
