import type { Actor } from '../platform/actor.ts';
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
    userIds.map((userId) => ({ account_id: actor.account.id, list_id: listId, user_id: userId })),
  );
}

/** `listing_ids` of a user, instead of those before. */
export async function assignLists(work: Work, actor: Actor, userId: number, listIds: number[]): Promise<void> {
  await refuseUnknown(work, actor, 'lists', 'listing_ids', listIds);
  const { id } = actor.account;
  await work.db.deleteFrom('list_people').where('account_id', '=', id).where('user_id', '=', userId).execute();
  await insert(
    work,
    listIds.map((listId) => ({ account_id: id, list_id: listId, user_id: userId })),
  );
}

type Row = { account_id: number; list_id: number; user_id: number };

async function insert({ db }: Work, rows: Row[]): Promise<void> {
  if (rows.length > 0)
    await db
      .insertInto('list_people')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

async function refuseUnknown(
  { db }: Work,
  actor: Actor,
  table: 'users' | 'lists',
  parameter: string,
  ids: number[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', actor.account.id)
    .where('id', 'in', ids)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw invalid({ [parameter]: [`name ${table} that do not exist: ${unknown.slice(0, 10).join(', ')}`] });
}
