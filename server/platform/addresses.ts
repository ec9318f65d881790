import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpError, notFound } from './errors.ts';
import { MOST_KEYS, tooManyKeys } from './json.ts';
import { bytesOf, isPlain, notUtf8 } from './text.ts';

/** At both doors a trailing slash and `.json` are the same resource, except where the name of one ends so. */
const TIDIED = /^(\/(?:api\/v2|app)\/[^?]*?[^/?])(?:(?<!\/openapi)\.json)?\/?(?=\?|$)/;

/** An address as it is looked up. */
export const tidyAddress = ({ url = '/' }: IncomingMessage): string => url.replace(TIDIED, '$1');

/** Bytes in the query that are no text, or more of it than is looked at. */
export function findQueryFault(url: string): HttpError | undefined {
  const begin = url.indexOf('?');
  if (begin < 0) return undefined;
  if (url.length > MOST_KEYS && url.split('&', MOST_KEYS + 1).length > MOST_KEYS) return tooManyKeys();
  const query = url.slice(begin);
  return isPlain(query) || isUtf8(bytesOf(query)) ? undefined : notUtf8('query');
}

/** Why there is nothing at an address: it is unknown, or it takes other methods, which the answer names. */
export type RefuseAddress = (request: FastifyRequest, reply: FastifyReply) => HttpError;

export function learnAddresses(app: FastifyInstance): RefuseAddress {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    known.set(url, methods);
    for (const one of [method].flat()) methods.add(one);
  });
  return ({ url, method }, reply) => {
    const path = url.split('?', 1)[0]!.split('/');
    // As the router does: `/leads/search` before `/leads/:id`.
    const [found] = [...known.keys()].filter((pattern) => fits(pattern, path)).toSorted((a, b) => holes(a) - holes(b));
    if (found === undefined || known.get(found)!.has(method)) return notFound();
    const allowed = [...known.get(found)!].toSorted().join(', ');
    reply.header('allow', allowed);
    return new HttpError(405, 'method_not_allowed', `This address does not take ${method}. It takes ${allowed}.`);
  };
}

const holes = (pattern: string) => pattern.split(/[:*]/).length;

function fits(pattern: string, path: string[]): boolean {
  const names = pattern.split('/');
  const isOpen = names.at(-1) === '*';
  if (isOpen ? path.length < names.length : path.length !== names.length) return false;
  return names.every(
    (name, index) => name === '*' || name === path[index] || (name.startsWith(':') && path[index] !== ''),
  );
}
