import { sql, type Selectable } from 'kysely';
import { CATEGORY_KINDS, type Categories, type Column, type List, type NewList } from '../../contract/lists.ts';
import { scopeOf, type Right } from '../../contract/roles.ts';
import type { Lists } from '../../db/schema.ts';
import type { Actor } from '../platform/actor.ts';
import { notFound } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import type { Reading, Work } from '../platform/work.ts';
import { describeKind, planColumns, splitNames } from './columns.ts';
import { givePeople } from './people.ts';

export type ListRecord = Selectable<Lists> & { leads_count: number };

export async function createList(work: Work, actor: Actor, given: NewList['list']): Promise<List> {
  const { name, columns_attributes, user_ids = [], lock_on_defaults = false, prepend_phone, ...rest } = given;
  if (name.trim() === '') throw invalid({ name: ['must not be empty'] });
  const columns = planColumns(columns_attributes, lock_on_defaults);
  const account_id = actor.account.id;
  const list = await work.db
    .insertInto('lists')
    .values({
      account_id,
      name,
      description: rest.description ?? '',
      categories: JSON.stringify(readCategories(rest)),
      prepend_phone: prepend_phone === true ? 'account' : prepend_phone || null,
      inline_identifiers: rest.inline_identifiers ?? false,
      show_avatars: rest.show_avatars ?? false,
      locked_on_defaults: lock_on_defaults,
      queue_new_before_call_backs: rest.queue_new_before_call_backs ?? false,
      queue_new_before_due: rest.queue_new_before_due ?? false,
      duplicates_match_on_phone: rest.duplicates_match_on_phone ?? true,
      duplicates_match_on_email: rest.duplicates_match_on_email ?? true,
      duplicates_match_on: rest.duplicates_match_on ?? '',
      blanks: JSON.stringify(Object.fromEntries(columns.map(({ key }) => [key, '']))),
      identifiers: columns
        .filter(({ visible }) => visible)
        .slice(0, 3)
        .map(({ key }) => key),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const list_id = list.id;
  await work.db
    .insertInto('list_columns')
    .values(columns.map((column, position) => ({ account_id, list_id, position, ...column })))
    .execute();
  await givePeople(work, actor, list_id, user_ids);
  return toList(await findList(work, actor, list_id));
}

function readCategories(given: Partial<NewList['list']>): Categories {
  const kinds = CATEGORY_KINDS.map(
    (kind) => [kind, splitNames(`${kind}_categories`, given[`${kind}_categories`] ?? '')] as const,
  );
  return Object.fromEntries(kinds.filter(([, names]) => names.length > 0));
}

/** The lists an actor may see by a right: all of the account, or those they work. */
function visibleLists(db: Reading['db'], actor: Actor, right: Right) {
  const lists = db
    .selectFrom('lists')
    .selectAll('lists')
    .select(
      sql<number>`(select coalesce(sum(leads), 0)::int8 from lead_counts c
        where c.account_id = lists.account_id and c.list_id = lists.id)`.as('leads_count'),
    )
    .where('lists.account_id', '=', actor.account.id);
  if (scopeOf(actor.roles, right) === 'account') return lists;
  return lists.where((where) =>
    where.exists(
      where
        .selectFrom('list_people as p')
        .select('p.list_id')
        .whereRef('p.account_id', '=', 'lists.account_id')
        .whereRef('p.list_id', '=', 'lists.id')
        .where('p.user_id', '=', actor.user?.id ?? 0),
    ),
  );
}

/** Newest first. */
export async function listLists({ db }: Reading, actor: Actor, lockedOnly: boolean) {
  const lists = await visibleLists(db, actor, 'lists.index')
    .$if(lockedOnly, (query) => query.where('locked_on_defaults', '=', true))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return lists.map(toList);
}

export async function findList(
  { db }: Reading,
  actor: Actor,
  id: number | undefined,
  right: Right = 'lists.read',
): Promise<ListRecord> {
  const list = await visibleLists(db, actor, right)
    .where('lists.id', '=', id ?? 0)
    .executeTakeFirst();
  if (!list) throw notFound();
  return list;
}

export const toList = ({ id, name, created_at, locked_on_defaults, leads_count, categories }: ListRecord): List => ({
  id,
  name,
  location: `/api/v2/lists/${id}`,
  created_at: created_at.toISOString(),
  locked_on_defaults,
  leads_count,
  categories: categories as Record<string, string[]>,
});

/** Hidden ones too. */
export async function listColumns({ db }: Reading, list: ListRecord): Promise<Column[]> {
  const columns = await db
    .selectFrom('list_columns')
    .select(['id', 'key', 'label', 'kind', 'required'])
    .where('account_id', '=', list.account_id)
    .where('list_id', '=', list.id)
    .orderBy('position')
    .execute();
  return columns.map(({ id, key, label, kind, required }) => ({ id, key, label, ...describeKind(kind), required }));
}
