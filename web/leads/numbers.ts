import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Call, ReadNumbers } from '../../contract/calls.ts';
import type { Desk } from '../../contract/queue.ts';
import { get } from '../api.ts';
import { asks } from '../asks.ts';
import type { Lead } from './queries.ts';

/** Where a lead's numbers are. */
export const numbersQuery = (leadId: number) =>
  queryOptions({
    queryKey: ['lead', leadId, 'numbers'],
    queryFn: () => get<Static<typeof ReadNumbers>>(asks.numbers(leadId)),
    staleTime: 60_000,
  });

export type Phone = { key: string; label: string; number: string };

const FEWEST_DIGITS = 2;
const MOST_DIGITS = 40;

/** Whether anything can be dialled; the service has the same rule. */
const isDialable = (number: string): boolean => {
  const { length } = digitsOf(number);
  return length >= FEWEST_DIGITS && length <= MOST_DIGITS;
};

/** What is wrong with a phone number as it stands. The service reads it; until it has, nothing is. */
export function usePhoneFault(
  leadId: number,
  { key, kind }: Desk['columns'][number],
  value: string,
): string | undefined {
  const asked = kind === 'phone' && value !== '';
  const { data: numbers, isFetching } = useQuery({ ...numbersQuery(leadId), enabled: asked });
  if (!asked) return undefined;
  const fix = 'Write it with + and the code of the country.';
  if (!isDialable(value)) return `Not a phone number we can dial. ${fix}`;
  if (!numbers || isFetching || numbers.some(({ column }) => column === key)) return undefined;
  return `No such number that we know; it is dialled as it stands. ${fix}`;
}

/** What a lead can be called at, in the order of its list. */
export const phonesOf = (columns: Desk['columns'], { lead_data }: Pick<Lead, 'lead_data'>): Phone[] =>
  columns.flatMap(({ key, label, kind }) => {
    const number = lead_data[key];
    return kind === 'phone' && number && isDialable(number) ? [{ key, label, number }] : [];
  });

/** The one of a lead's phones that a number is. */
export const phoneOf = (phones: Phone[], number: string | null): Phone | undefined =>
  phones.find((phone) => number !== null && endsAlike(phone.number, number));

const digitsOf = (number: string) => number.replaceAll(/\D/g, '');

/** The same number, however it is written. */
export function endsAlike(one: string, other: string): boolean {
  const ending = digitsOf(one).slice(-7);
  return ending !== '' && digitsOf(other).endsWith(ending);
}

/** To a colleague, who is named in the place of a number. */
export const isPassedOn = ({ direction, destination_number }: Call): boolean =>
  direction === 'transfer' && destination_number.includes('@');
