import { useQuery } from '@tanstack/react-query';
import type { ColumnKind } from '../../contract/lists.ts';

const WORDS: Partial<Record<ColumnKind, string>> = {
  phone: 'Not a phone',
  email: 'Not an e-mail',
  url: 'Not a web address',
  integer: 'Not a whole number',
  date: 'Not a date',
  boolean: 'Neither yes nor no',
  options: 'Not one of the choices',
};

/** Read when a card is there: nobody waits for it to see whom to call. */
const misfitQuery = {
  queryKey: ['misfit'],
  queryFn: async () => (await import('../../contract/fits.ts')).misfit,
  staleTime: Infinity,
  gcTime: Infinity,
};

/** What a value is not, where it does not fit what its field holds; it stays as it is. */
export function useMisfit(
  { kind, options }: { kind: ColumnKind; options: string[] },
  value: string,
): string | undefined {
  const { data: misfit } = useQuery(misfitQuery);
  return misfit?.(kind, options, value) === undefined ? undefined : (WORDS[kind] ?? 'Does not fit');
}
