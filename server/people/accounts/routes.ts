import { Type } from 'typebox';
import { Account, AccountChange, AuditEntry, Mail } from '../../../contract/accounts.ts';
import { listAudit } from '../../audit/audit.ts';
import { listMails } from '../../mails/mails.ts';
import { answerPage, Paging, readPage } from '../../platform/paging.ts';
import { route, type Route } from '../../platform/route.ts';
import { changeAccount, readAccount } from './accounts.ts';

/** What an owner looks after. */
export const accountRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/account',
    summary: 'Name, address, country, time zone, switches',
    right: 'account.manage',
    answer: [200, Account],
    read: async (reading, { actor }) => ({ status: 200, body: await readAccount(reading, actor) }),
  }),
  route({
    method: 'PATCH',
    path: '/account',
    summary: 'Change them',
    right: 'account.manage',
    body: AccountChange,
    answer: [200, Account],
    act: async (work, { actor, body }) => ({ status: 200, body: await changeAccount(work, actor, body.account) }),
  }),
  route({
    method: 'GET',
    path: '/outbox',
    summary: 'Mails of the last 72 hours, sent or waiting',
    right: 'outbox.read',
    answer: [200, Type.Array(Mail)],
    read: async (reading, { actor }) => ({ status: 200, body: await listMails(reading, actor) }),
  }),
  route({
    method: 'GET',
    path: '/audit',
    summary: 'Who did what, newest first',
    right: 'audit.read',
    query: Paging,
    answer: [200, Type.Array(AuditEntry)],
    async read(reading, asked) {
      const page = readPage(asked.query);
      return answerPage(asked, page, await listAudit(reading, asked.actor, page));
    },
  }),
];
