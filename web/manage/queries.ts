import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Account, Mail } from '../../contract/accounts.ts';
import type { KeyFacts } from '../../contract/keys.ts';
import type { ListRow } from '../../contract/lists.ts';
import type { Person, Subscription } from '../../contract/users.ts';
import type { Delivery, Webhook } from '../../contract/webhooks.ts';
import { get } from '../api.ts';

export type AccountSettings = Static<typeof Account>;
export type Letter = Static<typeof Mail>;
export type Facts = Static<typeof KeyFacts>;

export const peopleQuery = queryOptions({ queryKey: ['people'], queryFn: () => get<Person[]>('/users') });

export const listsQuery = queryOptions({
  queryKey: ['lists', 'index'],
  queryFn: () => get<ListRow[]>('/lists'),
  staleTime: 60_000,
});

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

/** Of one subscriber, newest first, twenty at a time. */
export const deliveriesQuery = (webhookId: number) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', webhookId],
    queryFn: ({ pageParam }) =>
      get<Delivery[]>(
        `/deliveries?webhook_id=${webhookId}&per_page=${PER_PAGE}${pageParam === null ? '' : `&after=${pageParam}`}`,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length === PER_PAGE ? page.at(-1)!.id : undefined),
  });
