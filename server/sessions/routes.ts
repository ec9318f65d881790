import { Type } from 'typebox';
import { Me, PasswordByToken, PasswordChange, PasswordForgotten, Session, SignIn } from '../../contract/sessions.ts';
import { audit } from '../audit/audit.ts';
import { HttpError, toErrorBody } from '../platform/errors.ts';
import type { Actor } from '../platform/actor.ts';
import type { Pool } from '../platform/db.ts';
import { hashPassword } from '../platform/passwords.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import type { Answer, Reading, Work } from '../platform/work.ts';
import { acceptInvitation, askForReset, preparePassword, resetPassword, setPassword } from '../users/mailed-tokens.ts';
import { readPerson } from '../users/users.ts';
import { clearCookie, visitorOf, writeCookie } from './cookie.ts';
import {
  confirmPassword,
  demandProof,
  endSession,
  endSessions,
  listSessions,
  provePassword,
  signIn,
  startSession,
  throttleGuesses,
} from './sessions.ts';

async function describeMe(reading: Reading, actor: Actor) {
  const { id, name, baseUrl } = actor.account;
  return { user: await readPerson(reading, actor, actor.user?.id), account: { id, name, base_url: baseUrl } };
}

/** For someone who has just proven who they are. */
async function welcome(work: Work, actor: Actor, token: string, user: { id: number; email: string }): Promise<Answer> {
  const me = await describeMe(work, { ...actor, user });
  return { status: 201, body: me, headers: { 'set-cookie': writeCookie(token, actor.account.baseUrl) } };
}

export const sessionRoutes = (pool: Pool): Route[] => [
  route({
    method: 'POST',
    path: '/session',
    summary: 'Sign in',
    right: 'public',
    body: SignIn,
    answer: [201, Me],
    before: (reading, asked) =>
      provePassword(
        pool,
        reading,
        visitorOf(asked.request, asked.actor.account),
        asked.body.email,
        asked.body.password,
      ),
    async act(work, asked, proven) {
      try {
        const { token, user } = await signIn(work, visitorOf(asked.request, asked.actor.account), proven);
        return await welcome(work, asked.actor, token, user);
      } catch (error) {
        if (!(error instanceof HttpError) || error.status !== 401) throw error;
        // Answered, not thrown: the note of the attempt has to stay.
        await audit(work, asked.actor, 'session.refused', asked.body.email);
        return { status: 401, body: toErrorBody(error, asked.request.id) };
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/session',
    summary: 'Sign out',
    right: 'anyone',
    answer: [204, Type.Null()],
    async act(work, { actor, request }) {
      await endSession(work, actor, request.sessionId);
      return { status: 204, headers: { 'set-cookie': clearCookie(actor.account.baseUrl) } };
    },
  }),
  route({
    method: 'GET',
    path: '/me',
    summary: 'Who is signed in',
    right: 'anyone',
    answer: [200, Me],
    read: async (reading, { actor }) => ({ status: 200, body: await describeMe(reading, actor) }),
  }),
  route({
    method: 'GET',
    path: '/sessions',
    summary: 'Where you are signed in',
    right: 'anyone',
    answer: [200, Type.Array(Session)],
    read: async (reading, { actor, request }) => ({
      status: 200,
      body: await listSessions(reading, actor, request.sessionId),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/sessions/:id',
    summary: 'End one of your sessions',
    right: 'anyone',
    answer: [204, Type.Null()],
    async act(work, { actor, params }) {
      await endSession(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/password',
    summary: 'Change your password; other sessions end',
    right: 'anyone',
    body: PasswordChange,
    answer: [204, Type.Null()],
    async before(reading, { actor, body }) {
      const proof = await confirmPassword(pool, reading, actor, body.password);
      return { proof, hash: await hashPassword(body.new_password) };
    },
    async act(work, { actor, request }, { proof, hash }) {
      await demandProof(work, actor, proof);
      const user = { account_id: actor.account.id, id: actor.user!.id };
      await setPassword(work, user, hash);
      await endSessions(work, user.account_id, user.id, request.sessionId);
      await audit(work, actor, 'password.changed', actor.user?.email);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/password/forgotten',
    summary: 'Ask for a link to choose a new password',
    right: 'public',
    body: PasswordForgotten,
    answer: [204, Type.Null()],
    before: async (_reading, { actor, body }) => {
      await throttleGuesses(pool, 'forgotten', actor, body.email);
    },
    async act(work, { actor, body }) {
      await askForReset(work, actor.account, body.email);
      return { status: 204 };
    },
  }),
  ...(
    [
      ['/password/reset', 'Choose a new password, with the link from the mail', 'reset', resetPassword],
      ['/invitation', 'Accept an invitation, with the link from the mail', 'invitation', acceptInvitation],
    ] as const
  ).map(([path, summary, purpose, spend]) =>
    route({
      method: 'POST',
      path,
      summary,
      right: 'public',
      body: PasswordByToken,
      answer: [201, Me],
      before: (reading, { actor, body }) => preparePassword(pool, reading, actor, { ...body, purpose }),
      async act(work, asked, hash) {
        const { actor, body } = asked;
        const user = await spend(work, actor.account, { token: body.token, hash, address: actor.address });
        return welcome(
          work,
          asked.actor,
          await startSession(work, visitorOf(asked.request, asked.actor.account), user),
          user,
        );
      },
    }),
  ),
];
