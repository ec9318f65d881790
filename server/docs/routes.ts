import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { paths } from '../../contract/paths.ts';

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
  authentication: { preferredSecurityScheme: 'key' },
})});`;

/** OpenAPI 3.1 from the schemas of the routes at /api/v2, before they are added. */
export function describeApi(app: FastifyInstance, version: string): void {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Leadline API',
        version: `2 (Leadline ${version})`,
        description: 'Users, lists, leads, calls and webhooks of a lead-calling service.',
      },
      components: {
        securitySchemes: {
          key: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The word Token, a space, then the key in double quotes: `Token "<API_KEY>"`.',
          },
        },
      },
      security: [{ key: [] }],
    },
    transform: ({ schema, url }) => ({ schema: url.startsWith('/api/v2/') ? schema : { ...schema, hide: true }, url }),
  });
}

/** The reference with try-it at /docs. Its script comes with the package and is served by us. */
export function addReference(app: FastifyInstance): void {
  // Read when asked for: 3.6 MB that nobody needs in memory.
  const script = new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));
  const asset = (path: string, type: string, content: () => string | Readable) =>
    app.get(path, { schema: { hide: true } }, (_request, reply) =>
      reply.type(type).header('cache-control', 'max-age=3600').send(content()),
    );
  app.get(paths.reference, { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE),
  );
  asset('/docs/scalar.js', 'text/javascript; charset=utf-8', () => createReadStream(script));
  asset('/docs/start.js', 'text/javascript; charset=utf-8', () => START);
  // Described as living where it was asked for: each account has an address of its own.
  app.get(OPENAPI, { config: { right: 'public' }, schema: { hide: true } }, ({ protocol, host }) => ({
    ...app.swagger(),
    servers: [{ url: `${protocol}://${host}` }],
  }));
}
