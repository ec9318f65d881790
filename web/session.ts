import { useSuspenseQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Me } from '../contract/sessions.ts';
import { scopeOf, type Right } from '../contract/roles.ts';
import { ask, beginSignOut, get } from './api.ts';
import { asks } from './asks.ts';
import { paths } from '../contract/paths.ts';
import { notice } from './ui/notices.ts';

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

/** Whether someone looks after lists, instead of working those that are theirs. */
export const seesAllLists = (user: Session['user']): boolean => scopeOf(user, 'stats.read') === 'account';

/** Whether someone looks at leads of the whole account, and not of the lists that are theirs. */
export const seesAllLeads = (user: Session['user']): boolean => scopeOf(user, 'leads.read') === 'account';

/** Where Manage begins for someone; undefined where nothing of it is theirs. */
export const manageOf = (user: Session['user']): string | undefined =>
  scopeOf(user, 'users.read') ? paths.users : scopeOf(user, 'webhooks.manage') ? paths.integrations : undefined;

/** Lets everything go first, so that colleagues need not wait for it. */
export async function signOut(): Promise<void> {
  // Asked before anything ends: without a session nothing could be saved any more.
  if (!dispatchEvent(new Event('beforeunload', { cancelable: true }))) {
    notice('Save or discard it, or wait until it is through. Then sign out.', 'Something here is not saved yet');
    return;
  }
  await ask('DELETE', '/holds').catch(() => undefined);
  beginSignOut();
  await ask('DELETE', '/session').catch(() => undefined);
  location.assign(paths.signIn);
}
