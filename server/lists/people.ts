import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql, sqlFor } from '../platform/sql.ts';
import { invalid } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';

/** Who works which list: one table, written from two sides. */

/**
 * Lists that are deleted and may still come back, and the one that holds leads deleted one by one; `$1` is the account. They and all that is in
 * them are there for nobody: whatever finds a list or a lead leaves these out. Looked up once in a statement, by an index that is nearly empty.
 */
export const DELETED_LISTS =
  '(select gone.id from lists gone where gone.account_id = $1 and gone.deleted_at is not null)';

/** Condition: a row's list is among those a user works, deleted or not. */
export const worksList = (row: string, column: string, user: string): string =>
  `exists (select from list_people p
     where p.account_id = ${row}.account_id and p.list_id = ${row}.${column} and p.user_id = ${user})`;

/** Condition: a row's list is there, and among those a user works; or any where the parameter is null, for those who see the whole account. */
export const seesList = (row: string, column: string, user: string): string =>
  `(${row}.${column} not in ${DELETED_LISTS} and (${user} is null or ${worksList(row, column, user)}))`;

/** `user_ids` of a new list. Invited users may be named. */
export async function givePeople(work: Work, actor: Actor, listId: number, userIds: number[]): Promise<void> {
  await refuseUnknown(work, actor, 'users', 'user_ids', userIds);
  await insert(
    work,
    actor.account.id,
    userIds.map((userId) => ({ listId, userId })),
  );
}

// In the order in which whoever else locks several does.
const LOCK = sql('lists/people.lock')`
  select id from lists li
   where account_id = $1 and deleted_at is null and (id = any ($3::bigint[]) or ${worksList('li', 'id', '$2')})
   order by id for no key update`;

const TAKE_OFF = sql('lists/people.take_off')`
  delete from list_people where account_id = $1 and user_id = $2 and list_id not in ${DELETED_LISTS}
     and list_id <> all ($3::bigint[]) returning list_id`;

const CHANGED = sql('lists/people.changed')`
  update lists set changed_at = clock_timestamp(), versions = versions || jsonb_build_object('people',
      jsonb_build_object('version', coalesce((versions -> 'people' ->> 'version')::int4, 0) + 1, 'by', $3::text))
   where account_id = $1 and id = any ($2::bigint[])`;

/** `listing_ids` of a user, instead of those before. A deleted list keeps its people. Whoever looks at those of a list that changes is told. */
export async function assignLists(work: Work, actor: Actor, userId: number, listIds: number[]): Promise<void> {
  await refuseUnknown(work, actor, 'lists', 'listing_ids', listIds);
  const { id } = actor.account;
  const own = [id, userId, listIds];
  await query(work.db, LOCK, own);
  const gone = await query<{ list_id: number }>(work.db, TAKE_OFF, own);
  const come = await insert(
    work,
    id,
    listIds.map((listId) => ({ listId, userId })),
  );
  const changed = [...gone, ...come].map(({ list_id }) => list_id);
  if (changed.length > 0) await query(work.db, CHANGED, [id, changed, actor.name]);
}

const INSERT = sql('lists/people.insert')`
  insert into list_people (account_id, list_id, user_id)
   select $1, p.list_id, p.user_id from unnest($2::bigint[], $3::bigint[]) as p (list_id, user_id)
    on conflict do nothing returning list_id`;

/** Answers the lists of those that were not there yet. */
const insert = ({ db }: Work, accountId: number, pairs: { listId: number; userId: number }[]) =>
  query<{ list_id: number }>(db, INSERT, [
    accountId,
    pairs.map(({ listId }) => listId),
    pairs.map(({ userId }) => userId),
  ]);

const FIND = sqlFor(
  'lists/people.find',
  (table: 'lists' | 'users') =>
    `select id from ${table} where account_id = $1 and id = any ($2::bigint[])
      ${table === 'lists' ? 'and deleted_at is null' : ''}`,
  [['lists'], ['users']],
);

async function refuseUnknown(
  { db }: Work,
  actor: Actor,
  table: 'users' | 'lists',
  parameter: string,
  ids: number[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await query<{ id: number }>(db, FIND(table), [actor.account.id, ids]);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw invalid({ [parameter]: [`name ${table} that do not exist: ${unknown.slice(0, 10).join(', ')}`] });
}
