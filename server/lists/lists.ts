import type { ListAtPages, NewListAtPages } from '../../contract/list-pages.ts';
import {
  CATEGORY_KINDS,
  type Categories,
  type Column,
  type List,
  type ListRow,
  type NewList,
} from '../../contract/lists.ts';
import { LIST_SETTINGS, type SettingName } from '../../contract/list-settings.ts';
import type { Right } from '../../contract/roles.ts';
import type { ListColumns, Lists } from '../../db/schema.ts';
import { audit } from '../audit/audit.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql, whenRun } from '../platform/sql.ts';
import { invalid } from '../platform/read.ts';
import type { Reading, Work } from '../platform/work.ts';
import { describeKind, planColumns, splitNames } from './columns.ts';
import { givePeople, seesList } from './people.ts';

export type ListRecord = Pick<
  Lists,
  'id' | 'account_id' | 'name' | 'created_at' | 'locked_on_defaults' | 'categories'
> & { leads_count: number };

export const SETTINGS = Object.keys(LIST_SETTINGS) as SettingName[];

const INSERT = sql('lists/lists.insert')`
  insert into lists (account_id, name, locked_on_defaults, categories, blanks, identifiers, ${SETTINGS.join(', ')})
  select $1, $2, $3, $4, $5, $6, ${SETTINGS.map((name) => `s.${name}`).join(', ')}
    from jsonb_populate_record(null::lists, $7) s returning id`;

const INSERT_COLUMNS = sql('lists/lists.insert_columns')`
  insert into list_columns (account_id, list_id, position, key, label, kind, visible, required, options, locked)
  select $1, $2, place - 1, c.key, c.label, c.kind, c.visible, c.required, c.options, c.locked
    from jsonb_array_elements($3) with ordinality as each (column_given, place)
   cross join lateral jsonb_populate_record(null::list_columns, each.column_given) c`;

export async function createList(work: Work, actor: Actor, given: NewListAtPages): Promise<List> {
  const { name, columns_attributes, user_ids = [], lock_on_defaults = false } = given;
  if (name.trim() === '') throw invalid({ name: ['must not be empty'] });
  await refuseTooMany(work, actor);
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
  await audit(work, actor, 'list.created', name);
  return toList(await findList(work, actor, list!.id));
}

/** Indexes of lists are not paged. */
const MOST_LISTS = 5_000;

const COUNT = sql('lists/lists.count')`select count(*) as lists from lists where account_id = $1 and not holds_deleted`;

/** With those that can be brought back. */
export async function refuseTooMany({ db }: Work, { account }: Actor): Promise<void> {
  const { lists } = await one<{ lists: number }>(db, COUNT, [account.id]);
  if (lists < MOST_LISTS) return;
  const most = `an account has at most ${MOST_LISTS.toLocaleString('en')} lists`;
  throw invalid({ name: [`cannot be added: ${most}, with those deleted in the last seven days`] });
}

/** As they stand in the row, those that nobody gave too. */
function storeSettings(given: Partial<Record<SettingName, unknown>>): Record<SettingName, unknown> {
  const stored = SETTINGS.map((name) => [name, given[name] ?? LIST_SETTINGS[name].unset] as const);
  const settings = Object.fromEntries(stored) as Record<SettingName, unknown>;
  return { ...settings, prepend_phone: storePrefix(settings.prepend_phone) };
}

/** `account`: the account's own. */
export const storePrefix = (given: unknown): string | null =>
  given === true ? 'account' : typeof given === 'string' && given !== '' ? given : null;

function readCategories(given: Partial<NewList['list']>): Categories {
  const kinds = CATEGORY_KINDS.map(
    (kind) => [kind, splitNames(`${kind}_categories`, given[`${kind}_categories`] ?? '')] as const,
  );
  return Object.fromEntries(kinds.filter(([, names]) => names.length > 0));
}

export const COLUMNS = 'li.id, li.account_id, li.name, li.created_at, li.locked_on_defaults';

/** From `lists li`. */
export const STANDING = `li.purpose, li.paused_at is not null as paused, li.archived_at is not null as archived`;

const INDEX = sql('lists/lists.index')`
  select ${COLUMNS}, ${STANDING}, coalesce(c.leads, 0)::int8 as leads_count
    from lists li
    left join (select list_id, sum(leads) as leads from lead_counts where account_id = $1
      group by list_id) c on c.list_id = li.id
   where li.account_id = $1 and ${seesList('li', 'id', whenRun('$2::bigint'))}
     and (li.locked_on_defaults or not ${whenRun('$3::boolean')})
   order by li.created_at desc, li.id desc`;

type IndexRow = Omit<ListRecord, 'categories'> & { purpose: string; paused: boolean; archived: boolean };

const readIndex = ({ db }: Reading, actor: Actor, lockedOnly: boolean) =>
  query<IndexRow>(db, INDEX, [actor.account.id, boundOf(actor, 'lists.index'), lockedOnly]);

/** Newest first. */
export const listLists = async (reading: Reading, actor: Actor, lockedOnly: boolean): Promise<ListRow[]> =>
  (await readIndex(reading, actor, lockedOnly)).map(toListRow);

/** With how they stand. */
export const listListsAtPages = async (reading: Reading, actor: Actor): Promise<ListAtPages[]> =>
  (await readIndex(reading, actor, false)).map((list) => ({ ...toListRow(list), ...standingOf(list) }));

export const standingOf = ({ purpose, paused, archived }: Omit<IndexRow, keyof ListRecord>) => ({
  purpose,
  paused,
  archived,
});

const FIND = sql('lists/lists.find')`
  select ${COLUMNS}, li.categories, (select coalesce(sum(leads), 0)::int8 from lead_counts c
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
  categories: inOrderOfKinds(list.categories as Categories),
});

/** jsonb keeps its keys by their length. */
export const inOrderOfKinds = (categories: Categories): List['categories'] =>
  Object.fromEntries(CATEGORY_KINDS.flatMap((kind) => (categories[kind] ? [[kind, categories[kind]]] : [])));

const COLUMNS_OF = sql('lists/lists.columns_of')`
  select id, key, label, kind, required from list_columns where account_id = $1 and list_id = $2 order by position`;

type ColumnRow = Pick<ListColumns, 'id' | 'key' | 'label' | 'kind' | 'required'>;

/** Hidden ones too. */
export async function listColumns({ db }: Reading, list: ListRecord): Promise<Column[]> {
  const columns = await query<ColumnRow>(db, COLUMNS_OF, [list.account_id, list.id]);
  return columns.map(({ id, key, label, kind, required }) => ({ id, key, label, ...describeKind(kind), required }));
}
