import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Colleague } from '../contract/users.ts';
import { get } from './api.ts';
import { asks } from './asks.ts';
import { useSession } from './session.ts';

const colleaguesQuery = queryOptions({
  queryKey: ['colleagues'],
  queryFn: () => get<Colleague[]>(asks.colleagues),
  staleTime: 5 * 60_000,
});

/** Everyone in the account, those who left among them: history names them. */
export const useColleagues = (): Colleague[] => useQuery(colleaguesQuery).data ?? [];

/** An e-mail address as people say it: `You`, a name, else the address. */
export function useNameOf(): (email: string) => string {
  const { user } = useSession();
  const names = new Map(useColleagues().map(({ email, name }) => [email, name]));
  return (email) => (email === user.email ? 'You' : (names.get(email) ?? email));
}
