import { useQuery } from '@tanstack/react-query';
import type { Delivery, Webhook } from '../../contract/webhooks.ts';
import { ask, queries } from '../api.ts';
import { listsQuery } from '../lists.ts';

/** What the list of webhooks and their log both know. */

/** Whose log is open; `delivery`: the one to show opened. */
export type Looking = { webhookId: number; delivery?: number };
export type Look = (at: Looking | undefined) => void;

/** Where a subscription reaches: a list by its name, or everything. */
export function useReach(): (webhook: Webhook) => string {
  const { data = [] } = useQuery(listsQuery);
  return ({ list }) => {
    if (list === null) return 'Whole account';
    const id = Number(list.split('/').at(-1));
    return data.find((one) => one.id === id)?.name ?? `List ${id}`;
  };
}

export const sendTest = async (webhookId: number): Promise<number> => {
  const { delivery_id } = await ask<{ delivery_id: number }>('POST', `/webhooks/${webhookId}/test`);
  await queries.invalidateQueries({ queryKey: ['deliveries', webhookId] });
  return delivery_id;
};

export type How = 'delivered' | 'retried' | 'failed' | 'waiting';

export function howOf({ state, log }: Delivery): How {
  if (state === 'failed') return 'failed';
  // Tried and not taken is a failure until a later try succeeds.
  if (state === 'waiting') return log[0]?.error ? 'failed' : 'waiting';
  return log.some(({ error }) => error !== null) ? 'retried' : 'delivered';
}
