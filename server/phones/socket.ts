import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Compile } from 'typebox/schema';
import type { RawData, WebSocket } from 'ws';
import { FromPage, LONGEST_SDP, type ToPage } from '../../contract/phones.ts';
import { scopeOf } from '../../contract/roles.ts';
import type { Actor } from '../platform/actor.ts';
import { forbidden, HttpError } from '../platform/errors.ts';
import { createNudge } from '../platform/nudge.ts';
import { refuseForeignOrigin } from '../platform/origin.ts';
import type { Reading, Transact } from '../platform/work.ts';
import { iceServersFor, LASTS_SECONDS, type IceSetting } from './ice.ts';
import {
  giveUpPhone,
  leavePhone,
  lookAtPhones,
  offerSound,
  takePhone,
  type Node,
  type Page,
  type Phone,
} from './phones.ts';

/**
 * `/app/phone`: what a page and the service say to each other about the sound of calls. It only relays, by rows: the sound itself goes to the
 * node that holds the line, wherever the socket is.
 */

export const PHONE_PATH = '/app/phone';

const RIGHT = 'calls.make';
const MOST_SOCKETS = 20;
const MOST_BYTES = LONGEST_SDP * 2;
/** Of one person, in all their pages: one that dials says a handful of things. */
const MOST_A_SECOND = 20;
/** And so many while another is being done. */
const MOST_WAITING = 5;
/** Whoever closes all pages and comes again is counted on. */
const REMEMBERED_MS = 2_000;
const MOST_UNREAD = 256 * 1024;

/** Whether another page took the telephone, or it has become free. */
const LOOK_MS = 1_000;
/** And while an offer is out. */
const LOOK_FOR_ANSWER_MS = 50;
const ANSWER_WITHIN_MS = 15_000;
const ASK_AGAIN_MS = 5_000;
/** Whoever is in a call is missed after ten seconds. */
const PING_MS = 3_000;
const SILENT_MS = 30_000;
/** Whoever does not close their side is cut off. */
const CLOSE_WITHIN_MS = 1_000;

/** By the numbers of RFC 6455. */
const GOING_AWAY = 1001;
const REFUSED = 1008;

export type Means = {
  reading: Reading;
  transact: Transact;
  node: Node;
  iceServers: IceSetting[];
  /** Who they are by now; undefined when the session ended. */
  askAgain: (request: FastifyRequest) => Promise<Actor | undefined>;
  /** Why someone has no part in a call; undefined where they have. */
  whyNotIn: (actor: Actor, callId: number) => Promise<string | undefined>;
  /** Their page is there: it has just answered. */
  seePage: (actor: Actor) => Promise<void>;
};

export function addPhones(scope: FastifyInstance, means: Means): void {
  const open = new Map<string, Person>();
  const { nudge, stop } = watchPhones(means, open);
  scope.addHook('preClose', async () => {
    for (const { sockets } of open.values())
      for (const socket of sockets) socket.end(GOING_AWAY, 'The service stops. Come again in a moment.');
    await stop();
  });
  void scope.register(async (own) => {
    await own.register(websocket, {
      options: { maxPayload: MOST_BYTES, perMessageDeflate: false },
      // Whoever is at the other end may cause as many as they like.
      errorHandler: (error, socket, request) => {
        request.log.debug({ err: error }, 'The socket of a telephone broke');
        // What it is told by then still has to leave.
        cutOff(socket);
      },
    });
    own.route({
      method: 'GET',
      url: '/phone',
      config: { right: RIGHT, stream: true },
      exposeHeadRoute: false,
      // A browser lets any page open a socket to us, cookie and all.
      preValidation: async (request) => {
        const actor = request.actor!;
        if (!scopeOf(actor.roles, RIGHT)) throw forbidden('Your role does not allow this.');
        if (!request.ws) throw new HttpError(426, 'upgrade_required', 'This is for WebSockets alone.');
        refuseForeignOrigin(request, actor.account.baseUrl);
        if ((open.get(personOf(actor))?.sockets.size ?? 0) >= MOST_SOCKETS)
          throw new HttpError(429, 'too_many_sockets', 'Too many pages are open at once.');
      },
      handler: async () => undefined,
      wsHandler: (socket, request) => {
        const name = personOf(request.actor!);
        const person = open.get(name) ?? {
          sockets: new Set(),
          waiting: 0,
          heard: 0,
          second: 0,
          saying: Promise.resolve(),
        };
        open.set(name, person);
        const { sockets } = person;
        const phone = listen(means, socket, request, person, nudge);
        sockets.add(phone);
        socket.once('close', () => {
          sockets.delete(phone);
          const forget = () => sockets.size === 0 && open.get(name) === person && open.delete(name);
          if (sockets.size === 0) setTimeout(() => void person.saying.then(forget), REMEMBERED_MS).unref();
          // After what it has said and is still being done.
          person.saying = person.saying
            .then(async () => {
              // A page may have come again before it was seen to go.
              const isHere = [...sockets].some(({ page }) => page && page.page === phone.page?.page);
              if (phone.page && phone.mine && !isHere) await leavePhone(means.reading.db, means.node, phone.page);
            })
            .catch((error: unknown) =>
              request.log.debug({ err: error }, 'That a telephone was left could not be noted'),
            );
        });
      },
    });
  });
}

