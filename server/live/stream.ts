import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { scopeOf } from '../../contract/roles.ts';
import { notePresence } from '../people/users/presence.ts';
import type { Actor } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import { readId } from '../platform/read.ts';
import type { Reading } from '../platform/work.ts';
import { look, MANY, MOST_UNHEARD_MS, type Heard, type Look } from './look.ts';

/**
 * One stream of server-sent events a browser. It tells that something changed; the page then asks for what it shows. So nothing depends on
 * having heard everything, and after a dropped connection it is right again with the first look.
 */

const EVERY_MS = 900;
/** Pages take the service for gone when they hear nothing for two and a half seconds. */
const BEAT_MS = 1_000;
const BEAT = 'event: beat\ndata: 0\n\n';
/** Looks between two questions whether they may still listen, and between two notes that their page is there. */
const ASK_AGAIN = 5;
const SEEN = 30;
const MOST_STREAMS = 20;
const MOST_UNREAD = 256 * 1024;

/** Who they are by now; undefined when the session ended. */
export type AskAgain = (request: FastifyRequest) => Promise<Actor | undefined>;

export function addLive(scope: FastifyInstance, reading: Reading, askAgain: AskAgain): void {
  const streams = new Map<number, Set<Stream>>();
  // One timer for all: a beat says that this process lives, and must not wait for anybody's look.
  const beating = setInterval(() => {
    for (const own of streams.values()) for (const { beat } of own) beat();
  }, BEAT_MS).unref();
  scope.addHook('preClose', async () => {
    clearInterval(beating);
    for (const own of streams.values()) for (const { end } of own) end();
  });
  scope.get('/live', { config: { right: 'anyone', stream: true }, exposeHeadRoute: false }, (request, reply) => {
    const user = request.actor!.user!.id;
    const own = streams.get(user) ?? new Set();
    if (own.size >= MOST_STREAMS) throw new HttpError(429, 'too_many_streams', 'Too many pages are open at once.');
    // Gone before they were let in: nothing would tell that they went.
    if (request.raw.destroyed || reply.raw.destroyed) {
      reply.hijack();
      return;
    }
    streams.set(user, own);
    const stream = listen(reading, request, reply, askAgain);
    own.add(stream);
    reply.raw.once('close', () => {
      stream.end();
      own.delete(stream);
      if (own.size === 0) streams.delete(user);
    });
  });
}

const nameOf = ({ lead_id, at }: { lead_id: number; at: string }) => `${lead_id} ${at}`;

/** How long its page has shown what it was answered before it listens. */
const readUnheard = (text: string | string[] | undefined): number => {
  const ms = Number(text ?? 0);
  return ms >= 0 ? Math.min(ms, MOST_UNHEARD_MS) : 0;
};

/** Whether more may have changed than is told one by one. */
const missedMuch = (heard: Heard, { missed }: Look): boolean =>
  'unheardMs' in heard && (missed || heard.unheardMs === MOST_UNHEARD_MS);

type Stream = { beat: () => void; end: () => void };

function listen(reading: Reading, request: FastifyRequest, reply: FastifyReply, askAgain: AskAgain): Stream {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    // Kept, the connection of an ended stream would hold up a stop of the service.
    connection: 'close',
  });
  raw.on('error', () => {});
  const write = (text: string) => {
    if (!ended && !raw.destroyed) raw.write(text);
  };
  const tell = (name: string, data: unknown) => write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const asked = request.query as { lists?: string | string[]; unheard?: string | string[] };
  const listIds = [asked.lists ?? '']
    .flat()
    .join(',')
    .split(',')
    .flatMap((text) => readId(text) ?? [])
    .slice(0, 50);

  let ended = false;
  // Silent while its looks fail: without the database nothing can be saved either.
  let sees = true;
  const beat = () => sees && write(BEAT);
  const end = () => {
    ended = true;
    raw.end();
  };
  beat();
  void (async () => {
    let actor = request.actor!;
    let told: Partial<Look> = {};
    let seen = new Set<number>();
    let moved = new Set<string>();
    let heard: Heard = { unheardMs: readUnheard(asked.unheard) };
    for (let round = 0; !ended && !raw.destroyed; round += 1) {
      try {
        if (round > 0 && round % ASK_AGAIN === 0) {
          const now = await askAgain(request);
          if (!now) break;
          actor = now;
        }
        const now = await look(reading, actor, heard, listIds);
        // Whoever has not read what was told before is let go, and is right again with the next look.
        if (ended || raw.writableLength > MOST_UNREAD) break;
        const isFirst = 'unheardMs' in heard;
        // What was there before anybody could listen is no news.
        const news = (now.events ?? []).filter(({ id, unheard }) => (isFirst ? unheard : !seen.has(id)));
        const others = (now.moved ?? []).filter((move) => (isFirst ? move.unheard : !moved.has(nameOf(move))));
        if (missedMuch(heard, now) || news.length + others.length >= MANY) tell('much', {});
        for (const { unheard: _, ...lead } of news) tell('lead', lead);
        for (const { lead_id, list_id } of others) tell('lead', { lead_id, list_id });
        for (const name of ['presence', 'queues', 'line', 'own', 'bulk', 'lists', 'jobs'] as const) {
          if (JSON.stringify(now[name]) !== JSON.stringify(told[name])) tell(name, now[name] ?? []);
        }
        if (
          scopeOf(actor.roles, 'queue.work') &&
          (round % SEEN === 0 || JSON.stringify(now.own) !== JSON.stringify(told.own))
        )
          await notePresence(reading, actor, now.own);
        seen = new Set(now.events?.map(({ id }) => id));
        moved = new Set(now.moved?.map(nameOf));
        heard = { since: now.newest };
        told = now;
        sees = true;
      } catch (error) {
        sees = false;
        request.log.debug({ err: error }, 'A look for a live stream failed');
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    if (raw.writableLength > MOST_UNREAD) raw.destroy();
    end();
  })();
  return { beat, end };
}
