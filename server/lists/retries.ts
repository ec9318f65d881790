import { fold } from '../../contract/fold.ts';
import type { Categories } from '../../contract/lists.ts';
import type { Retries } from '../../contract/retries.ts';
import { invalid } from '../platform/read.ts';

/** When a lead of a list comes back that got a call back without a time, by its category. */

export type Retry = { comes_back_after: number | 'next_day'; archived_after: number | null };

/** By the folded name of a category: those that say that nobody was reached. */
const UNREACHED = new Map<string, Retry['comes_back_after']>([
  ['busy', 15],
  ['no_answer', 120],
  ['voicemail', 'next_day'],
]);
const OTHERWISE = 60;

/** Whether a category says that nobody was reached, whatever the line thought. */
export const saysNobody = (category: string | null): boolean => UNREACHED.has(fold(category ?? ''));

export function retryOf(retries: Retries, category: string | null): Retry {
  const set = category !== null && Object.hasOwn(retries, category) ? retries[category]! : {};
  return {
    comes_back_after: set.comes_back_after ?? UNREACHED.get(fold(category ?? '')) ?? OTHERWISE,
    archived_after: set.archived_after ?? null,
  };
}

/** Every call-back category with what holds for it. */
export const allRetries = ({ call_back = [] }: Categories, retries: Retries): Record<string, Retry> =>
  Object.fromEntries(call_back.map((category) => [category, retryOf(retries, category)]));

/** What is to be changed of them, and nothing that is no setting. */
export function readRetries({ call_back = [] }: Categories, given: Retries): Retries {
  const known = new Set(call_back);
  const unknown = Object.keys(given).find((category) => !known.has(category));
  if (unknown !== undefined)
    throw invalid({ retries: [`must name call-back categories of the list, which ${unknown.slice(0, 100)} is not`] });
  return Object.fromEntries(
    Object.entries(given).map(([category, { comes_back_after, archived_after }]) => [
      category,
      {
        ...(comes_back_after !== undefined && { comes_back_after }),
        ...(archived_after !== undefined && { archived_after }),
      },
    ]),
  );
}
