import { Type } from 'typebox';
import {
  AccountSubscription,
  Delivery,
  DeliveryCounts,
  DeliveryState,
  ListSubscription,
  Webhook,
} from '../../contract/webhooks.ts';
import { findList } from '../lists/lists.ts';
import { answerPage, Paging, readPage } from '../platform/paging.ts';
import { readId } from '../platform/read.ts';
import { route, type Route } from '../platform/route.ts';
import { countDeliveries, listDeliveries, redeliver, sendTest } from './delivery-log.ts';
import type { AllowedFor } from './targets.ts';
import { listWebhooks, removeWebhook, subscribe } from './webhooks.ts';

export const webhookRoutes = (allowedFor: AllowedFor): Route[] => [
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
    kind: 'dear',
    summary: 'All subscriptions, newest first',
    right: 'webhooks.manage',
    answer: [200, Type.Array(Webhook)],
    read: async (reading, { actor }) => ({ status: 200, json: await listWebhooks(reading, actor, allowedFor) }),
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

/** For the pages: how deliveries went. */
export const deliveryRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/deliveries',
    kind: 'dear',
    summary: 'Deliveries of the last 30 days, newest first, each with its attempts',
    right: 'webhooks.manage',
    query: Type.Object({
      ...Paging.properties,
      webhook_id: Type.Optional(Type.Integer()),
      state: Type.Optional(DeliveryState),
    }),
    answer: [200, Type.Array(Delivery)],
    async read(reading, asked) {
      const { webhook_id, state, ...paging } = asked.query;
      const page = readPage(paging);
      const choice = { webhookId: webhook_id ?? null, state: state ?? null };
      return answerPage(asked, page, await listDeliveries(reading, asked.actor, choice, page));
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id/deliveries/counts',
    summary: 'How many deliveries of a subscription failed or wait',
    right: 'webhooks.manage',
    answer: [200, DeliveryCounts],
    read: async (reading, { actor, params }) => ({
      status: 200,
      body: await countDeliveries(reading, actor, readId(params.id)),
    }),
  }),
  route({
    method: 'POST',
    path: '/deliveries/:id/redeliver',
    summary: 'Bring a delivery once more',
    right: 'webhooks.manage',
    answer: [204, Type.Null()],
    async act(work, { actor, params }) {
      await redeliver(work, actor, readId(params.id));
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/test',
    summary: 'Send a subscriber a notification to try it',
    right: 'webhooks.manage',
    answer: [201, Type.Object({ delivery_id: Type.Integer() })],
    act: async (work, { actor, params }) => ({
      status: 201,
      body: { delivery_id: await sendTest(work, actor, readId(params.id)) },
    }),
  }),
];
