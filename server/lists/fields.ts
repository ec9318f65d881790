import type { Field, FieldChange, Fields } from '../../contract/list-pages.ts';
import type { ColumnAttributes, ColumnKind } from '../../contract/lists.ts';
import type { ListColumns, Lists } from '../../db/schema.ts';
import { audit } from '../audit/audit.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { notFound } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Reading, Work } from '../platform/work.ts';
import { MOST_COLUMNS, nameApart, planColumn, splitNames } from './columns.ts';
import { startListJob } from './jobs.ts';
import { findList } from './lists.ts';
import { lockShape } from './shape-lock.ts';
import { lockList, nextVersions, refuseOutdated, versionOf, type Seen } from './versions.ts';

/** The fields of a list, one change at a time. Their keys never change: clients rely on them. */

const OF_LIST = sql('lists/fields.of_list')`
  select * from list_columns where account_id = $1 and list_id = $2 order by position`;

const columnsOf = ({ db }: Reading, list: Pick<Lists, 'account_id' | 'id'>) =>
  query<ListColumns>(db, OF_LIST, [list.account_id, list.id]);

/** Of so many oldest and so many newest leads it is looked which fields are filled, … */
const LOOKED_AT = 1_000;
/** … or of fewer where these are large. As they are stored: to know how much they say they would have to be unpacked. */
const MOST_BYTES = 4 * 1024 * 1024;

const FILLED = sql('lists/fields.filled')`
  with ends as materialized (
    (select id, row_number() over (order by created_at, id) as place from leads
      where account_id = $1 and list_id = $2 order by created_at, id limit ${LOOKED_AT})
    union all
    (select id, row_number() over (order by created_at desc, id desc) as place from leads
      where account_id = $1 and list_id = $2 order by created_at desc, id desc limit ${LOOKED_AT})
  ), sized as materialized (
    select d.lead_id, sum(pg_column_size(d.data)) over (order by e.place, d.lead_id) as bytes
      from (select id, min(place) as place from ends group by id) e
      join lead_data d on d.account_id = $1 and d.lead_id = e.id
  ), looked as materialized (
    select lead_id from sized where bytes <= ${MOST_BYTES}
  )
  select (select count(*) from looked) as leads, coalesce((
    select json_object_agg(filled.key, filled.leads) from (
      select k.key, count(*) as leads from looked
        join lead_data d on d.account_id = $1 and d.lead_id = looked.lead_id
       cross join lateral jsonb_object_keys(d.data) as k (key) group by k.key) filled), '{}') as by_key`;

const VERSIONS = sql('lists/fields.versions')`select versions from lists where account_id = $1 and id = $2`;

export async function listFields(reading: Reading, actor: Actor, id: number | undefined): Promise<Fields> {
  const list = await findList(reading, actor, id);
  const own = [list.account_id, list.id];
  const [columns, [filled], { versions }] = await Promise.all([
    columnsOf(reading, list),
    query<{ leads: number; by_key: Record<string, number> }>(reading.db, FILLED, own),
    one<Pick<Lists, 'versions'>>(reading.db, VERSIONS, own),
  ]);
  const { leads, by_key } = filled!;
  const shareOf = (key: string) => (Object.hasOwn(by_key, key) ? by_key[key]! : 0) / leads;
  return {
    version: versionOf({ versions }, 'fields'),
    looked_at: leads,
    fields: columns.map((column) => toField(column, leads > 0 ? shareOf(column.key) : null)),
  };
}

const toField = (column: ListColumns, filled: number | null = null): Field => ({
  id: column.id,
  key: column.key,
  label: column.label,
  kind: column.kind as ColumnKind,
  visible: column.visible,
  required: column.required,
  options: column.options,
  locked: column.locked,
  filled,
});

const INSERT = sql('lists/fields.insert')`
  insert into list_columns (account_id, list_id, position, key, label, kind, visible, required, options)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning *`;

