import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../db/refusal.ts';
import { notFound } from '../platform/errors.ts';
import { securityHeaders } from '../platform/security-headers.ts';
import type { WhoIs } from '../people/sessions/cookie.ts';

const DIST = join(import.meta.dirname, '..', '..', 'web', 'dist');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

/** What the build has put there; nothing before it. */
export const listAssets = (): string[] => (existsSync(join(DIST, 'assets')) ? readdirSync(join(DIST, 'assets')) : []);

const INDEX = join(DIST, 'index.html');
const readIndex = (): string | undefined => (existsSync(INDEX) ? readFileSync(INDEX, 'utf8') : undefined);

/** A service that answers people with nothing would be found out by them first. */
export function refuseWithoutPages(): void {
  if (existsSync(INDEX)) return;
  throw new Refusal(
    `The pages are not built: there is no ${INDEX}. Run \`npm ci --include=dev\` and \`npm run build\` once, or use \`npm start\`, which does both.`,
  );
}

/** What the first page inside is made of; whoever types a password has time to fetch it. */
export const listFirst = (): string[] =>
  [...(readIndex() ?? '').matchAll(/"(\/assets\/[\w-]+\.(?:js|css|woff2))"/g)].map(([, file]) => file!);

const PAGES = ['/work', '/leads', '/leads/*', '/manage', '/manage/*', '/preferences', '/preferences/*'];

/** Answers with the application; whoever is not signed in is sent to the door, and back from there. */
export type ShowApplication = (reply: FastifyReply) => FastifyReply;

/** The web application as it was built. Its pages are one document; everything else it asks for at `/app`. */
export function addApplication(app: FastifyInstance, whoIs: WhoIs): ShowApplication {
  let page: string | undefined;
  const show: ShowApplication = (reply) => {
    page ??= readIndex() ?? 'The pages are not built: run `npm run build`.';
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
  const kept = new Map<string, Buffer>();
  const readAsset = async (file: string): Promise<Buffer> => {
    const content = kept.get(file) ?? (await readFile(join(DIST, 'assets', file)));
    kept.set(file, content);
    return content;
  };
  app.get<{ Params: { file: string } }>('/assets/:file', async (request, reply) => {
    const { file } = request.params;
    const type = TYPES[extname(file)];
    if (!type || !files.has(file)) throw notFound();
    const packed = files.has(`${file}.br`) && /\bbr\b/.test(String(request.headers['accept-encoding']));
    // Built anew under a running service, the old ones are gone.
    const content = await readAsset(packed ? `${file}.br` : file).catch(() => Promise.reject(notFound()));
    if (packed) reply.header('content-encoding', 'br');
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .type(type)
      .send(content);
  });
  return show;
}
