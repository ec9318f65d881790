import type { FastifyInstance, FastifyReply } from 'fastify';
import { paths } from '../../contract/paths.ts';
import { audit } from '../audit/audit.ts';
import { hasOwner, nobody } from '../people/accounts/accounts.ts';
import { findAccount } from '../people/accounts/find.ts';
import type { Account, Actor } from '../platform/actor.ts';
import { HttpError } from '../platform/errors.ts';
import { inLane } from '../platform/lanes.ts';
import { networkOf } from '../platform/limits.ts';
import { SHORTEST_PASSWORD } from '../platform/passwords.ts';
import { visitorOf, writeCookie, type WhoIs } from '../people/sessions/cookie.ts';
import { provePassword, throttleGuesses } from '../people/sessions/proof.ts';
import { signIn, startSession, type Visitor } from '../people/sessions/sessions.ts';
import {
  acceptInvitation,
  preparePassword,
  readToken,
  resetPassword,
  type Purpose,
} from '../people/users/mailed-tokens.ts';
import { askForReset } from '../people/users/resets.ts';
import { form, html, NOTHING, page, type Field, type Filled, type Html, type Page } from './html.ts';
import { hostAsked, refuseForeignOrigin } from '../platform/origin.ts';
import type { House } from '../platform/work.ts';

export type Values = Record<string, string>;

/** What came of a form: a session begins, or something is said. */
type Outcome = { token: string; kept?: boolean } | { title: string; said: Html };

type FormPage = {
  path: string;
  title: string;
  heading?: (account: Account) => string;
  lead: (account: Account) => string;
  fields: Field[];
  /** What stands in the fields at first. */
  initial?: Values;
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
  fresh: true,
  autocomplete: 'new-password',
  hint: `At least ${SHORTEST_PASSWORD} characters. A few unrelated words are easy to remember.`,
};

const KEEP: Field = {
  name: 'keep',
  label: 'Keep me signed in',
  type: 'checkbox',
  beside: html`<a href="${paths.forgotten}">Forgot password</a>`,
};
const REPLACE_KEY: Field = {
  name: 'replace_key',
  label: 'Also replace my API key',
  type: 'checkbox',
  hint: 'Programs that use the old one stop at once. The new one is under Preferences, Credentials.',
};
/** Where no mail leaves, and nobody else can be asked. */
const OWNERS = html`<p class="below">
  <span>Are you the owner? Whoever runs the server makes you a link there: <code>leadline owner reset</code></span>
</p>`;
const BACK = html`<nav class="below"><a href="${paths.signIn}">Back to sign in</a></nav>`;

type Forms = House & { whoIs: WhoIs };

/** Sign in, forgot, accept, reset. */
export function addForms(scope: FastifyInstance, house: House, whoIs: WhoIs): void {
  const { pool, reading, transact, sendsMail } = house;
  const forms = { ...house, whoIs };

  const choosePassword =
    (purpose: Purpose, spend: typeof acceptInvitation): FormPage['submit'] =>
    async ({ token = '', password = '', replace_key }, actor, visitor) => {
      const hash = await preparePassword(pool, reading, actor, { token, password, purpose });
      return transact(async (work) => {
        const replaceKey = replace_key === '1';
        const user = await spend(work, actor.account, { token, hash, address: actor.address, replaceKey });
        return { token: await startSession(work, visitor, user) };
      });
    };

  addForm(scope, forms, {
    path: paths.signIn,
    title: 'Sign in',
    heading: ({ name }) => `Sign in to ${name}`,
    lead: hostIn,
    fields: [EMAIL, PASSWORD, KEEP],
    initial: { keep: '1' },
    button: 'Sign in',
    below: html`<p class="below">No account yet? Ask whoever manages users for an invitation.</p>`,
    async submit({ email = '', password = '', keep }, actor, visitor) {
      const proven = await provePassword(pool, reading, visitor, email, password);
      const kept = keep === '1';
      try {
        return { kept, ...(await transact((work) => signIn(work, visitor, proven, kept))) };
      } catch (error) {
        const refused = error instanceof HttpError && error.status === 401;
        if (refused) await transact((work) => audit(work, actor, 'session.refused', email.slice(0, 254)));
        throw error;
      }
    },
  });
  addForm(scope, forms, {
    path: paths.forgotten,
    title: 'Forgot password',
    lead: ({ name }) =>
      sendsMail
        ? 'Write your e-mail, and we send you a link to choose a new password.'
        : `No mail can be sent from here. Write your e-mail, then ask an owner of ${name} for the link.`,
    fields: [EMAIL],
    button: sendsMail ? 'Send a link' : 'Ask for a link',
    below: sendsMail ? BACK : html`${OWNERS}${BACK}`,
    async submit({ email = '' }, actor) {
      await throttleGuesses(pool, 'forgotten', actor, email);
      await transact((work) => askForReset(work, actor.account, email.slice(0, 254)));
      const further = html`<nav class="below">
        <a href="${paths.signIn}">Back to sign in</a><a href="${paths.forgotten}">Try another e-mail</a>
      </nav>`;
      const known = `If ${email} belongs to someone here,`;
      if (sendsMail)
        return {
          title: 'Check your mail',
          said: html`<p role="status">${known} a mail with a link is on its way.</p>
            ${further}`,
        };
      return {
        title: 'Ask an owner for the link',
        said: html`<p role="status">
            No mail can be sent from here. ${known} a link waits for an hour under Manage, Outbox, where an owner of
            ${actor.account.name} finds it.
          </p>
          ${OWNERS}${further}`,
      };
    },
  });
  const chosen = [{ ...EMAIL, fixed: true }, NEW_PASSWORD];
  const button = 'Set password and sign in';
  addForm(scope, forms, {
    path: paths.accept,
    title: 'Welcome',
    heading: ({ name }) => `Welcome to ${name}`,
    lead: () => 'You are invited. Choose a password, and you are in.',
    fields: chosen,
    button,
    token: 'invitation',
    submit: choosePassword('invitation', acceptInvitation),
  });
  addForm(scope, forms, {
    path: paths.reset,
    title: 'New password',
    heading: () => 'Choose a new password',
    lead: () => 'It signs you in here, and out everywhere else.',
    fields: [...chosen, REPLACE_KEY],
    initial: { replace_key: '1' },
    button,
    token: 'reset',
    submit: choosePassword('reset', resetPassword),
  });
}

