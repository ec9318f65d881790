import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Account } from '../../platform/actor.ts';
import type { Pool } from '../../platform/db.ts';
import type { RateLimit } from '../../platform/limits.ts';
import { hostAsked } from '../../platform/origin.ts';
import { createSessionFinder, LASTS_DAYS, type SignedIn, type Visitor } from './sessions.ts';

const NAME = 'leadline_session';

export const readCookie = (header: string | undefined): string | undefined =>
  /(?:^|;\s*)leadline_session=([\w-]{20,100})(?:;|$)/.exec(header ?? '')?.[1];

/** Pages say so when they ask by themselves. */
const UNATTENDED = 'leadline-unattended';

/** Who asks, by their cookie; `used` is false where nobody did anything, `counts` true where it counts toward their limits. */
export type WhoIs = (request: FastifyRequest, used?: boolean, counts?: boolean) => Promise<SignedIn | undefined>;

export function createWhoIs(pool: Pool, limits: RateLimit[]): WhoIs {
  const find = createSessionFinder(pool, limits);
  return async (request, used = true, counts = false) => {
    const token = readCookie(request.headers.cookie);
    const attended = used && request.headers[UNATTENDED] === undefined;
    if (!token) return undefined;
    const signedIn = await find({ token, host: hostAsked(request), address: request.ip, used: attended, counts });
    if (signedIn?.renewed) request.renewal = attributes(token, signedIn.renewed, signedIn.actor.account.baseUrl);
    return signedIn;
  };
}

/** The cookie lasts as long as its session: where that was moved on, the answer says so. One that sets a cookie itself keeps its own. */
export function renewCookies(app: FastifyInstance): void {
  app.decorateRequest('renewal', undefined);
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.renewal && !reply.hasHeader('set-cookie'))
      reply.headers({ 'set-cookie': request.renewal, 'cache-control': 'no-store' });
    done();
  });
}

export const visitorOf = ({ headers, ip }: FastifyRequest, account: Account): Visitor => ({
  account,
  address: ip,
  browser: headers['user-agent'] ?? '',
  brought: readCookie(headers.cookie),
});

/** Not readable by scripts, not sent along from other sites, and only over https where the account is reached by it. */
export const writeCookie = (token: string, baseUrl: string, kept = true): string =>
  attributes(token, kept ? LASTS_DAYS * 86_400 : undefined, baseUrl);

export const clearCookie = (baseUrl: string): string => attributes('', 0, baseUrl);

/** Without an age it goes when the browser is closed. */
function attributes(value: string, maxAge: number | undefined, baseUrl: string): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${NAME}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`;
}
