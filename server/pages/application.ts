import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastifyStatic } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { paths, signInFor } from '../../contract/paths.ts';
import { Refusal } from '../../db/refusal.ts';
import { notFound } from '../platform/errors.ts';
import { securityHeaders } from '../platform/security-headers.ts';
import type { WhoIs } from '../people/sessions/cookie.ts';

const DIST = join(import.meta.dirname, '..', '..', 'web', 'dist');

const ASSETS = join(DIST, 'assets');

/** What browsers ask for by name; the packed ones beside them are chosen by what they accept. */
const SERVED = /^[\w.-]+\.(?:js|css|woff2|svg)$/;

/** What the build has put there; nothing before it. */
export const listAssets = (): string[] => (existsSync(ASSETS) ? readdirSync(ASSETS) : []);

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

const PAGES = [
  paths.work,
  ...[paths.leads, paths.lists, paths.imports, paths.manage, paths.preferences].flatMap((path) => [path, `${path}/*`]),
];

/** Answers with the application; whoever is not signed in is sent to the door, and back from there. */
export type ShowApplication = (reply: FastifyReply) => FastifyReply;

/** The web application as it was built. Its pages are one document; everything else it asks for at `/app`. */
export function addApplication(app: FastifyInstance, whoIs: WhoIs): ShowApplication {
  let page: string | undefined;
  const show: ShowApplication = (reply) => {
    page ??= readIndex() ?? 'The pages are not built: run `npm run build`.';
    // For the style elements that are written while a page is open: they lock scrolling behind dialogs, and draw the player. Colours come from the build.
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
    return reply.redirect(signInFor(request.url), 303);
  };
  for (const path of PAGES) app.get(path, open);

  // In a scope of its own, as it has a hook. Without the folder there is nothing to serve yet.
  if (existsSync(ASSETS)) void app.register(addFiles, { prefix: '/assets' });
  return show;
}

/** Names hold a hash of what is in them, so they can be kept for ever. They were packed at the build, instead of with every request. */
function addFiles(scope: FastifyInstance, _options: object, done: () => void): void {
  scope.addHook('onRequest', (request, _reply, next) => {
    const { '*': name = '' } = request.params as { '*'?: string };
    next(SERVED.test(name) ? undefined : notFound());
  });
  void scope.register(fastifyStatic, {
    root: ASSETS,
    prefix: '/',
    preCompressed: true,
    maxAge: '365d',
    immutable: true,
    index: false,
    decorateReply: false,
  });
  done();
}
