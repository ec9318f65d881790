import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { ReadNumbers } from '../../contract/calls.ts';
import { get } from '../api.ts';

/** Where a lead's numbers are. */
export const numbersQuery = (leadId: number) =>
  queryOptions({
    queryKey: ['lead', leadId, 'numbers'],
    queryFn: () => get<Static<typeof ReadNumbers>>(`/leads/${leadId}/numbers`),
    staleTime: 60_000,
  });

const digitsOf = (number: string) => number.replaceAll(/\D/g, '');

/** The same number, however it is written. */
export function endsAlike(one: string, other: string): boolean {
  const ending = digitsOf(one).slice(-7);
  return ending !== '' && digitsOf(other).endsWith(ending);
}
