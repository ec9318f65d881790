import type { Roles } from '../../../contract/roles.ts';
import type { Actor } from '../../platform/actor.ts';
import { query } from '../../platform/db.ts';
import type { Reading } from '../../platform/work.ts';

/** What every door has to know of the user, wherever it finds them. */
export type UserRow = Roles & { email: string };

export const userColumnsSql = 'u.email, u.owner, u.agent, u.users_admin, u.lists_admin, u.analyst, u.supervisor';

/** Their page is connected. */
export const notePage = ({ db }: Pick<Reading, 'db'>, { account, user }: Actor) =>
  query(db, 'update users set page_seen_at = now() where account_id = $1 and id = $2', [account.id, user!.id]);
