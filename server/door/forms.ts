import type { FastifyInstance, FastifyReply } from 'fastify';
import { audit } from '../audit/audit.ts';
import { hasOwner, nobody } from '../accounts/accounts.ts';
import { findAccount } from '../accounts/find.ts';
import type { Actor } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import { hasPasswordLength, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../platform/passwords.ts';
import { invalid } from '../platform/read.ts';
import { visitorOf, writeCookie } from '../sessions/cookie.ts';
import { provePassword, signIn, startSession, throttleGuesses, type Visitor } from '../sessions/sessions.ts';
import {
  acceptInvitation,
  askForReset,
  preparePassword,
  readToken,
  resetPassword,
  type Purpose,
} from '../users/mailed-tokens.ts';
import { form, html, page, type Field, type Filled, type Html } from './html.ts';
import { hostAsked, refuseForeignOrigin } from '../platform/origin.ts';
import type { House } from '../platform/work.ts';

export type Values = Record<string, string>;

/** What came of a form: a session begins, or something is said. */
type Outcome = { token: string } | { said: Html };

type FormPage = {
  path: string;
  title: string;
  fields: Field[];
  button: string;
  /** Opened by a link from a mail: its token travels with the form, and says whose it is. */
  token?: Purpose;
  below?: Html;
  submit(values: Values, actor: Actor, visitor: Visitor): Promise<Outcome>;
};

export const EMAIL: Field = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' };
const PASSWORD: Field = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' };
export const NEW_PASSWORD: Field = {
  ...PASSWORD,
  autocomplete: 'new-password',
  hint: `At least ${SHORTEST_PASSWORD} characters. A sentence is easy to remember.`,
};

/** Sign in, forgot, accept, reset. */
export function addForms(scope: FastifyInstance, house: House): void {
  const { pool, reading, transact } = house;

  const choosePassword =
    (purpose: Purpose, spend: typeof acceptInvitation): FormPage['submit'] =>
    async ({ token = '', password = '' }, actor, visitor) => {
      refusePassword(password);
      const hash = await preparePassword(pool, reading, actor, { token, password, purpose });
      return transact(async (work) => {
        const user = await spend(work, actor.account, { token, hash, address: actor.address });
        return { token: await startSession(work, visitor, user) };
      });
    };

  addForm(scope, house, {
    path: '/sign-in',
    title: 'Sign in',
    fields: [EMAIL, PASSWORD],
    button: 'Sign in',
    below: html`<nav><a href="/forgotten">Forgot your password?</a></nav>`,
    async submit({ email = '', password = '' }, actor, visitor) {
      const proven = await provePassword(pool, reading, visitor, email, password);
      try {
        return await transact((work) => signIn(work, visitor, proven));
      } catch (error) {
        const refused = error instanceof HttpError && error.status === 401;
        if (refused) await transact((work) => audit(work, actor, 'session.refused', email.slice(0, 254)));
        throw error;
      }
    },
  });
  addForm(scope, house, {
    path: '/forgotten',
    title: 'A new password',
    fields: [EMAIL],
    button: 'Send a link',
    async submit({ email = '' }, actor) {
      await throttleGuesses(pool, 'forgotten', actor, email);
      await transact((work) => askForReset(work, actor.account, email.slice(0, 254)));
      return { said: html`<p>If ${email} belongs to someone here, a mail with a link is on its way.</p>` };
    },
  });
  const chosen = { fields: [{ ...EMAIL, fixed: true }, NEW_PASSWORD], button: 'Set the password and enter' };
  addForm(scope, house, {
    path: '/accept',
    title: 'Welcome',
    ...chosen,
    token: 'invitation',
    submit: choosePassword('invitation', acceptInvitation),
  });
  addForm(scope, house, {
    path: '/reset',
    title: 'A new password',
    ...chosen,
    token: 'reset',
    submit: choosePassword('reset', resetPassword),
  });
}

function addForm(scope: FastifyInstance, { reading }: House, one: FormPage): void {
  const { path, title, fields, button, token: purpose, below = html`` } = one;
  const show = (reply: FastifyReply, filled: Filled, { token = '', to = '' }: Values, status = 200) => {
    const hidden = { ...(purpose && { token }), ...(isOwnPath(to) && { to }) };
    const content = form(path, fields, button, filled, hidden);
    return sendPage(reply, status, title, html`${content}${below}`);
  };
  scope.get(path, async (request, reply) => {
    const account = await findAccount(reading, hostAsked(request));
    if (!account || !(await hasOwner(reading.db, account))) return reply.redirect('/', 303);
    const query = valuesOf(request.query);
    if (!purpose) return show(reply, { values: {} }, query);
    try {
      const email = await readToken(reading, account, query.token ?? '', purpose);
      return await show(reply, { values: { email } }, query);
    } catch (error) {
      return tellLapsed(reply, title, error);
    }
  });
  scope.post(path, async (request, reply) => {
    const values = valuesOf(request.body);
    const actor = await nobody(reading, hostAsked(request), request.ip);
    const { baseUrl } = actor.account;
    refuseForeignOrigin(request, baseUrl);
    try {
      const outcome = await one.submit(values, actor, visitorOf(request, actor.account));
      if ('said' in outcome) return await sendPage(reply, 200, title, outcome.said);
      return await enter(reply, outcome.token, baseUrl, values.to);
    } catch (error) {
      if (error instanceof HttpError && error.status === 410) return tellLapsed(reply, title, error);
      const { filled, status } = tellFault(error, values);
      return show(reply, filled, values, status);
    }
  });
}

function tellLapsed(reply: FastifyReply, title: string, error: unknown): FastifyReply {
  if (!(error instanceof HttpError)) throw error;
  const next = html`<p>${error.message}</p>
    <nav><a href="/sign-in">Sign in</a><a href="/forgotten">Forgot your password?</a></nav>`;
  return sendPage(reply, error.status, title, next);
}

/** Form values have no type but text; what is no text, or cannot be stored, cannot be meant. */
export function valuesOf(given: unknown): Values {
  const texts = Object.entries((given ?? {}) as Record<string, unknown>).filter(
    ([, value]) => typeof value === 'string',
  );
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value).replaceAll('\0', '').toWellFormed()]));
}

export function refusePassword(password: string): void {
  if (!hasPasswordLength(password)) {
    throw invalid({ password: [`must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`] });
  }
}

/** What the person can mend goes back into the form; the rest is an error like any other. */
export function tellFault(error: unknown, values: Values): { filled: Filled; status: number } {
  if (!(error instanceof HttpError) || error.status >= 500) throw error;
  const { message: sentence, errors, status } = error;
  return { filled: errors ? { values, errors } : { values, sentence }, status };
}

export function sendPage(reply: FastifyReply, status: number, title: string, content: Html): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page(title, content));
}

/** `to`: where they were going when they were sent to the door. */
export const enter = (reply: FastifyReply, token: string, baseUrl: string, to = '/'): FastifyReply =>
  reply.header('set-cookie', writeCookie(token, baseUrl)).redirect(isOwnPath(to) ? to : '/', 303);

/** Never out of the house: `//elsewhere` and `/\\elsewhere` are other hosts to a browser. */
const isOwnPath = (to: string): boolean => /^\/(?![/\\])[\w\-/?=&%.]{0,500}$/.test(to);
