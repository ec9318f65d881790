import type { Roles } from '../../../contract/roles.ts';

/** What every door has to know of the user, wherever it finds them. */
export type UserRow = Roles & { email: string };

export const userColumnsSql = 'u.email, u.owner, u.agent, u.users_admin, u.lists_admin, u.analyst, u.supervisor';