const cutOff = (ws: WebSocket) => void setTimeout(() => ws.terminate(), CLOSE_WITHIN_MS).unref();

const personOf = ({ account, user }: Actor) => `${account.id} ${user!.id}`;

/** One with sockets here. What they say is done one after another, so that nobody has more than one connection to the database. */
type Person = {
  sockets: Set<Socket>;
  /** How many messages wait, or are being done. */
  waiting: number;
  /** How many came in this second. */
  heard: number;
  second: number;
  saying: Promise<void>;
  /** Being noted, for all their pages. */
  seen?: Promise<void> | undefined;
};

type Socket = {
  /** Unset until it has said who it is. */
  page?: Page;
  mine: boolean;
  /** When it was last told which servers help it to reach us. */
  toldAt: number;
  /** The offer that waits for its answer. */
  out?: { callId: number; no: number; since: number } | undefined;
  tell: (message: ToPage) => void;
  tellPhone: (mine: boolean) => void;
  end: (code: number, sentence: string) => void;
};

function listen(means: Means, ws: WebSocket, request: FastifyRequest, person: Person, nudge: () => void): Socket {
  const { reading, transact, node, iceServers, askAgain, whyNotIn } = means;
  let actor = request.actor!;
  const userId = actor.user!.id;

  const socket: Socket = {
    mine: false,
    toldAt: 0,
    tell(message) {
      if (ws.bufferedAmount > MOST_UNREAD) ws.terminate();
      else if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(message));
    },
    tellPhone(mine) {
      socket.mine = mine;
      socket.toldAt = performance.now();
      socket.tell({ kind: 'phone', mine, ice_servers: iceServersFor(iceServers, userId) });
    },
    end(code, sentence) {
      // What still comes from there is not even read.
      ws.removeAllListeners('message');
      ws.close(code, sentence);
      cutOff(ws);
    },
  };

  const hear = async (message: FromPage): Promise<void> => {
    if (message.kind === 'here') {
      const page = { accountId: actor.account.id, userId, page: message.phone };
      if (socket.page && socket.page.page !== page.page) await leavePhone(reading.db, node, socket.page);
      socket.page = page;
      socket.tellPhone(await takePhone(reading.db, node, page, message.take));
      // Other pages of theirs learn it at once where they are on this node.
      nudge();
      return;
    }
    const { call_id: callId, no, sdp } = message;
    const refuse = (reason: string) => socket.tell({ kind: 'refused', call_id: callId, no, reason });
    if (!socket.page) return refuse('The page has not said which one it is.');
    const { page } = socket.page;
    const why = await whyNotIn(actor, callId);
    if (why !== undefined) return refuse(why);
    if (!(await transact((work) => offerSound(work, actor, { page, callId, no, sdp }))))
      return refuse('The telephone is in another tab.');
    socket.out = { callId, no, since: performance.now() };
    nudge();
  };

  ws.on('message', (data: RawData, isBinary: boolean) => {
    const now = Math.floor(performance.now() / 1_000);
    person.heard = now === person.second ? person.heard + 1 : 1;
    person.second = now;
    if (person.heard > MOST_A_SECOND || person.waiting > MOST_WAITING)
      return socket.end(REFUSED, 'Too many messages at once.');
    const message = isBinary ? undefined : readMessage((data as Buffer).toString());
    if (!message) return socket.end(REFUSED, 'A message was not understood.');
    person.waiting += 1;
    person.saying = person.saying
      .then(async () => {
        // Nobody hears any more what would be answered.
        if (ws.readyState === ws.OPEN) await hear(message);
      })
      .catch((error: unknown) => {
        request.log.warn({ err: error }, 'What a telephone said could not be done');
        socket.end(1011, 'The service could not do it. Come again in a moment.');
      })
      .finally(() => (person.waiting -= 1));
  });

  // Only what comes from there tells: what is sent to a machine that has gone without a word is taken by the system for a quarter of an hour.
  let answeredAt = performance.now();
  let isAsked = false;
  const ask = () => {
    isAsked = true;
    ws.ping();
  };
  ws.on('pong', () => {
    // One that nobody asked for says nothing, and costs nothing.
    if (!isAsked) return;
    isAsked = false;
    answeredAt = performance.now();
    person.seen ??= means
      .seePage(actor)
      .catch((error: unknown) => request.log.debug({ err: error }, 'That a page is there could not be noted'))
      .finally(() => delete person.seen);
  });
  const pinging = setInterval(() => {
    if (performance.now() - answeredAt > SILENT_MS) return ws.terminate();
    ask();
  }, PING_MS);
  ask();
  const asking = setInterval(() => {
    askAgain(request)
      .then(async (now) => {
        if (now && scopeOf(now.roles, RIGHT)) {
          actor = now;
          return;
        }
        const { page } = socket;
        delete socket.page;
        socket.end(REFUSED, now ? 'Your role does not allow this any more.' : 'You are signed out.');
        if (page) await giveUpPhone(reading.db, page);
      })
      .catch((error: unknown) => request.log.debug({ err: error }, 'A telephone could not be asked about again'));
  }, ASK_AGAIN_MS);
  ws.once('close', () => {
    clearInterval(pinging);
    clearInterval(asking);
  });
  return socket;
}

