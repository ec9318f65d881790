import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { invalid } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';

/** Who works which list: one table, written from two sides. */

/** Condition: a row's list is among those a user works; true where the parameter is null, for those who see the whole account. */
export const seesList = (row: string, column: string, user: string): string =>
  `(${user} is null or exists (select from list_people p
     where p.account_id = ${row}.account_id and p.list_id = ${row}.${column} and p.user_id = ${user}))`;

/** `user_ids` of a new list. Invited users may be named. */
export async function givePeople(work: Work, actor: Actor, listId: number, userIds: number[]): Promise<void> {
  await refuseUnknown(work, actor, 'users', 'user_ids', userIds);
  await insert(
    work,
    actor.account.id,
    userIds.map((userId) => ({ listId, userId })),
  );
}

/** `listing_ids` of a user, instead of those before. */
export async function assignLists(work: Work, actor: Actor, userId: number, listIds: number[]): Promise<void> {
  await refuseUnknown(work, actor, 'lists', 'listing_ids', listIds);
  const { id } = actor.account;
  await query(work.db, 'delete from list_people where account_id = $1 and user_id = $2', [id, userId]);
  await insert(
    work,
    id,
    listIds.map((listId) => ({ listId, userId })),
  );
}

async function insert({ db }: Work, accountId: number, pairs: { listId: number; userId: number }[]): Promise<void> {
  const text = `insert into list_people (account_id, list_id, user_id)
                select $1, p.list_id, p.user_id from unnest($2::bigint[], $3::bigint[]) as p (list_id, user_id)
                 on conflict do nothing`;
  await query(db, text, [accountId, pairs.map(({ listId }) => listId), pairs.map(({ userId }) => userId)]);
}

async function refuseUnknown(
  { db }: Work,
  actor: Actor,
  table: 'users' | 'lists',
  parameter: string,
  ids: number[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await query<{ id: number }>(
    db,
    `select id from ${table} where account_id = $1 and id = any ($2::bigint[])`,
    [actor.account.id, ids],
  );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw invalid({ [parameter]: [`name ${table} that do not exist: ${unknown.slice(0, 10).join(', ')}`] });
}
