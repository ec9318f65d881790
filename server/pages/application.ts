import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../platform/errors.ts';
import { securityHeaders } from '../platform/security-headers.ts';
import type { WhoIs } from '../sessions/cookie.ts';

const DIST = join(import.meta.dirname, '..', '..', 'web', 'dist');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

/** What the build has put there; nothing before it. */
export const listAssets = (): string[] => (existsSync(join(DIST, 'assets')) ? readdirSync(join(DIST, 'assets')) : []);

const PAGES = ['/work', '/leads', '/leads/*', '/manage/*', '/preferences/*'];

/** Answers with the application; whoever is not signed in is sent to the door, and back from there. */
export type ShowApplication = (reply: FastifyReply) => FastifyReply;

/** The web application as it was built. Its pages are one document; everything else it asks for at `/app`. */
export function addApplication(app: FastifyInstance, whoIs: WhoIs): ShowApplication {
  const read = () => readFileSync(join(DIST, 'index.html'), 'utf8');
  let page: string | undefined;
  const show: ShowApplication = (reply) => {
    page ??= existsSync(join(DIST, 'index.html')) ? read() : 'The pages are not built: run `npm run build`.';
    // The kit writes its colours into a style element; nobody else may.
    const nonce = randomBytes(18).toString('base64');
    const policy = securityHeaders['content-security-policy'].replace(
      "style-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
    );
    return reply
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page.replace('{{nonce}}', nonce));
  };
  const open = async (request: FastifyRequest, reply: FastifyReply) => {
    if (await whoIs(request)) return show(reply);
    return reply.redirect(`/sign-in?to=${encodeURIComponent(request.url)}`, 303);
  };
  for (const path of PAGES) app.get(path, open);

  // Names hold a hash of what is in them, so they can be kept for ever. Only names that were there at the start are opened.
  const files = new Set(listAssets());
  app.get<{ Params: { file: string } }>('/assets/:file', (request, reply) => {
    const { file } = request.params;
    const type = TYPES[extname(file)];
    if (!type || !files.has(file)) throw notFound();
    const packed = files.has(`${file}.br`) && /\bbr\b/.test(String(request.headers['accept-encoding']));
    if (packed) reply.header('content-encoding', 'br');
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .type(type)
      .send(createReadStream(join(DIST, 'assets', packed ? `${file}.br` : file)));
  });
  return show;
}
