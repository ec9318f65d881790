import { useSuspenseQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Me } from '../contract/sessions.ts';
import { scopeOf, type Right } from '../contract/roles.ts';
import { ask, get } from './api.ts';
import { asks } from './asks.ts';
import { paths } from '../contract/paths.ts';

export type Session = Static<typeof Me>;

export const sessionQuery = {
  queryKey: ['session'],
  queryFn: () => get<Session>(asks.me),
  staleTime: 60_000,
};

/** Who is signed in. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** Whether whoever is signed in has a right, as the server decides it. */
export function useRight(right: Right): boolean {
  const { user } = useSession();
  return scopeOf(user, right) !== undefined;
}

/** Where Manage begins for someone; undefined where nothing of it is theirs. */
export const manageOf = (user: Session['user']): string | undefined =>
  scopeOf(user, 'users.read') ? paths.users : scopeOf(user, 'webhooks.manage') ? paths.integrations : undefined;

/** Lets everything go first, so that colleagues need not wait for it. */
export async function signOut(): Promise<void> {
  await ask('DELETE', '/holds').catch(() => undefined);
  await ask('DELETE', '/session').catch(() => undefined);
  location.assign(paths.signIn);
}
