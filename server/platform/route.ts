import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static, type TSchema } from 'typebox';
import { scopeOf, type Demand } from '../../contract/roles.ts';
import type { Actor } from './actor.ts';
import type { Last } from './db.ts';
import { forbidden } from './errors.ts';
import { answerOnce } from './idempotency.ts';
import { inLane, type Lanes, type Leave } from './lanes.ts';
import { encode, isLarge, restAfter } from './large-answers.ts';
import { networkOf } from './limits.ts';
import { sendPieces } from './pieces.ts';
import type { Answer, Reading, RequestKind, Ways, Work } from './work.ts';

/** A request that has passed the door. Look at what its path names first: `body` and `query` throw what is wrong with them. */
export type Asked<Body extends TSchema = TSchema, Query extends TSchema = TSchema> = {
  actor: Actor;
  readonly body: Static<Body>;
  readonly query: Static<Query>;
  params: Record<string, string>;
  request: FastifyRequest;
};

type Common<Body extends TSchema, Query extends TSchema> = {
  path: string;
  summary: string;
  /** Who may. A route without it does not start. */
  right: Demand;
  body?: Body;
  query?: Query;
  /** Status and schema of success. */
  answer: [status: number, schema: TSchema];
  /** Unset: usual. What is dear depends, where it does, on what is asked. */
  kind?: RequestKind | ((query: Static<Query>) => RequestKind);
  /** In bytes, where a body may be longer than others. */
  bodyLimit?: number;
  /** Where body or answer holds a password, a session or a key: nothing of it is kept, so an Idempotency-Key is of no effect. */
  secret?: true;
  /** False where a page asks by itself, or someone must get through: then it counts toward no limit. */
  counted?: false;
};

export type Route<Body extends TSchema = TSchema, Query extends TSchema = TSchema, Prepared = unknown> = Common<
  Body,
  Query
> &
  (
    | { method: 'GET'; read: (reading: Reading, asked: Asked<Body, Query>) => Promise<Answer> }
    | {
        method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
        /** What is slow or counts attempts, done before the transaction holds a connection. */
        before?: (reading: Reading, asked: Asked<Body, Query>) => Promise<Prepared>;
        act: (work: Work, asked: Asked<Body, Query>, prepared: Prepared) => Promise<Answer | Last<Answer>>;
      }
  );

/** Lets the types of body, query and preparation flow from the schemas into the handler. */
export const route = <Body extends TSchema = TSchema, Query extends TSchema = TSchema, Prepared = unknown>(
  description: Route<Body, Query, Prepared>,
): Route => description as Route;

export type Door = {
  ways: Ways;
  /** Waits for one's turn. What is answered ends it. */
  enter: (actor: Actor, kind: RequestKind, counted: boolean) => Promise<Leave>;
  /** The same for those who have not said yet who they are, while they prove it. */
  strangers: Lanes;
  /** The actor whom the door let in. */
  actorOf: (request: FastifyRequest) => Actor;
  /** The same by now, in the middle of a long answer. Whoever is not signed in any more is refused. */
  askAgain: (request: FastifyRequest) => Promise<Actor>;
};

/** Every POST by a key or by someone signed in may be sent again under its Idempotency-Key. Two strangers who sign in with the same one are two. */
export const isRepeatable = ({ method, right, secret }: Route): boolean =>
  method === 'POST' && right !== 'public' && !secret;

/** Puts a route into a door. Order of checks: (key, limit) → route → body syntax → role → visibility → validation. */
export function mount(scope: FastifyInstance, door: Door, one: Route): void {
  const { method, path, right, summary, body, query, kind, counted, bodyLimit } = one;
  if (!right) throw new Error(`${method} ${path} says nothing about who may: give it a right from contract/roles.ts.`);
  const [status, schema] = one.answer;
  const repeatable = isRepeatable(one);

  scope.route({
    method,
    url: path,
    config: { right, repeatable, ...(counted === false && { counted }) },
    // What counts toward no limit has nothing to say.
    ...(counted === false ? { bodyLimit: 1024 } : bodyLimit && { bodyLimit }),
    // The handler tells it, after it has found that the caller may see what the parameters are about.
    attachValidation: true,
    schema: {
      summary,
      ...(body && { body }),
      ...(query && { querystring: query }),
      // Refusals are written as they are: writers of their own, made for each route, took 0.15 s of every start.
      response: { [status]: status === 204 ? Type.Null() : schema },
    },
    preValidation: async (request) => demand(door.actorOf(request), right),
    handler: async (request, reply) => {
      const asked = ask(request, door.actorOf(request));
      const own = typeof kind === 'function' ? kind(request.query) : (kind ?? 'usual');
      const { reading, transact } = door.ways[own];
      // What strangers have to prove takes long, and has turns of its own: nobody's place is taken meanwhile.
      const isPublic = right === 'public';
      const prepare = async () => ('before' in one ? one.before?.(reading, asked) : undefined);
      const proven = isPublic ? await inLane(door.strangers, networkOf(asked.actor.address), prepare) : undefined;
      const leave = await door.enter(asked.actor, own, counted !== false);
      let restMs = 0;
      try {
        // Nobody is there any more who could hear of it.
        if (reply.raw.destroyed) return reply.hijack();
        if (one.method === 'GET') {
          const answer = await one.read(reading, asked);
          if (answer.pieces) {
            // From here on each bit of it has a turn of its own.
            leave();
            const enter = () => door.enter(asked.actor, own, false);
            return await sendPieces(reply, answer, reading, enter, async () => {
              const actor = await door.askAgain(request);
              demand(actor, right);
              return actor;
            });
          }
          restMs = restAfter(answer.json ?? '');
          return await send(reply, answer);
        }
        const prepared = isPublic ? proven : await prepare();
        const act = (work: Work) => one.act(work, asked, prepared);
        const answer = await transact((work) => (repeatable ? answerOnce(work, asked.actor, request, act) : act(work)));
        return await send(reply, answer);
      } finally {
        leave(restMs);
      }
    },
  });
}

function ask(request: FastifyRequest, actor: Actor): Asked {
  const checked = <T>(value: T): T => {
    if (request.validationError) throw request.validationError;
    return value;
  };
  return {
    actor,
    request,
    params: request.params as Record<string, string>,
    get body() {
      return checked(request.body);
    },
    get query() {
      return checked(request.query);
    },
  };
}

/** What was asked, at once where it is in order; otherwise only after `find` has shown that the caller may see what it is about. */
export async function readAfter<A extends Asked, Part extends 'body' | 'query'>(
  asked: A,
  part: Part,
  find: () => Promise<unknown>,
): Promise<A[Part]> {
  if (asked.request.validationError) await find();
  return asked[part];
}

function demand(actor: Actor, right: Demand): void {
  if (right === 'anyone' || right === 'public' || scopeOf(actor.roles, right)) return;
  throw forbidden('Your role does not allow this.');
}

async function send(reply: FastifyReply, { status, body, json, headers = {} }: Answer): Promise<FastifyReply> {
  reply.code(status).headers(headers);
  if (json !== undefined)
    return reply.type('application/json; charset=utf-8').send(isLarge(json) ? await encode(json) : json);
  return reply.send(status === 204 ? undefined : body);
}
