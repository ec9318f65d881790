import { scopeOf, type Right, type Roles } from '../../contract/roles.ts';

/** Who acts, for which account, and by which door they came. Every verb takes the actor first. */
export type Actor = {
  account: Account;
  /** Unset for the account's key, the command line and the service itself. */
  user?: ActingUser;
  roles: Roles;
  via: 'api' | 'app' | 'service';
  /** Where the request came from. */
  address: string;
  /** As the audit log names them. */
  name: string;
};

export type Account = { id: number; name: string; baseUrl: string };
export type ActingUser = { id: number; email: string };

/** Whose lists and claims bound what the actor sees by a right: null for the whole account, nobody's where there is no such right. */
export function boundOf({ roles, user }: Actor, right: Right): number | null {
  const scope = scopeOf(roles, right);
  if (scope === 'account') return null;
  return scope && user ? user.id : 0;
}

export const OWNER_ROLES: Roles = {
  owner: true,
  agent: true,
  users_admin: true,
  lists_admin: true,
  analyst: true,
  supervisor: true,
};

export const NO_ROLES: Roles = {
  owner: false,
  agent: false,
  users_admin: false,
  lists_admin: false,
  analyst: false,
  supervisor: false,
};

/** The service acting by itself, or an operator at the command line. */
export const serviceActor = (account: Account, name: string): Actor => ({
  account,
  roles: OWNER_ROLES,
  via: 'service',
  address: '',
  name,
});
