import type { FastifyInstance } from 'fastify';
import { HttpError } from './errors.ts';
import { LONGEST_ANSWER, tooLarge } from './paging.ts';

/**
 * What a client has asked for and does not read lies in memory. So there is a bound for all of it, and one for each account, so that nobody
 * can take it up for the others; and whoever reads too slowly is cut off. One that reads nothing at all is, after the minute that the server
 * waits for a silent connection.
 */

const MOST_UNREAD = 256 * 1024 * 1024;
const MOST_OF_ACCOUNT = 64 * 1024 * 1024;
/** Too little to matter: these are answered whatever else waits. */
const SMALL = 64 * 1024;
/** The longest answer at half a megabit a second. */
const READ_WITHIN_MS = 5 * 60_000;

export function boundUnread(app: FastifyInstance): void {
  const unread = new Map<number, number>();
  let all = 0;
  const count = (account: number, bytes: number) => {
    all += bytes;
    const own = (unread.get(account) ?? 0) + bytes;
    if (own > 0) unread.set(account, own);
    else unread.delete(account);
  };
  app.addHook('onSend', (request, { raw }, payload, done) => {
    if (typeof payload !== 'string' || payload.length < SMALL) return done(null, payload);
    const bytes = Buffer.byteLength(payload);
    if (bytes > LONGEST_ANSWER) return done(tooLarge());
    const account = request.actor?.account.id ?? 0;
    if (all + bytes > MOST_UNREAD || (unread.get(account) ?? 0) + bytes > MOST_OF_ACCOUNT) return done(tooMuchUnread());
    count(account, bytes);
    const late = setTimeout(() => raw.destroy(), READ_WITHIN_MS).unref();
    raw.once('close', () => {
      clearTimeout(late);
      count(account, -bytes);
    });
    done(null, payload);
  });
}

const tooMuchUnread = () =>
  new HttpError(503, 'too_much_unread', 'Earlier answers have not been read yet. Read them, then ask again.', {
    retryAfter: 5,
  });
