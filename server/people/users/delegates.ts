import { nameOf } from '../../../contract/names.ts';
import { scopeOf } from '../../../contract/roles.ts';
import type { Delegate, Lack } from '../../../contract/users.ts';
import type { Users } from '../../../db/schema.ts';
import { findList } from '../../lists/lists.ts';
import { boundOf, type Actor } from '../../platform/actor.ts';
import { query } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';
import type { Reading } from '../../platform/work.ts';

type Row = Users & { on_list: boolean };

const ENABLED = sql('people/users/delegates.enabled')`
  select u.*, exists (select from list_people p
                       where p.account_id = u.account_id and p.user_id = u.id and p.list_id = $2) as on_list
    from users u where u.account_id = $1 and u.disabled_at is null and ($3::bigint is null or u.id = $3) order by u.id`;

/** Whom the leads of a list can be given to, and what keeps each of them from working it. */
export async function listDelegates(reading: Reading, actor: Actor, listId: number | undefined): Promise<Delegate[]> {
  const list = await findList(reading, actor, listId, 'leads.delegate');
  const bound = boundOf(actor, 'leads.delegate');
  const rows = await query<Row>(reading.db, ENABLED, [actor.account.id, list.id, bound]);
  return rows.map((row) => ({ id: row.id, email: row.email, name: nameOf(row), lacks: lacksOf(row) }));
}

function lacksOf(row: Row): Lack[] {
  const reach = scopeOf(row, 'queue.work');
  const lacks: [Lack, boolean][] = [
    ['acceptance', row.accepted_at === null],
    ['role', reach === undefined],
    ['list', reach === 'assigned' && !row.on_list],
  ];
  return lacks.flatMap(([lack, is]) => (is ? [lack] : []));
}
