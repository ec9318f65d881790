import type { FastifyRequest } from 'fastify';
import type { Account } from '../platform/actor.ts';
import type { Pool } from '../platform/db.ts';
import { hostAsked } from '../platform/origin.ts';
import { createSessionFinder, LASTS_DAYS, type SignedIn, type Visitor } from './sessions.ts';

const NAME = 'leadline_session';

export const readCookie = (header: string | undefined): string | undefined =>
  /(?:^|;\s*)leadline_session=([\w-]{20,100})(?:;|$)/.exec(header ?? '')?.[1];

/** Pages say so when they ask by themselves. */
const UNATTENDED = 'leadline-unattended';

/** Who asks, by their cookie; `used` is false where nobody did anything. */
export type WhoIs = (request: FastifyRequest, used?: boolean) => Promise<SignedIn | undefined>;

export function createWhoIs(pool: Pool): WhoIs {
  const find = createSessionFinder(pool);
  return async (request, used = true) => {
    const token = readCookie(request.headers.cookie);
    const attended = used && request.headers[UNATTENDED] === undefined;
    return token ? find({ token, host: hostAsked(request), address: request.ip, used: attended }) : undefined;
  };
}

export const visitorOf = ({ headers, ip }: FastifyRequest, account: Account): Visitor => ({
  account,
  address: ip,
  browser: headers['user-agent'] ?? '',
  brought: readCookie(headers.cookie),
});

/** Not readable by scripts, not sent along from other sites, and only over https where the account is reached by it. */
export const writeCookie = (token: string, baseUrl: string, keep = true): string =>
  attributes(token, keep ? LASTS_DAYS * 86_400 : undefined, baseUrl);

export const clearCookie = (baseUrl: string): string => attributes('', 0, baseUrl);

/** Without an age it goes when the browser is closed. */
function attributes(value: string, maxAge: number | undefined, baseUrl: string): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${NAME}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`;
}
