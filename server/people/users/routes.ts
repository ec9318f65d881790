import { Type } from 'typebox';
import {
  Colleague,
  Delegate,
  Invitation,
  InvitationLink,
  Person,
  PersonChange,
  Subscription,
  User,
} from '../../../contract/users.ts';
import { answerPage, Paging, readPage } from '../../platform/paging.ts';
import { readId } from '../../platform/read.ts';
import { route, type Route } from '../../platform/route.ts';
import type { House } from '../../platform/work.ts';
import { listDelegates } from './delegates.ts';
import {
  changePerson,
  disableUser,
  enableUser,
  findUser,
  inviteUser,
  listColleagues,
  listPeople,
  listUsers,
  readPerson,
  readSubscription,
  resendInvitation,
  showInvitation,
  withdrawInvitation,
} from './users.ts';

/** In the contract, and so at both doors. */
export const userRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/users',
    summary: 'Invite a user',
    right: 'users.manage',
    body: Invitation,
    answer: [201, User],
    act: async (work, { actor, body }) => ({ status: 201, body: await inviteUser(work, actor, body.user) }),
  }),
  route({
    method: 'GET',
    path: '/users/:id',
    summary: 'One user',
    right: 'users.read',
    answer: [200, Person],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await readPerson(reading, actor, readId(params.id)),
    }),
  }),
];

/** For programs. The pages show everyone at once. */
export const userApiRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/users',
    summary: 'Everyone in the account, newest first',
    right: 'users.read',
    query: Paging,
    answer: [200, Type.Array(Person)],
    async read(reading, asked) {
      const page = readPage(asked.query);
      return answerPage(asked, page, await listUsers(reading, asked.actor, page));
    },
  }),
];

/** For the pages. */
export const peopleRoutes = ({ sendsMail }: Pick<House, 'sendsMail'>): Route[] => [
  route({
    method: 'GET',
    path: '/colleagues',
    summary: 'The names of everyone in the account',
    right: 'anyone',
    answer: [200, Type.Array(Colleague)],
    read: async (reading, { actor }) => ({ status: 200, body: await listColleagues(reading, actor) }),
  }),
  route({
    method: 'GET',
    path: '/lists/:id/delegates',
    summary: 'Whom the leads of a list can be given to',
    right: 'leads.delegate',
    answer: [200, Type.Array(Delegate)],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await listDelegates(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/users',
    summary: 'Everyone in the account',
    right: 'users.read',
    answer: [200, Type.Array(Person)],
    read: async (reading, { actor }) => ({ status: 200, body: await listPeople(reading, actor) }),
  }),
  route({
    method: 'PATCH',
    path: '/users/:id',
    summary: 'Change names, roles, lists',
    right: 'users.assign',
    body: PersonChange,
    answer: [200, Person],
    async act(work, asked) {
      const user = await findUser(work, asked.actor, readId(asked.params.id));
      return { status: 200, body: await changePerson(work, asked.actor, user, asked.body.user) };
    },
  }),
  ...(
    [
      ['disable', 'Disable a user: keys and sessions end at once', disableUser],
      ['enable', 'Let a disabled user in again', enableUser],
    ] as const
  ).map(([verb, summary, act]) =>
    route({
      method: 'POST',
      path: `/users/:id/${verb}`,
      summary,
      right: 'users.manage',
      answer: [200, Person],
      async act(work, { actor, params }) {
        const user = await findUser(work, actor, readId(params.id));
        return { status: 200, body: await act(work, actor, user) };
      },
    }),
  ),
  ...(
    [
      ['POST', 'Mail the invitation again; the earlier link ends', resendInvitation],
      ['DELETE', 'Withdraw the invitation', withdrawInvitation],
    ] as const
  ).map(([method, summary, act]) =>
    route({
      method,
      path: '/users/:id/invitation',
      summary,
      right: 'users.manage',
      answer: [204, Type.Null()],
      async act(work, { actor, params }) {
        await act(work, actor, await findUser(work, actor, readId(params.id)));
        return { status: 204 };
      },
    }),
  ),
  route({
    method: 'POST',
    path: '/users/:id/invitation/link',
    secret: true,
    summary: 'The link of an invitation that cannot be mailed',
    right: 'users.manage',
    answer: [200, InvitationLink],
    async act(work, { actor, params }) {
      const user = await findUser(work, actor, readId(params.id));
      return { status: 200, body: await showInvitation(work, actor, user, sendsMail) };
    },
  }),
  route({
    method: 'GET',
    path: '/subscription',
    summary: 'Who counts, and who is pending',
    right: 'subscription.read',
    answer: [200, Subscription],
    read: async (reading, { actor }) => ({ status: 200, body: await readSubscription(reading, actor) }),
  }),
];
