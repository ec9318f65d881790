import type { ListPeople } from '../../contract/list-pages.ts';
import type { Lists } from '../../db/schema.ts';
import { audit } from '../audit/audit.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading, Work } from '../platform/work.ts';
import { findList } from './lists.ts';
import { givePeople } from './people.ts';
import { lockList, nextVersions, refuseOutdated, versionOf, type Seen } from './versions.ts';

/** Who works a list, seen from the list. */

const READ = sql('lists/assigned.read')`
  select versions, array(select p.user_id from list_people p
                          where p.account_id = li.account_id and p.list_id = li.id order by p.user_id) as user_ids
    from lists li where account_id = $1 and id = $2`;

export async function readListPeople(reading: Reading, actor: Actor, id: number | undefined): Promise<ListPeople> {
  const list = await findList(reading, actor, id);
  const values = [list.account_id, list.id];
  const { versions, user_ids } = await one<Pick<Lists, 'versions'> & { user_ids: number[] }>(reading.db, READ, values);
  return { version: versionOf({ versions }, 'people'), user_ids };
}

const REMOVE = sql('lists/assigned.remove')`
  delete from list_people where account_id = $1 and list_id = $2 and user_id <> all ($3::bigint[])`;
const CHANGED = sql('lists/assigned.changed')`
  update lists set versions = $3, changed_at = clock_timestamp() where account_id = $1 and id = $2`;

/** These instead of those before. */
export async function changeListPeople(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => { list: { user_ids: number[] }; seen?: Seen },
): Promise<ListPeople> {
  const list = await lockList(work, actor, id, 'users.assign');
  const { list: change, seen } = read();
  await refuseOutdated(work, list, ['people'], seen);
  const { user_ids } = change;
  await givePeople(work, actor, list.id, user_ids);
  const own = [list.account_id, list.id];
  await query(work.db, REMOVE, [...own, user_ids]);
  await query(work.db, CHANGED, [...own, JSON.stringify(nextVersions(list, actor, ['people']))]);
  await audit(work, actor, 'list.changed', list.name, { user_ids });
  return { version: versionOf(list, 'people') + 1, user_ids: user_ids.toSorted((a, b) => a - b) };
}
