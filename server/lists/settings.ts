import { CATEGORY_KINDS, type Categories } from '../../contract/lists.ts';
import { ASPECT_OF, type ListChange, type ListWithSettings } from '../../contract/list-pages.ts';
import type { Retries } from '../../contract/retries.ts';
import type { Lists } from '../../db/schema.ts';
import { audit, type Action } from '../audit/audit.ts';
import type { Actor } from '../platform/actor.ts';
import { databaseNow } from '../platform/clock.ts';
import { one, query } from '../platform/db.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Reading, Work } from '../platform/work.ts';
import { readCategoryNames, refuseNamesBeingLeft } from './categories.ts';
import { listJobs, startListJob } from './jobs.ts';
import { findList, SETTINGS, storePrefix, toList } from './lists.ts';
import { allRetries, readRetries } from './retries.ts';
import { lockShape } from './shape-lock.ts';
import { lockList, nextVersions, refuseOutdated, versionsOf, type Seen } from './versions.ts';

const READ = sql('lists/settings.read')`select * from lists where account_id = $1 and id = $2`;

/** A list with all that can be changed about it. */
export async function readListWithSettings(
  reading: Reading,
  actor: Actor,
  id: number | undefined,
): Promise<ListWithSettings> {
  const list = await findList(reading, actor, id);
  const [row, jobs] = await Promise.all([
    one<Lists>(reading.db, READ, [actor.account.id, list.id]),
    listJobs(reading, actor, list.id),
  ]);
  const settings = Object.fromEntries(SETTINGS.map((name) => [name, row[name]])) as Pick<
    Lists,
    (typeof SETTINGS)[number]
  >;
  return {
    ...toList(list),
    ...settings,
    prepend_phone: row.prepend_phone === 'account' ? true : row.prepend_phone,
    retries: allRetries(row.categories as Categories, row.retries as Retries),
    paused: row.paused_at !== null,
    archived: row.archived_at !== null,
    versions: versionsOf(row),
    jobs,
  };
}

const STORED = ['name', 'paused_at', 'archived_at', 'categories', ...SETTINGS].join(', ');

// What is not given stays as it is in the row.
const CHANGE = sql('lists/settings.change')`
  update lists li set (${STORED}, versions, changed_at) =
         (select ${STORED}, $4::jsonb, clock_timestamp() from jsonb_populate_record(li, $3::jsonb))
   where account_id = $1 and id = $2`;

/** What is not given stays as it is. */
export async function changeList(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => { list: ListChange; seen?: Seen },
): Promise<ListWithSettings> {
  await findList(work, actor, id, 'lists.write');
  const { list: change, seen } = read();
  if (MATCHING.some((name) => change[name] !== undefined)) await lockShape(work.db, actor.account.id);
  const list = await lockList(work, actor, id);
  const given = Object.keys(change) as (keyof typeof ASPECT_OF)[];
  const aspects = [...new Set(given.map((name) => ASPECT_OF[name]))];
  await refuseOutdated(work, list, aspects, seen);
  if (aspects.length > 0) {
    const stored = { ...change, ...(await storeChange(work, list, change)) };
    const values = [list.account_id, list.id, JSON.stringify(stored)];
    await query(work.db, CHANGE, [...values, JSON.stringify(nextVersions(list, actor, aspects))]);
    await auditChange(work, actor, list, change);
    if (isMatchedAnew(list, change))
      await startListJob(work, actor, list.id, {
        kind: 'settle',
        what: 'What duplicates match on has changed.',
      });
  }
  return readListWithSettings(work, actor, list.id);
}

/** Those that stand in the row other than they are given. */
async function storeChange(work: Work, list: Lists, change: ListChange): Promise<Partial<Lists>> {
  const { name, paused, archived, categories: given, retries, prepend_phone, duplicates_match_on } = change;
  if (name?.trim() === '') throw invalid({ name: ['must not be empty'] });
  if (duplicates_match_on) await refuseNoField(work, list, duplicates_match_on);
  const categories: Categories = { ...(list.categories as Categories), ...readCategories(given) };
  if (given) await refuseNamesBeingLeft(work, list, categories);
  const since = (is: boolean, before: Date | null) => (is ? (before ?? databaseNow()) : null);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(paused !== undefined && { paused_at: since(paused, list.paused_at) }),
    ...(archived !== undefined && { archived_at: since(archived, list.archived_at) }),
    ...(given && { categories: withoutEmpty(categories) }),
    ...(retries && { retries: mergeRetries(list.retries as Retries, readRetries(categories, retries)) }),
    ...(prepend_phone !== undefined && { prepend_phone: storePrefix(prepend_phone) }),
  };
}

const readCategories = (given: Categories = {}): Categories =>
  Object.fromEntries(
    CATEGORY_KINDS.flatMap((kind) => (given[kind] ? [[kind, readCategoryNames(kind, given[kind])]] : [])),
  );

const withoutEmpty = (categories: Categories): Categories =>
  Object.fromEntries(Object.entries(categories).filter(([, names]) => names.length > 0));

/** Of a category, what is not given stays. Null is what nobody said anything about. */
function mergeRetries(before: Retries, given: Retries): Retries {
  const all = new Map(Object.entries(before));
  for (const [category, retry] of Object.entries(given)) {
    const said = Object.entries({ ...all.get(category), ...retry }).filter(([, value]) => value !== null);
    all.set(category, Object.fromEntries(said));
  }
  return Object.fromEntries(all);
}

const FIELD = sql('lists/settings.field')`
  select id from list_columns where account_id = $1 and list_id = $2 and $3 in (key, label)`;

async function refuseNoField(work: Work, list: Lists, name: string): Promise<void> {
  const found = await query<{ id: number }>(work.db, FIELD, [list.account_id, list.id, name]);
  if (found.length === 0) throw invalid({ duplicates_match_on: ['must be the key of a field of this list'] });
}

const MATCHING = ['duplicates_match_on', 'duplicates_match_on_phone', 'duplicates_match_on_email'] as const;

const isMatchedAnew = (list: Lists, change: ListChange): boolean =>
  MATCHING.some((name) => change[name] !== undefined && change[name] !== list[name]);

/** Pausing and archiving are acts of their own; of a script, only how long it is. */
async function auditChange(work: Work, actor: Actor, list: Lists, change: ListChange): Promise<void> {
  const { paused, archived, description, ...rest } = change;
  const acts: [boolean | undefined, Action, Action][] = [
    [paused, 'list.paused', 'list.resumed'],
    [archived, 'list.archived', 'list.unarchived'],
  ];
  for (const [is, began, ended] of acts) if (is !== undefined) await audit(work, actor, is ? began : ended, list.name);
  const detail = { ...rest, ...(description !== undefined && { script: `${description.length} characters` }) };
  if (Object.keys(detail).length > 0) await audit(work, actor, 'list.changed', list.name, detail);
}
