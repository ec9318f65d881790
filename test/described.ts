import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';
import { ErrorBody } from '../contract/errors.ts';

/** Status → schema. */
export type DescribedRoute = { method: string; url: string; responses: Record<string, object> };

type Response = { $ref?: string; content?: Record<string, { schema: object }> };
export type Description = {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: Record<string, Record<string, object>>;
};

/** Holds answers against what the service says of them: at `/api/v2` its OpenAPI description, elsewhere the route's own schemas. */
export function describedBy(read: () => Promise<Description>, routes: DescribedRoute[]) {
  const checks = new Map<object, (body: unknown) => boolean>();
  let published: Promise<DescribedRoute[]> | undefined;

  const find = async (method: string, path: string) => {
    const known = path.startsWith('/api/') ? await (published ??= read().then(readPublished)) : routes;
    const fits = known.filter((one) => one.method === method && matches(one.url, path));
    // `/leads/search` before `/leads/:id`.
    return fits.toSorted((a, b) => holes(a.url) - holes(b.url))[0]?.responses;
  };

  return async (method: string, path: string, { status, body }: { status: number; body: unknown }): Promise<void> => {
    const responses = await find(method, path.split('?', 1)[0]!);
    // What is nowhere says so in the one shape, and so does what only the pages ask for.
    const refusal = status >= 300 && !(responses && path.startsWith('/api/')) ? ErrorBody : undefined;
    const schema = responses?.[status] ?? refusal;
    assert.ok(schema, `${method} ${path} answered ${status}, which its description does not know`);
    if (status === 204 || method === 'HEAD') return;
    let check = checks.get(schema);
    if (!check) {
      const compiled = Compile(schema as never);
      checks.set(schema, (check = (value) => compiled.Check(value)));
    }
    assert.ok(check(body), `${method} ${path} ${status} is not as described: ${JSON.stringify(body)}`);
  };
}

function readPublished(description: Description): DescribedRoute[] {
  return Object.entries(description.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      url: url.replaceAll(/\{(\w+)\}/g, ':$1'),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, schemaOf(response, description)]),
      ),
    })),
  );
}

const schemaOf = (response: Response, description: Description): object =>
  (followAll(response, description) as Response).content?.['application/json']?.schema ?? {};

/** With what its references lead to in their place. */
export function followAll(part: unknown, { components }: Pick<Description, 'components'>): unknown {
  if (Array.isArray(part)) return part.map((one) => followAll(one, { components }));
  if (typeof part !== 'object' || part === null) return part;
  const [, , kind, name] = '$ref' in part ? String(part.$ref).split('/') : [];
  if (kind && name) return followAll(components[kind]![name], { components });
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, followAll(one, { components })]));
}

const matches = (pattern: string, path: string) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
const holes = (pattern: string) => pattern.split(':').length;
