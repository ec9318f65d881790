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
import { LIST_SETTINGS, SETTINGS_TO_CHANGE, type SettingName } from '../../contract/list-settings.ts';
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

const SETTINGS = Object.keys(LIST_SETTINGS) as SettingName[];

const INSERT = `
  insert into lists (account_id, name, locked_on_defaults, categories, blanks, identifiers, ${SETTINGS.join(', ')})
  select $1, $2, $3, $4, $5, $6, ${SETTINGS.map((name) => `s.${name}`).join(', ')}
    from jsonb_populate_record(null::lists, $7) s returning id`;

const INSERT_COLUMNS = `
  insert into list_columns (account_id, list_id, position, key, label, kind, visible, required, options, locked)
  select $1, $2, place - 1, c.key, c.label, c.kind, c.visible, c.required, c.options, c.locked
    from jsonb_array_elements($3) with ordinality as each (column_given, place)
   cross join lateral jsonb_populate_record(null::list_columns, each.column_given) c`;

export async function createList(work: Work, actor: Actor, given: NewList['list']): Promise<List> {
  const { name, columns_attributes, user_ids = [], lock_on_defaults = false } = given;
  if (name.trim() === '') throw invalid({ name: ['must not be empty'] });
  const columns = planColumns(columns_attributes, lock_on_defaults);
  const account = actor.account.id;
  const blanks = Object.fromEntries(columns.map(({ key }) => [key, '']));
  const identifiers = columns
    .filter(({ visible }) => visible)
    .slice(0, 3)
    .map(({ key }) => key);
  const [list] = await query<{ id: number }>(work.db, INSERT, [
    account,
    name,
    lock_on_defaults,
    JSON.stringify(readCategories(given)),
    JSON.stringify(blanks),
    identifiers,
    JSON.stringify(storeSettings(given)),
  ]);
  await query(work.db, INSERT_COLUMNS, [account, list!.id, JSON.stringify(columns)]);
  await givePeople(work, actor, list!.id, user_ids);
  return toList(await findList(work, actor, list!.id));
}

/** As they stand in the row, those that nobody gave too. */
function storeSettings(given: Partial<Record<SettingName, unknown>>): Record<SettingName, unknown> {
  const stored = SETTINGS.map((name) => [name, given[name] ?? LIST_SETTINGS[name].unset] as const);
  const settings = Object.fromEntries(stored) as Record<SettingName, unknown>;
  const { prepend_phone } = settings;
  return { ...settings, prepend_phone: prepend_phone === true ? 'account' : prepend_phone || null };
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
    left join (select list_id, sum(leads) as leads from lead_counts where account_id = $1
      group by list_id) c on c.list_id = li.id
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

const CHANGED = SETTINGS_TO_CHANGE.join(', ');

// What is not given stays as it is in the row.
const CHANGE = `
  update lists li set (${CHANGED}) = (select ${CHANGED} from jsonb_populate_record(li, $3))
   where account_id = $1 and id = $2 returning id, ${CHANGED}`;

export async function changeList(
  work: Work,
  actor: Actor,
  list: ListRecord,
  change: ListChange,
): Promise<ListSettings> {
  const given = Object.fromEntries(
    SETTINGS_TO_CHANGE.filter((name) => change[name] !== undefined).map((name) => [name, change[name]]),
  );
  const [changed] = await query<ListSettings>(work.db, CHANGE, [actor.account.id, list.id, JSON.stringify(given)]);
  await audit(work, actor, 'list.changed', list.name, given);
  return changed!;
}
