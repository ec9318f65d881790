import {
  type ListChange,
  type ListSettings,
  CATEGORY_KINDS,
  type Categories,
  type Column,
  type List,
  type ListRow,
  type NewList,
} from '../../contract/lists.ts';
import type { Right } from '../../contract/roles.ts';
import type { ListColumns, Lists } from '../../db/schema.ts';
import { audit } from '../audit/audit.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { invalid } from '../platform/read.ts';
import type { Reading, Work } from '../platform/work.ts';
import { describeKind, planColumns, splitNames } from './columns.ts';
import { givePeople, seesList } from './people.ts';

export type ListRecord = Pick<
  Lists,
  'id' | 'account_id' | 'name' | 'created_at' | 'locked_on_defaults' | 'categories'
> & { leads_count: number };

const CREATE = `
  insert into lists (account_id, name, description, categories, prepend_phone, inline_identifiers, show_avatars,
                     locked_on_defaults, queue_new_before_call_backs, queue_new_before_due, duplicates_match_on_phone,
                     duplicates_match_on_email, duplicates_match_on, blanks, identifiers)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning id`;

const CREATE_COLUMNS = `
  insert into list_columns (account_id, list_id, position, key, label, kind, visible, required, options, locked)
  select $1, $2, c.position, c.key, c.label, c.kind, c.visible, c.required, c.options, c.locked
    from jsonb_populate_recordset(null::list_columns, $3::jsonb) c`;

export async function createList(work: Work, actor: Actor, given: NewList['list']): Promise<List> {
  const { name, columns_attributes, user_ids = [], lock_on_defaults = false, prepend_phone, ...rest } = given;
  if (name.trim() === '') throw invalid({ name: ['must not be empty'] });
  const columns = planColumns(columns_attributes, lock_on_defaults);
  const account_id = actor.account.id;
  const [created] = await query<{ id: number }>(work.db, CREATE, [
    account_id,
    name,
    rest.description ?? '',
    JSON.stringify(readCategories(rest)),
    prepend_phone === true ? 'account' : prepend_phone || null,
    rest.inline_identifiers ?? false,
    rest.show_avatars ?? false,
    lock_on_defaults,
    rest.queue_new_before_call_backs ?? false,
    rest.queue_new_before_due ?? false,
    rest.duplicates_match_on_phone ?? true,
    rest.duplicates_match_on_email ?? true,
    rest.duplicates_match_on ?? '',
    JSON.stringify(Object.fromEntries(columns.map(({ key }) => [key, '']))),
    columns.flatMap(({ key, visible }) => (visible ? [key] : [])).slice(0, 3),
  ]);
  const list_id = created!.id;
  const placed = columns.map((column, position) => ({ ...column, position }));
  await query(work.db, CREATE_COLUMNS, [account_id, list_id, JSON.stringify(placed)]);
  await givePeople(work, actor, list_id, user_ids);
  return toList(await findList(work, actor, list_id));
}

function readCategories(given: Partial<NewList['list']>): Categories {
  const kinds = CATEGORY_KINDS.map(
    (kind) => [kind, splitNames(`${kind}_categories`, given[`${kind}_categories`] ?? '')] as const,
  );
  return Object.fromEntries(kinds.filter(([, names]) => names.length > 0));
}

const COLUMNS = 'li.id, li.account_id, li.name, li.created_at, li.locked_on_defaults, li.categories';

const INDEX = `
  select ${COLUMNS}, coalesce(c.leads, 0)::int8 as leads_count
    from lists li
    left join (select list_id, sum(leads) as leads from lead_counts where account_id = $1 group by list_id) c on c.list_id = li.id
   where li.account_id = $1 and ${seesList('li', 'id', '$2::bigint')} and (li.locked_on_defaults or not $3::boolean)
   order by li.created_at desc, li.id desc`;

/** Newest first. */
export async function listLists({ db }: Reading, actor: Actor, lockedOnly: boolean) {
  const lists = await query<ListRecord>(db, INDEX, [actor.account.id, boundOf(actor, 'lists.index'), lockedOnly]);
  return lists.map(toListRow);
}

const FIND = `
  select ${COLUMNS}, (select coalesce(sum(leads), 0)::int8 from lead_counts c
                       where c.account_id = li.account_id and c.list_id = li.id) as leads_count
    from lists li where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

export async function findList(
  { db }: Reading,
  actor: Actor,
  id: number | undefined,
  right: Right = 'lists.read',
): Promise<ListRecord> {
  return one<ListRecord>(db, FIND, [actor.account.id, id ?? 0, boundOf(actor, right)]);
}

export const toListRow = ({
  id,
  name,
  created_at,
  locked_on_defaults,
  leads_count,
}: Omit<ListRecord, 'account_id' | 'categories'>): ListRow => ({
  id,
  name,
  location: `/api/v2/lists/${id}`,
  created_at: created_at.toISOString(),
  locked_on_defaults,
  leads_count,
});

export const toList = (list: ListRecord): List => ({
  ...toListRow(list),
  categories: list.categories as Record<string, string[]>,
});

const COLUMNS_OF = `
  select id, key, label, kind, required from list_columns where account_id = $1 and list_id = $2 order by position`;

type ColumnRow = Pick<ListColumns, 'id' | 'key' | 'label' | 'kind' | 'required'>;

/** Hidden ones too. */
export async function listColumns({ db }: Reading, list: ListRecord): Promise<Column[]> {
  const columns = await query<ColumnRow>(db, COLUMNS_OF, [list.account_id, list.id]);
  return columns.map(({ id, key, label, kind, required }) => ({ id, key, label, ...describeKind(kind), required }));
}

const CHANGE = `
  update lists set caller_number = case when $3::jsonb ? 'caller_number' then $3 ->> 'caller_number' else caller_number end,
         caller_name = case when $3::jsonb ? 'caller_name' then $3 ->> 'caller_name' else caller_name end
   where account_id = $1 and id = $2 returning id, caller_number, caller_name`;

/** What those who are called see, instead of the account's. */
export async function changeList(
  work: Work,
  actor: Actor,
  list: ListRecord,
  change: ListChange,
): Promise<ListSettings> {
  const { caller_number, caller_name } = change;
  const given = {
    ...(caller_number !== undefined && { caller_number }),
    ...(caller_name !== undefined && { caller_name }),
  };
  const [changed] = await query<ListSettings>(work.db, CHANGE, [actor.account.id, list.id, JSON.stringify(given)]);
  await audit(work, actor, 'list.changed', list.name, given);
  return changed!;
}