function addForm(scope: FastifyInstance, { reading, strangers, whoIs }: Forms, one: FormPage): void {
  const { path, title, fields, initial = {}, button, token: purpose, below = NOTHING } = one;
  const headOf = (account: Account) => ({
    title,
    heading: one.heading?.(account) ?? title,
    lead: one.lead(account),
  });
  type Showing = { account: Account; filled: Filled; carried: Values; status?: number };
  const show = (reply: FastifyReply, { account, filled, carried, status = 200 }: Showing) => {
    const { token = '', to = '' } = carried;
    const hidden = { ...(purpose && { token }), ...(isOwnPath(to) && { to }) };
    const content = form(path, fields, button, filled, hidden);
    return sendPage(reply, status, { ...headOf(account), content: html`${content}${below}` });
  };
  scope.get(path, async (request, reply) => {
    const account = await findAccount(reading, hostAsked(request));
    if (!account || !(await hasOwner(reading.db, account))) return reply.redirect('/', 303);
    const query = valuesOf(request.query);
    if (!purpose) return show(reply, { account, filled: { values: initial }, carried: query });
    try {
      const { email } = await readToken(reading, account, query.token ?? '', purpose);
      return await show(reply, { account, filled: { values: { ...initial, email } }, carried: query });
    } catch (error) {
      // Back from inside, by the browser's button: the link was just used.
      if (await whoIs(request)) return reply.redirect('/', 303);
      return tellLapsed(reply, error, purpose);
    }
  });
  scope.post(path, async (request, reply) => {
    const values = valuesOf(request.body);
    const actor = await nobody(reading, hostAsked(request), request.ip);
    const { baseUrl } = actor.account;
    refuseForeignOrigin(request, baseUrl);
    try {
      const outcome = await inLane(strangers, networkOf(request.ip), () =>
        one.submit(values, actor, visitorOf(request, actor.account)),
      );
      if ('said' in outcome) return await sendPage(reply, 200, { title: outcome.title, content: outcome.said });
      return await enter(reply, outcome.token, baseUrl, { to: values.to ?? '/', kept: outcome.kept ?? true });
    } catch (error) {
      if (purpose && error instanceof HttpError && error.status === 410) return tellLapsed(reply, error, purpose);
      const { filled, status } = tellFault(error, values);
      return show(reply, { account: actor.account, filled, carried: values, status });
    }
  });
}

/** Where one is: the picture in the browser's address bar is easily overlooked. */
const hostIn = ({ baseUrl }: Account): string => new URL(baseUrl).host;

function tellLapsed(reply: FastifyReply, error: unknown, purpose: Purpose): FastifyReply {
  if (!(error instanceof HttpError)) throw error;
  // A new invitation is for others to send.
  const anew = purpose === 'reset' ? html`<a href="${paths.forgotten}">Ask for a new link</a>` : NOTHING;
  const content = html`<p>${error.message}</p>
    <nav class="below">${anew}<a href="${paths.signIn}">Back to sign in</a></nav>`;
  return sendPage(reply, error.status, { title: 'This link has ended', content });
}

const LONGEST_VALUE = 2_000;

/** Form values have no type but text; what is no text, cannot be stored, or is longer than any of them, cannot be meant. */
export function valuesOf(given: unknown): Values {
  const texts = Object.entries((given ?? {}) as Record<string, unknown>).filter(
    ([, value]) => typeof value === 'string',
  );
  return Object.fromEntries(
    texts.map(([name, value]) => [name, String(value).slice(0, LONGEST_VALUE).replaceAll('\0', '').toWellFormed()]),
  );
}

/** What the person can mend goes back into the form; the rest is an error like any other. */
export function tellFault(error: unknown, values: Values): { filled: Filled; status: number } {
  if (!(error instanceof HttpError) || error.status >= 500) throw error;
  const { message: sentence, errors, status } = error;
  return { filled: errors ? { values, errors } : { values, sentence }, status };
}

export const sendPage = (reply: FastifyReply, status: number, shown: Page): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page(shown));

/** `to`: where they were going when they were sent to the door. `kept`: beyond the end of the browser. */
export const enter = (
  reply: FastifyReply,
  token: string,
  baseUrl: string,
  { to = '/', kept = true }: { to?: string; kept?: boolean } = {},
): FastifyReply =>
  reply.header('set-cookie', writeCookie(token, baseUrl, kept)).redirect(isOwnPath(to) ? to : '/', 303);

/** Never out of the house: `//elsewhere` and `/\\elsewhere` are other hosts to a browser. */
const isOwnPath = (to: string): boolean => /^\/(?![/\\])[\w\-/?=&%.:,+*@]{0,4000}$/.test(to);
