import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { paths } from '../../contract/paths.ts';
import { hasOwner } from '../people/accounts/accounts.ts';
import { findAccount } from '../people/accounts/find.ts';
import { clearCookie, type WhoIs } from '../people/sessions/cookie.ts';
import { endSession } from '../people/sessions/sessions.ts';
import { addFirstRun, type First } from './first-run.ts';
import { addForms, sendPage } from './forms.ts';
import { html, OWN_SERVER } from './html.ts';
import { acceptForms } from '../platform/bodies.ts';
import { hostAsked, refuseForeignOrigin } from '../platform/origin.ts';
import type { House } from '../platform/work.ts';
import { listAssets, type ShowApplication } from '../pages/application.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** The face of the pages inside, from the same files. Until they are built, the system's. */
const fontFace = (): string =>
  ['latin-ext', 'latin']
    .map((range) =>
      listAssets().find((name) => name.startsWith(`inter-${range}-wght-normal`) && name.endsWith('.woff2')),
    )
    .flatMap((file) =>
      file
        ? `@font-face { font-family: 'Inter Variable'; font-weight: 100 900; font-display: swap; src: url(/assets/${file}); }\n`
        : [],
    )
    .join('');

/** To whoever followed an old link, or mistyped one. */
export const sayNothingHere = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, 404, {
    title: 'There is nothing here',
    content: html`<p>The address may be old, or mistyped.</p>
      <nav class="below"><a href="/">Go to the start</a></nav>`,
  });

/** The few pages one meets before being inside: plain forms, made on the server, that work without their script. */
export function addDoorPages(
  app: FastifyInstance,
  house: House,
  whoIs: WhoIs,
  show: ShowApplication,
  first: First,
): void {
  const { reading, transact } = house;
  const style = fontFace() + read('door.css');
  const script = read('door.js');
  const mark = read('mark.svg');
  app.get('/assets/door.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
  app.get('/assets/door.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
  app.get('/assets/mark.svg', (_request, reply) => reply.type('image/svg+xml').send(mark));

  void app.register((scope, _options, done) => {
    // Small: anybody can send one.
    acceptForms(scope, { bodyLimit: 16 * 1024 });
    scope.get('/', async (request, reply) => {
      if (!(await hasOwner(reading.db, await findAccount(reading, hostAsked(request))))) {
        const content = html`<p>
          It has no owner yet. The console, or the log, of the server shows a link that makes one.
        </p>`;
        return sendPage(reply, 200, { title: 'Leadline is running', motto: OWN_SERVER, content });
      }
      const signedIn = await whoIs(request);
      if (!signedIn) return reply.redirect(paths.signIn, 303);
      return show(reply);
    });
    scope.post(paths.signOut, async (request, reply) => {
      const signedIn = await whoIs(request);
      refuseForeignOrigin(request, signedIn?.actor.account.baseUrl);
      if (signedIn) await transact((work) => endSession(work, signedIn.actor, signedIn.sessionId));
      return reply.header('set-cookie', clearCookie(first.baseUrl)).redirect(paths.signIn, 303);
    });
    addForms(scope, house, whoIs);
    addFirstRun(scope, house, first);
    done();
  });
}