const messages = Compile(FromPage);

/** Undefined where it is none. */
function readMessage(text: string): FromPage | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!messages.Check(message)) return undefined;
  if (message.kind === 'here') return message;
  const { call_id, no, sdp } = message;
  // What the database could not take.
  const isStorable = sdp.isWellFormed() && !sdp.includes('\0') && [call_id, no].every(Number.isSafeInteger);
  return isStorable ? message : undefined;
}

/** Tells pages whether they are the telephone, and what was answered. One look for all of this node, and none while nobody is there. */
function watchPhones({ reading: { db }, node }: Means, open: Map<string, Person>) {
  const { nudge, pause } = createNudge();
  let stopping = false;

  const look = async () => {
    const here = [...open.values()].flatMap(({ sockets }) => [...sockets]).filter(({ page }) => page);
    if (here.length === 0) return;
    const asked = performance.now();
    const people = new Map(here.map(({ page }) => [`${page!.accountId} ${page!.userId}`, page!]));
    const found = await lookAtPhones(db, node, [...people.values()]);
    const phones = new Map(found.map((phone) => [`${phone.account_id} ${phone.user_id}`, phone]));
    for (const [person, page] of people) {
      const phone = phones.get(person);
      const own = here.filter((socket) => socket.page && samePerson(socket.page, page));
      for (const socket of own) tellOf(socket, phone, asked);
      // Free for whoever of them came last.
      const next = (!phone || phone.free) && own.at(-1);
      if (next && next.page && (await takePhone(db, node, next.page, false))) next.tellPhone(true);
    }
  };

  const running = (async () => {
    while (!stopping) {
      // What fails now is seen with the next look; that the database is away is told by its pulse.
      await look().catch(() => {});
      await pause(
        [...open.values()].some(({ sockets }) => [...sockets].some(({ out }) => out)) ? LOOK_FOR_ANSWER_MS : LOOK_MS,
      );
    }
  })();
  return {
    nudge,
    stop: async () => {
      stopping = true;
      nudge();
      await running;
    },
  };
}

const samePerson = (one: Page, other: Page) => one.accountId === other.accountId && one.userId === other.userId;

function tellOf(socket: Socket, phone: Phone | undefined, asked: number): void {
  // It has said something since, of which this look knows nothing.
  if (Math.max(socket.toldAt, socket.out?.since ?? 0) > asked) return;
  const mine = phone !== undefined && phone.page === socket.page!.page;
  const isStale = performance.now() - socket.toldAt > (LASTS_SECONDS / 2) * 1_000;
  if (mine !== socket.mine || isStale) socket.tellPhone(mine);
  const { out } = socket;
  if (!out) return;
  const about = { call_id: out.callId, no: out.no };
  if (!mine) socket.tell({ kind: 'refused', ...about, reason: 'The telephone is in another tab.' });
  else if (phone.answer_no === out.no && phone.answer !== null)
    socket.tell({ kind: 'answer', ...about, sdp: phone.answer });
  else if (phone.answer_no === out.no && phone.fault !== null)
    socket.tell({ kind: 'refused', ...about, reason: phone.fault });
  else if (performance.now() - out.since > ANSWER_WITHIN_MS)
    socket.tell({ kind: 'refused', ...about, reason: 'The line did not answer. Try again in a moment.' });
  else return;
  socket.out = undefined;
}
