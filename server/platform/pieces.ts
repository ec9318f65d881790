import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Actor } from './actor.ts';
import { HttpError } from './errors.ts';
import type { Leave } from './lanes.ts';
import type { Answer, InTurn, Reading } from './work.ts';

/**
 * Answers that are written while they are read, however long that takes. Whoever reads slowly holds nothing of the house but the piece at
 * hand: connections and places are taken for a bit of work at a time, and given back before its piece is sent.
 */

/** One piece: whoever does not read it by then is gone. */
const READ_WITHIN_MS = 60_000;
/** Whoever is signed out or loses the right meanwhile gets no more of it than this. */
export const ASKED_AGAIN_MS = 5_000;
/** Where too many wait for their turn already. */
const AGAIN_MS = 1_000;

// What is at hand of each is some megabytes, for as long as its reader takes over it.
const MOST_AT_ONCE = 64;
const MOST_OF_ACCOUNT = 16;
const MOST_OF_PERSON = 4;

/** Answers under way on this node, by whose they are. */
const underWay = new Map<string, number>();

/** Until the answer is through, or nobody is there any more to read it. */
function takePlace({ raw, request }: FastifyReply): void {
  const { account, user } = request.actor!;
  const places: [name: string, most: number][] = [
    ['all', MOST_AT_ONCE],
    [`account ${account.id}`, MOST_OF_ACCOUNT],
    ...(user ? [[`user ${user.id}`, MOST_OF_PERSON] satisfies [string, number]] : []),
  ];
  const count = (by: 1 | -1) => {
    for (const [name] of places) {
      const number = (underWay.get(name) ?? 0) + by;
      if (number > 0) underWay.set(name, number);
      else underWay.delete(name);
    }
  };
  if (places.some(([name, most]) => (underWay.get(name) ?? 0) >= most))
    throw new HttpError(503, 'too_many_downloads', 'Too many files are being downloaded. Wait until one is through.', {
      retryAfter: 5,
    });
  count(1);
  raw.once('close', () => count(-1));
}

export type Pieces = AsyncGenerator<string | Buffer, void>;

export async function sendPieces(
  reply: FastifyReply,
  { status, headers = {}, pieces }: Answer,
  reading: Reading,
  enter: () => Promise<Leave>,
  askAgain: () => Promise<Actor>,
): Promise<FastifyReply> {
  const begin = () => reply.code(status).headers(headers);
  if (reply.request.method === 'HEAD') return begin().send();
  if (reply.raw.destroyed) return reply.hijack();
  takePlace(reply);
  let actor = reply.request.actor!;
  let askedAt = performance.now();
  const inTurn: InTurn = async (act) => {
    const leave = await waitPatiently(reply, enter);
    try {
      if (performance.now() - askedAt > ASKED_AGAIN_MS) {
        actor = await askAgain();
        askedAt = performance.now();
      }
      return await act(reading, actor);
    } finally {
      leave();
    }
  };
  const written = pieces!(inTurn);
  // Waited for, so that what is refused at the beginning is told as any refusal is.
  const first = await written.next();
  if (reply.raw.destroyed) {
    await written.return();
    return reply.hijack();
  }
  return begin().send(Readable.from(follow(reply, first, written), { objectMode: false }));
}

/** What has begun cannot be refused any more: it waits until others are through. */
async function waitPatiently({ raw }: FastifyReply, enter: () => Promise<Leave>): Promise<Leave> {
  for (;;) {
    try {
      return await enter();
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== 'busy' || raw.destroyed) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

/**
 * The connection may be silent while the next piece is being made, but not while one is there to be read. Where a piece fails, the stream
 * does, and the connection is cut: a client sees that the answer is not whole.
 */
async function* follow({ raw }: FastifyReply, first: Awaited<ReturnType<Pieces['next']>>, rest: Pieces): Pieces {
  raw.socket?.setTimeout(0);
  try {
    for (let next = first; !next.done; next = await rest.next()) {
      const late = setTimeout(() => raw.destroy(), READ_WITHIN_MS).unref();
      try {
        yield next.value;
      } finally {
        clearTimeout(late);
      }
    }
  } finally {
    await rest.return();
  }
}
