import type { FastifyRequest } from 'fastify';
import { forbidden } from './errors.ts';

/** A cookie is sent along with whatever another site makes a browser do, so a change has to say that it comes from our own pages. */
export function refuseForeignOrigin({ headers, host }: FastifyRequest, baseUrl?: string): void {
  const site = headers['sec-fetch-site'];
  const origin = headers.origin;
  const ownHosts = [host.toLowerCase(), ...(baseUrl ? [new URL(baseUrl).host] : [])];
  const fromOwnHost =
    origin !== undefined && URL.canParse(origin) && ownHosts.includes(new URL(origin).host.toLowerCase());
  if (origin === undefined ? site === 'same-origin' : fromOwnHost && (site === undefined || site === 'same-origin'))
    return;
  throw forbidden('This request does not come from the pages of this service (Origin or Sec-Fetch-Site).');
}
