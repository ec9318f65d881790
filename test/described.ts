import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { Compile } from 'typebox/compile';
import { ErrorBody } from '../contract/errors.ts';
/** Status, or `4xx`, → schema. */
export type DescribedRoute = { method: string; url: string; responses: Record<string, object> };

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> };

/** Holds answers against what the service says of them: at `/api/v2` its OpenAPI description, elsewhere the route's own schemas. */
export function describedBy(app: FastifyInstance, routes: DescribedRoute[]) {
  const checks = new Map<object, (body: unknown) => boolean>();
  let published: DescribedRoute[] | undefined;

  const find = (method: string, path: string) => {
    const known = path.startsWith('/api/') ? (published ??= readPublished(app)) : routes;
    const fits = known.filter((one) => one.method === method && matches(one.url, path));
    // `/leads/search` before `/leads/:id`.
    return fits.toSorted((a, b) => holes(a.url) - holes(b.url))[0]?.responses;
  };

  return (method: string, path: string, { status, body }: { status: number; body: unknown }): void => {
    // What is nowhere says so in the one shape.
    const responses = find(method, path.split('?', 1)[0]!) ?? { '4xx': ErrorBody };
    const schema = responses[status] ?? responses[`${String(status)[0]}xx`];
    assert.ok(schema, `${method} ${path} answered ${status}, which its description does not know`);
    if (status === 204) return;
    let check = checks.get(schema);
    if (!check) {
      const compiled = Compile(schema as never);
      checks.set(schema, (check = (value) => compiled.Check(value)));
    }
    assert.ok(check(body), `${method} ${path} ${status} is not as described: ${JSON.stringify(body)}`);
  };
}

function readPublished(app: FastifyInstance): DescribedRoute[] {
  const { paths } = app.swagger() as unknown as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      url: url.replaceAll(/\{(\w+)\}/g, ':$1'),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, { content }]) => [
          status.toLowerCase(),
          content?.['application/json']?.schema ?? {},
        ]),
      ),
    })),
  );
}

const matches = (pattern: string, path: string) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
const holes = (pattern: string) => pattern.split(':').length;
