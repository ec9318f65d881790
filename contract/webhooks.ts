import { Type, type Static } from 'typebox';
import { Timestamp, timestamp } from './users.ts';

/** Everything a list tells. */
export const WEBHOOK_EVENTS = [
  'winner',
  'loser',
  'archive',
  'call_back',
  'text',
  'inbound_text',
  'new_event',
  'new_comment',
  'lead_created',
  'lead_updated',
  'new_call',
  'new_recording',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What the account as a whole tells. */
export const ACCOUNT_WEBHOOK_EVENTS = ['new_call', 'new_recording'] as const satisfies WebhookEvent[];

export const Webhook = Type.Object(
  {
    id: Type.Integer(),
    event: Type.Enum([...WEBHOOK_EVENTS], { description: 'What it tells.' }),
    target_url: Type.String({
      description: 'Where it is told. A name and password in it are used, and not shown again.',
    }),
    list: Type.Union([Type.String(), Type.Null()], { description: 'Path of the list, or null for the whole account.' }),
    created_at: timestamp('When it was subscribed.'),
    last_error: Type.Union([Type.String(), Type.Null()], { description: 'How the last attempt failed, if it did.' }),
    refused: Type.Optional(
      Type.String({
        description: 'In the list of subscriptions: why its deliveries will be refused, where that is known.',
      }),
    ),
    secret: Type.Optional(
      Type.String({ description: 'Signs the notifications (Standard Webhooks); told once, when it is made.' }),
    ),
  },
  { title: 'Webhook', description: 'A subscription: who is told of what.' },
);
export type Webhook = Static<typeof Webhook>;

const subscription = (title: string, events: readonly WebhookEvent[]) =>
  Type.Object(
    {
      webhook: Type.Object({
        target_url: Type.String({
          minLength: 1,
          maxLength: 2000,
          description: 'Where notifications are posted: an http(s) address.',
          examples: ['https://example.com/leadline'],
        }),
        event: Type.Enum([...events], { description: 'What to be told of.' }),
      }),
    },
    { title },
  );
export const ListSubscription = subscription('ListSubscription', WEBHOOK_EVENTS);
export const AccountSubscription = subscription('AccountSubscription', ACCOUNT_WEBHOOK_EVENTS);

/** What is posted to a target. */
export const Notification = Type.Object(
  {
    resource_url: Type.String({
      format: 'uri',
      description: 'Address of the lead, or for `new_call` and `new_recording` of the call, in the API: ask there.',
    }),
  },
  { title: 'Notification', description: 'Says where something happened, not what.' },
);
export type Subscription = Static<typeof ListSubscription>['webhook'];

const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export const DeliveryState = Type.Enum([...DELIVERY_STATES]);
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const Delivery = Type.Object({
  id: Type.Integer(),
  webhook_id: Type.Integer(),
  event: Type.Enum([...WEBHOOK_EVENTS]),
  target_url: Type.String(),
  resource_url: Type.String({ description: 'What the notification named.' }),
  state: DeliveryState,
  attempts: Type.Integer(),
  next_at: Type.Union([Timestamp, Type.Null()], { description: 'When it is tried next.' }),
  created_at: Timestamp,
  log: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      at: Timestamp,
      status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: no answer came.' }),
      ms: Type.Integer(),
      answer: Type.String({ description: 'The beginning of the answer.' }),
      error: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});
export type Delivery = Static<typeof Delivery>;

/** Looked at at most, newest first: a log is asked for every few seconds. */
export const MOST_COUNTED = 10_000;
export const DeliveryCounts = Type.Object(
  { all: Type.Integer(), failed: Type.Integer(), waiting: Type.Integer() },
  { description: `Of the newest ${MOST_COUNTED.toLocaleString('en')}.` },
);
export type DeliveryCounts = Static<typeof DeliveryCounts>;
