import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { paths } from '../../contract/paths.ts';
import { findAccount } from '../people/accounts/find.ts';
import { hostAsked } from '../platform/origin.ts';
import type { Route } from '../platform/route.ts';
import type { Reading } from '../platform/work.ts';
import { EXAMPLE_ADDRESS } from './examples.ts';
import { describeApi } from './openapi.ts';

const OPENAPI = '/api/v2/openapi.json';

// Scalar writes its styles into the page as it runs; scripts stay ours alone.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API reference · Leadline</title>
    <link rel="icon" href="/assets/mark.svg" type="image/svg+xml" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

// Nothing from elsewhere: no fonts, no proxy, no telemetry, no assistant.
const START = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: OPENAPI,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // As the header has to be: whoever copies a command puts their key into it.
  authentication: { preferredSecurityScheme: 'key', securitySchemes: { key: { value: 'Token "API_KEY"' } } },
})});`;

/** The description of the routes at /api/v2, and the reference with try-it, whose script comes with the package and is served by us. */
export function addReference(app: FastifyInstance, reading: Reading, routes: Route[], version: string): void {
  // Read when asked for: 3.6 MB that nobody needs in memory.
  const script = new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));
  const asset = (path: string, type: string, content: () => string | Readable) =>
    app.get(path, (_request, reply) => reply.type(type).header('cache-control', 'max-age=3600').send(content()));
  app.get(paths.reference, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE),
  );
  asset('/docs/scalar.js', 'text/javascript; charset=utf-8', () => createReadStream(script));
  asset('/docs/start.js', 'text/javascript; charset=utf-8', () => START);

  // Put together when first asked for, and then only the address is filled in: each account has one of its own.
  let description: string | undefined;
  app.get(OPENAPI, { config: { right: 'public' } }, async (request, reply) => {
    description ??= JSON.stringify(describeApi(routes, version));
    const servers = await listServers(reading, request);
    const text = description.replaceAll(EXAMPLE_ADDRESS, JSON.stringify(servers[0]!.url).slice(1, -1));
    return reply.type('application/json; charset=utf-8').send(`{"servers":${JSON.stringify(servers)},${text.slice(1)}`);
  });
}

/** The account's own address; and where it was asked for, if that is another, since a browser may try requests only there. */
async function listServers(reading: Reading, request: FastifyRequest): Promise<{ url: string; description: string }[]> {
  const asked = { url: `${request.protocol}://${request.host}`, description: 'Where this description was read.' };
  const account = await findAccount(reading, hostAsked(request));
  if (!account) return [asked];
  const own = { url: account.baseUrl, description: 'The address of the account.' };
  return new URL(account.baseUrl).host === hostAsked(request) ? [own] : [own, asked];
}
