import type { FastifyRequest } from 'fastify';
import { forbidden, HttpError } from './errors.ts';

/** Scheme, host and port of an http(s) address that has nothing else. */
export function readOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/') return undefined;
  return url.search || url.hash || url.username || url.password ? undefined : url.origin;
}

/** The host a request was sent to, as accounts write theirs: in lower case, without the port that goes without saying. */
export function hostAsked({ protocol, host, raw }: FastifyRequest): string {
  if (host === '' && raw.httpVersion === '1.1')
    throw new HttpError(400, 'bad_request', 'The request names no host. Send the header Host.');
  const address = `${protocol}://${host}`;
  return URL.canParse(address) ? new URL(address).host : host.toLowerCase();
}

/** A cookie is sent along with whatever another site makes a browser do, so a change has to say that it comes from our own pages. */
export function refuseForeignOrigin(request: FastifyRequest, baseUrl?: string): void {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  const origin = headers.origin;
  const ownHosts = [hostAsked(request), ...(baseUrl ? [new URL(baseUrl).host] : [])];
  const fromOwnHost =
    origin !== undefined && URL.canParse(origin) && ownHosts.includes(new URL(origin).host.toLowerCase());
  if (origin === undefined ? site === 'same-origin' : fromOwnHost && (site === undefined || site === 'same-origin'))
    return;
  throw forbidden('This request does not come from the pages of this service (Origin or Sec-Fetch-Site).');
}
