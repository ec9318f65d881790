import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { seePage } from '../calls/line.ts';
import type { Actor } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import { readId } from '../platform/read.ts';
import type { Reading } from '../platform/work.ts';
import { look, MANY, type Look } from './look.ts';

/**
 * One stream of server-sent events a browser. It tells that something changed; the page then asks for what it shows. So nothing depends on
 * having heard everything, and after a dropped connection it is right again with the first look.
 */

const EVERY_MS = 1_000;
/** Looks between two questions whether they may still listen, between two notes that their page is there, and between two signs of life. */
const ASK_AGAIN = 5;
const SEEN = 30;
const SEEN_IN_CALL = 2;
const SIGN_OF_LIFE = 15;
const MOST_STREAMS = 20;
const MOST_UNREAD = 256 * 1024;

/** Who they are by now; undefined when the session ended. */
export type AskAgain = (request: FastifyRequest) => Promise<Actor | undefined>;

export function addLive(scope: FastifyInstance, reading: Reading, askAgain: AskAgain): void {
  const streams = new Map<number, Set<() => void>>();
  scope.addHook('preClose', async () => {
    for (const own of streams.values()) for (const end of own) end();
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
    const end = listen(reading, request, reply, askAgain);
    own.add(end);
    reply.raw.once('close', () => {
      end();
      own.delete(end);
      if (own.size === 0) streams.delete(user);
    });
  });
}

function listen(reading: Reading, request: FastifyRequest, reply: FastifyReply, askAgain: AskAgain): () => void {
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
  const { lists = '' } = request.query as { lists?: string | string[] };
  const listIds = [lists]
    .flat()
    .join(',')
    .split(',')
    .flatMap((text) => readId(text) ?? [])
    .slice(0, 50);

  let ended = false;
  const end = () => {
    ended = true;
    raw.end();
  };
  void (async () => {
    let actor = request.actor!;
    let told: Partial<Look> = {};
    let seen = new Set<number>();
    let since: number | null = null;
    for (let round = 0; !ended && !raw.destroyed; round += 1) {
      try {
        if (round > 0 && round % ASK_AGAIN === 0) {
          const now = await askAgain(request);
          if (!now) break;
          actor = now;
        }
        const now = await look(reading, actor, since, listIds);
        // Whoever has not read what was told before is let go, and is right again with the next look.
        if (ended || raw.writableLength > MOST_UNREAD) break;
        // What was there before the stream began is no news.
        const news = since === null ? [] : (now.events ?? []).filter(({ id }) => !seen.has(id));
        if (news.length >= MANY) tell('much', {});
        for (const event of news) tell('lead', event);
        for (const name of ['presence', 'queues', 'line', 'bulk'] as const) {
          if (JSON.stringify(now[name]) !== JSON.stringify(told[name])) tell(name, now[name] ?? []);
        }
        const inCall = now.line?.some(({ own }) => own) ?? false;
        if (round % (inCall ? SEEN_IN_CALL : SEEN) === 0) await seePage(reading, actor, inCall);
        if (round % SIGN_OF_LIFE === 0) write(': here\n\n');
        seen = new Set(now.events?.map(({ id }) => id));
        since = now.newest;
        told = now;
      } catch (error) {
        request.log.debug({ err: error }, 'A look for a live stream failed');
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    if (raw.writableLength > MOST_UNREAD) raw.destroy();
    end();
  })();
  return end;
}
