import type { FastifyInstance } from 'fastify';
import type { Actor } from './actor.ts';
import { HttpError } from './errors.ts';
import { LONGEST_ANSWER, tooLarge } from './large-answers.ts';

/**
 * What a client has asked for and does not read lies in memory. So there is a bound for all of it, and one for each account and person, so that nobody
 * can take it up for the others; and whoever reads too slowly is cut off. One that reads nothing at all is, after the minute that the server
 * waits for a silent connection.
 */

const MOST_UNREAD = 256 * 1024 * 1024;
const MOST_OF_ACCOUNT = 64 * 1024 * 1024;
const MOST_OF_PERSON = 32 * 1024 * 1024;
/** Too little to matter: these are answered whatever else waits. */
const SMALL = 64 * 1024;
/** The longest answer at half a megabit a second. */
const READ_WITHIN_MS = 5 * 60_000;

export function boundUnread(app: FastifyInstance): void {
  const unread = new Map<string, number>();
  let all = 0;
  const count = (whose: Owner[], bytes: number) => {
    all += bytes;
    for (const [owner] of whose) {
      const own = (unread.get(owner) ?? 0) + bytes;
      if (own > 0) unread.set(owner, own);
      else unread.delete(owner);
    }
  };
  app.addHook('onSend', (request, { raw }, payload, done) => {
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || payload.length < SMALL)
      return done(null, payload);
    const bytes = Buffer.byteLength(payload);
    if (bytes > LONGEST_ANSWER) return done(tooLarge());
    // Gone before it was written: nothing would ever tell that they went.
    if (raw.destroyed) return done(null, payload);
    const whose = ownersOf(request.actor);
    const isFull = whose.some(([owner, most]) => (unread.get(owner) ?? 0) + bytes > most);
    if (all + bytes > MOST_UNREAD || isFull) return done(tooMuchUnread());
    count(whose, bytes);
    const late = setTimeout(() => raw.destroy(), READ_WITHIN_MS).unref();
    raw.once('close', () => {
      clearTimeout(late);
      count(whose, -bytes);
    });
    done(null, payload);
  });
}

type Owner = [name: string, most: number];

const ownersOf = (actor: Actor | null): Owner[] => [
  [`account ${actor?.account.id ?? 0}`, MOST_OF_ACCOUNT],
  ...(actor?.user ? [[`user ${actor.user.id}`, MOST_OF_PERSON] satisfies Owner] : []),
];

const tooMuchUnread = () =>
  new HttpError(503, 'too_much_unread', 'Earlier answers have not been read yet. Read them, then ask again.', {
    retryAfter: 5,
  });
