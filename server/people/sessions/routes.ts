import { Type } from 'typebox';
import {
  Acceptance,
  Me,
  PasswordChange,
  PasswordForgotten,
  PasswordReset,
  Session,
  SignIn,
} from '../../../contract/sessions.ts';
import { audit } from '../../audit/audit.ts';
import { personalKey, renewKey } from '../keys/keys.ts';
import { HttpError, toErrorBody } from '../../platform/errors.ts';
import type { ActingUser, Actor } from '../../platform/actor.ts';
import { readId } from '../../platform/read.ts';
import { route, type Asked, type Route } from '../../platform/route.ts';
import type { Answer, House, Reading, Work } from '../../platform/work.ts';
import { acceptInvitation, preparePassword, resetPassword, setPassword } from '../users/mailed-tokens.ts';
import { askForReset } from '../users/resets.ts';
import { hashChosen } from '../users/choose-password.ts';
import { readPerson } from '../users/users.ts';
import { clearCookie, visitorOf, writeCookie } from './cookie.ts';
import { confirmPassword, demandProof, provePassword, throttleGuesses } from './proof.ts';
import { endSession, endSessions, listSessions, signIn, startSession } from './sessions.ts';

type Mailing = Pick<House, 'sendsMail'>;

async function describeMe(reading: Reading, actor: Actor, { sendsMail }: Mailing) {
  const { id, name, baseUrl } = actor.account;
  const account = { id, name, base_url: baseUrl, sends_mail: sendsMail };
  return { user: await readPerson(reading, actor, actor.user?.id), account };
}

/** For someone who has just proven who they are. */
async function welcome(work: Work, actor: Actor, token: string, user: ActingUser, house: Mailing): Promise<Answer> {
  const me = await describeMe(work, { ...actor, user }, house);
  return { status: 201, body: me, headers: { 'set-cookie': writeCookie(token, actor.account.baseUrl) } };
}

const begin = async (work: Work, { actor, request }: Asked, user: ActingUser, house: Mailing): Promise<Answer> =>
  welcome(work, actor, await startSession(work, visitorOf(request, actor.account), user), user, house);

export const sessionRoutes = ({ pool, sendsMail }: Mailing & Pick<House, 'pool'>): Route[] => [
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
        return await welcome(work, asked.actor, token, user, { sendsMail });
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
    read: async (reading, { actor }) => ({ status: 200, body: await describeMe(reading, actor, { sendsMail }) }),
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
    secret: true,
    summary: 'Change your password; other sessions end',
    right: 'anyone',
    body: PasswordChange,
    answer: [204, Type.Null()],
    async before(reading, { actor, body }) {
      const proof = await confirmPassword(pool, reading, actor, body.password);
      const chooser = { ...(await readPerson(reading, actor, actor.user?.id)), account: actor.account.name };
      return { proof, hash: await hashChosen(body.new_password, chooser, actor.address, 'new_password') };
    },
    async act(work, { actor, request, body }, { proof, hash }) {
      await demandProof(work, actor, proof);
      const user = { account_id: actor.account.id, id: actor.user!.id };
      await setPassword(work, user, hash);
      await endSessions(work, user.account_id, user.id, request.sessionId);
      await audit(work, actor, 'password.changed', actor.user?.email);
      if (body.replace_key) await renewKey(work, actor, personalKey(actor));
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
  route({
    method: 'POST',
    path: '/password/reset',
    summary: 'Choose a new password, with the link from the mail',
    right: 'public',
    body: PasswordReset,
    answer: [201, Me],
    before: (reading, { actor, body }) => preparePassword(pool, reading, actor, { ...body, purpose: 'reset' }),
    async act(work, asked, hash) {
      const { token, replace_key: replaceKey = false } = asked.body;
      const { account, address } = asked.actor;
      const user = await resetPassword(work, account, { token, hash, address, replaceKey });
      return begin(work, asked, user, { sendsMail });
    },
  }),
  route({
    method: 'POST',
    path: '/invitation',
    summary: 'Accept an invitation, with the link from the mail',
    right: 'public',
    body: Acceptance,
    answer: [201, Me],
    before: (reading, { actor, body }) => preparePassword(pool, reading, actor, { ...body, purpose: 'invitation' }),
    async act(work, asked, hash) {
      const { account, address } = asked.actor;
      const user = await acceptInvitation(work, account, { token: asked.body.token, hash, address });
      return begin(work, asked, user, { sendsMail });
    },
  }),
];