/** Nobody writes a lead by the fields that were, once the transaction ends. */
async function lockFields(work: Work, actor: Actor, id: number | undefined): Promise<Lists> {
  await lockShape(work.db, actor.account.id);
  return lockList(work, actor, id);
}

/** Behind the others. Values that leads still have under its key come back. */
export async function addField(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => { field: ColumnAttributes; seen?: Seen },
): Promise<Field> {
  const list = await lockFields(work, actor, id);
  const { field, seen } = read();
  await refuseOutdated(work, list, ['fields'], seen);
  const columns = await columnsOf(work, list);
  if (columns.length >= MOST_COLUMNS)
    throw invalid({ label: [`cannot be added: a list has at most ${MOST_COLUMNS} fields`] });
  refuseLabel(columns, field.label);
  const planned = planColumn(field);
  const key = nameApart([...columns, planned]).at(-1)!.key;
  const { label, kind, visible, required, options } = planned;
  const position = Math.max(-1, ...columns.map((column) => column.position)) + 1;
  const values = [list.account_id, list.id, position, key, label, kind, visible, required, options];
  const [added] = await query<ListColumns>(work.db, INSERT, values);
  await follow(work, actor, list, { what: `${label} was added.`, key });
  await audit(work, actor, 'list.changed', list.name, { field_added: { key, label, kind } });
  return toField(added!);
}

/** Two with the same label would be told apart by nobody. */
function refuseLabel(columns: ListColumns[], label: string, own?: number): void {
  const wanted = label.trim();
  if (wanted === '') throw invalid({ label: ['must not be empty'] });
  const taken = columns.some((column) => column.id !== own && column.label.toLowerCase() === wanted.toLowerCase());
  if (taken) throw invalid({ label: [`must be another one: the list has a field ${wanted} already`] });
}

const CHANGE = sql('lists/fields.change')`
  update list_columns set label = $3, kind = $4, visible = $5, required = $6, options = $7
   where account_id = $1 and id = $2 returning *`;
const ORDER = sql('lists/fields.order')`
  update list_columns c set position = o.place - 1
    from unnest($3::bigint[]) with ordinality as o (id, place)
   where c.account_id = $1 and c.list_id = $2 and c.id = o.id and c.position <> o.place - 1`;

/** What is not given stays. Values stay as they are, whatever their field becomes. */
export async function changeField(
  work: Work,
  actor: Actor,
  id: number | undefined,
  fieldId: number | undefined,
  read: () => { field: FieldChange; seen?: Seen },
): Promise<Field> {
  const list = await lockFields(work, actor, id);
  const columns = await columnsOf(work, list);
  const column = columns.find((each) => each.id === fieldId);
  if (!column) throw notFound();
  const { field, seen } = read();
  await refuseOutdated(work, list, ['fields'], seen);
  const { label = column.label, kind = column.kind, visible = column.visible, required = column.required } = field;
  refuseLocked(column, field);
  if (field.label !== undefined) refuseLabel(columns, label, column.id);
  const options = kind === 'options' ? splitNames('options', field.options ?? column.options) : [];
  const now = [list.account_id, column.id, label.trim(), kind, visible, required, options];
  const [changed] = await query<ListColumns>(work.db, CHANGE, now);
  if (field.position !== undefined) await move(work, list, columns, column, field.position);
  const matches = list.duplicates_match_on !== '' && list.duplicates_match_on === changed!.label;
  const isReadAnew = readAs(kind) !== readAs(column.kind) || (matches && label !== column.label);
  await follow(work, actor, list, {
    ...(isReadAnew && { what: `${changed!.label} is ${KIND_NAMES[kind as ColumnKind]} now.`, key: column.key }),
    // It goes by what people read as well as by the key; only the key stays.
    ...(list.duplicates_match_on === column.label && { matchOn: column.key }),
  });
  await audit(work, actor, 'list.changed', list.name, { field_changed: { key: column.key, ...field } });
  return toField(changed!);
}

