import { Type } from 'typebox';
import { AccountSubscription, ListSubscription, Webhook } from '../../contract/webhooks.ts';
import { findList } from '../lists/lists.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { listWebhooks, removeWebhook, subscribe } from './webhooks.ts';

export const webhookRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/lists/:id/webhook',
    summary: 'Subscribe to what happens in a list',
    right: 'webhooks.manage',
    body: ListSubscription,
    answer: [201, Webhook],
    async act(work, asked) {
      const { id } = await findList(work, asked.actor, readId(asked.params.id), 'webhooks.manage');
      return { status: 201, body: await subscribe(work, asked.actor, id, asked.body.webhook) };
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    summary: 'Subscribe to calls and recordings of the whole account',
    right: 'webhooks.manage',
    body: AccountSubscription,
    answer: [201, Webhook],
    act: async (work, { actor, body }) => ({ status: 201, body: await subscribe(work, actor, null, body.webhook) }),
  }),
  route({
    method: 'GET',
    path: '/webhooks',
    summary: 'All subscriptions, newest first',
    right: 'webhooks.manage',
    answer: [200, Type.Array(Webhook)],
    read: async (reading, { actor }) => ({ status: 200, body: await listWebhooks(reading, actor) }),
  }),
  route({
    method: 'DELETE',
    path: '/webhook/:id',
    summary: 'End a subscription',
    right: 'webhooks.manage',
    answer: [200, Webhook],
    act: async (work, { actor, params }) => ({
      status: 200,
      body: await removeWebhook(work, actor, readId(params.id)),
    }),
  }),
];
