import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Colleague } from '../contract/users.ts';
import { get, queries } from './api.ts';
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
  const { data } = useQuery(colleaguesQuery);
  const names = new Map(data?.map(({ email, name }) => [email, name]));
  return (email) => {
    if (email === user.email) return 'You';
    const name = names.get(email);
    if (data && name === undefined && email !== '') lookAgain(email);
    return name ?? email;
  };
}

const lookedFor = new Set<string>();

/** Someone who has joined since they were asked for: once each, as history also names some who are gone for good. */
function lookAgain(email: string): void {
  if (lookedFor.has(email)) return;
  lookedFor.add(email);
  setTimeout(() => void queries.invalidateQueries({ queryKey: colleaguesQuery.queryKey }));
}

/** Whom to ask for a list, or for leads in it. */
export function useManagers(): string {
  const managers = useColleagues().filter(({ assigns_lists }) => assigns_lists);
  const names = managers.slice(0, 4).map(({ name }) => name);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names) || 'whoever manages your lists';
}