const KIND_NAMES: Record<ColumnKind, string> = {
  none: 'a text field',
  phone: 'a phone field',
  email: 'an e-mail field',
  url: 'a web address',
  boolean: 'yes or no',
  integer: 'a whole number',
  date: 'a date',
  text: 'a text of several lines',
  options: 'a choice',
  address: 'an address',
};

/** Kinds of one name give the same words to search for and the same marks of duplicates. */
const readAs = (kind: string): string =>
  kind === 'phone' || kind === 'email' ? kind : kind === 'none' || kind === 'text' ? 'prose' : 'value';

function refuseLocked(column: ListColumns, field: FieldChange): void {
  const name = Object.keys(field).find((each) => each !== 'visible');
  if (column.locked && name)
    throw invalid({ [name]: [`cannot be changed: the list guarantees ${column.label}, which can only be hidden`] });
}

/** Fields that the list guarantees come first. */
async function move(
  work: Work,
  list: Lists,
  columns: ListColumns[],
  column: ListColumns,
  position: number,
): Promise<void> {
  const others = columns.filter(({ id }) => id !== column.id);
  const guaranteed = others.filter(({ locked }) => locked).length;
  if (position < guaranteed || position > others.length)
    throw invalid({ position: [`must be from ${guaranteed} to ${others.length}`] });
  const ids = others.toSpliced(position, 0, column).map(({ id }) => id);
  await query(work.db, ORDER, [list.account_id, list.id, ids]);
}

const REMOVE = sql('lists/fields.remove')`delete from list_columns where account_id = $1 and id = $2`;

/** Leads keep its values out of sight, and a field of the same key brings them back. */
export async function removeField(
  work: Work,
  actor: Actor,
  id: number | undefined,
  fieldId: number | undefined,
  seen: Seen,
): Promise<void> {
  const list = await lockFields(work, actor, id);
  const columns = await columnsOf(work, list);
  const column = columns.find((each) => each.id === fieldId);
  if (!column) throw notFound();
  await refuseOutdated(work, list, ['fields'], seen);
  if (column.locked)
    throw invalid({ field: [`cannot be removed: the list guarantees ${column.label}, which can only be hidden`] });
  if (columns.length === 1) throw invalid({ field: ['cannot be removed: a list has at least one'] });
  await query(work.db, REMOVE, [list.account_id, column.id]);
  await follow(work, actor, list, { what: `${column.label} was removed.`, key: column.key });
  await audit(work, actor, 'list.changed', list.name, { field_removed: { key: column.key, label: column.label } });
}

// What every lead needs of its list's columns is kept with the list.
const FOLLOW = sql('lists/fields.follow')`
  update lists li set
      blanks = coalesce((select jsonb_object_agg(c.key, '') from list_columns c
                          where c.account_id = li.account_id and c.list_id = li.id), '{}'),
      identifiers = array(select c.key from list_columns c
                           where c.account_id = li.account_id and c.list_id = li.id and c.visible
                           order by c.position limit 3),
      duplicates_match_on = coalesce($3, duplicates_match_on), unsettled = unsettled or $4::boolean, versions = $5,
      changed_at = clock_timestamp()
   where account_id = $1 and id = $2`;

/** The list knows its fields, and where a key came, went or is read another way, its leads follow. */
async function follow(
  work: Work,
  actor: Actor,
  list: Lists,
  { what, key, matchOn }: { what?: string; key?: string; matchOn?: string },
): Promise<void> {
  const versions = JSON.stringify(nextVersions(list, actor, ['fields']));
  await query(work.db, FOLLOW, [list.account_id, list.id, matchOn ?? null, key !== undefined, versions]);
  if (key !== undefined) await startListJob(work, actor, list.id, { kind: 'settle', what: what!, keys: [key] });
}
