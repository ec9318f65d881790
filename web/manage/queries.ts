import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Account, Mail } from '../../contract/accounts.ts';
import type { KeyFacts, KeyUse } from '../../contract/keys.ts';
import type { Person, Subscription } from '../../contract/users.ts';
import type { Delivery, DeliveryCounts, DeliveryState, Webhook } from '../../contract/webhooks.ts';
import { get } from '../api.ts';

export type AccountSettings = Static<typeof Account>;
export type Letter = Static<typeof Mail>;
export type Facts = Static<typeof KeyFacts>;
export type Use = KeyUse;
export type Whose = 'account' | 'personal';

export const keyQuery = (whose: Whose) =>
  queryOptions({ queryKey: ['key', whose], queryFn: () => get<Facts>(`/keys/${whose}`), refetchInterval: 15_000 });

/** Asked for while the page is looked at, and only then. */
export const keyUseQuery = (whose: Whose) =>
  queryOptions({
    queryKey: ['key', whose, 'use'],
    queryFn: () => get<Use>(`/keys/${whose}/use`),
    refetchInterval: 3_000,
  });

export const peopleQuery = queryOptions({ queryKey: ['people'], queryFn: () => get<Person[]>('/users') });

export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: () => get<Static<typeof Subscription>>('/subscription'),
});

export const accountQuery = queryOptions({ queryKey: ['account'], queryFn: () => get<AccountSettings>('/account') });

export const outboxQuery = queryOptions({
  queryKey: ['outbox'],
  queryFn: () => get<Letter[]>('/outbox'),
  refetchInterval: 30_000,
});

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => get<Webhook[]>('/webhooks'),
  refetchInterval: 30_000,
});

export const PER_PAGE = 20;

const getDeliveries = (webhookId: number, most: number, choice: Record<string, string>) =>
  get<Delivery[]>(
    `/deliveries?${new URLSearchParams({ webhook_id: String(webhookId), per_page: String(most), ...choice })}`,
  );

export type Filter = 'all' | Exclude<DeliveryState, 'delivered'>;

/** Of one subscriber, newest first, twenty at a time. */
export const deliveriesQuery = (webhookId: number, filter: Filter = 'all') =>
  infiniteQueryOptions({
    queryKey: ['deliveries', webhookId, filter],
    queryFn: ({ pageParam }) =>
      getDeliveries(webhookId, PER_PAGE, {
        ...(filter !== 'all' && { state: filter }),
        ...(pageParam !== null && { after: String(pageParam) }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length === PER_PAGE ? page.at(-1)!.id : undefined),
  });

/** One by itself: the first that comes after the one before it. */
export const deliveryQuery = (webhookId: number, id = 0) =>
  queryOptions({
    queryKey: ['deliveries', webhookId, 'one', id],
    queryFn: async () =>
      (await getDeliveries(webhookId, 1, { after: String(id + 1) })).find((one) => one.id === id) ?? null,
  });

export const deliveryCountsQuery = (webhookId: number) =>
  queryOptions({
    queryKey: ['deliveries', webhookId, 'counts'],
    queryFn: () => get<DeliveryCounts>(`/webhooks/${webhookId}/deliveries/counts`),
  });
