import type { Categories, CategoryKind } from '../../contract/lists.ts';
import type { Retries } from '../../contract/retries.ts';
import { audit } from '../audit/audit.ts';
import type { Lists } from '../../db/schema.ts';
import type { Actor } from '../platform/actor.ts';
import { databaseNow } from '../platform/clock.ts';
import { query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { startListJob } from './jobs.ts';
import { retryOf } from './retries.ts';
import { lockList, nextVersions, refuseOutdated, type Seen } from './versions.ts';

const LONGEST_NAME = 255;
/** How long the doors take the old name of a category. */
const DAYS_TAKEN = 30;
/** Of so many: whoever changes a lead reads them all. */
const MOST_TAKEN = 100;

/** A name that the doors take for another, until a time. */
export type Former = { kind: CategoryKind; from: string; to: string; until: string };

/** Trimmed. The API separates categories by commas, so none may have one. */
export function readCategoryNames(kind: CategoryKind, given: string[]): string[] {
  const names = given.map((name) => name.trim());
  const fault = names.map(faultOf).find((found) => found !== undefined);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (fault ?? repeated) throw invalid({ [`${kind}_categories`]: [fault ?? `must not have ${repeated} twice`] });
  return names;
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  return name.includes(',') ? 'must have no comma: programs separate categories by commas' : undefined;
}

const LEFT = sql('lists/categories.left')`
  select asked from list_jobs
   where account_id = $1 and list_id = $2 and kind = 'rename_category' and finished_at is null`;

/**
 * A name that leads are just being taken away from is nobody's until they are through: those that get it now could not be told from them.
 * Only back to it they may be renamed, by `from`, the name they are getting.
 */
export async function refuseNamesBeingLeft(
  work: Work,
  list: Pick<Lists, 'account_id' | 'id' | 'categories'>,
  given: Categories,
  from?: string,
): Promise<void> {
  const jobs = await query<{ asked: unknown }>(work.db, LEFT, [list.account_id, list.id]);
  for (const { asked } of jobs) {
    const left = asked as { of: CategoryKind; from: string; to: string };
    const isThere = (list.categories as Categories)[left.of]?.includes(left.from);
    if (isThere || !given[left.of]?.includes(left.from) || left.to === from) continue;
    throw conflict(
      'still_renaming',
      `Leads that carried ${left.from} are still being renamed to ${left.to}. Use ${left.from} again when that is through.`,
    );
  }
}

const RENAME = sql('lists/categories.rename')`
  update lists set categories = $3, retries = $4, former_categories = $5, versions = $6, changed_at = clock_timestamp()
   where account_id = $1 and id = $2`;

/** Leads that carry it go along, and the old name is taken for the new one for a while. Nobody is told. */
export async function renameCategory(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => { category: { kind: CategoryKind; from: string; to: string }; seen?: Seen },
): Promise<number> {
  const list = await lockList(work, actor, id);
  const { category, seen } = read();
  await refuseOutdated(work, list, ['outcomes'], seen);
  const { kind, from } = category;
  const categories = list.categories as Categories;
  const names = categories[kind] ?? [];
  const to = category.to.trim();
  if (!names.includes(from)) throw invalid({ from: [`is no category of this list for ${kind}`] });
  const fault = faultOf(to) ?? (names.includes(to) ? `must be another name: ${to} is there already` : undefined);
  if (fault) throw invalid({ to: [fault] });
  await refuseNamesBeingLeft(work, list, { [kind]: [to] }, from);
  await query(work.db, RENAME, [
    list.account_id,
    list.id,
    JSON.stringify({ ...categories, [kind]: names.map((name) => (name === from ? to : name)) }),
    JSON.stringify(kind === 'call_back' ? carryRetry(list.retries as Retries, from, to) : list.retries),
    JSON.stringify(remember(list.former_categories as Former[], { kind, from, to })),
    JSON.stringify(nextVersions(list, actor, ['outcomes'])),
  ]);
  await audit(work, actor, 'list.changed', list.name, { renamed: { kind, from, to } });
  await startListJob(work, actor, list.id, {
    kind: 'rename_category',
    what: `${from} is called ${to} now.`,
    of: kind,
    from,
    to,
  });
  return list.id;
}

/** What held for it by its old name holds on, also where only the name said so. */
function carryRetry(retries: Retries, from: string, to: string): Retries {
  const all = new Map(Object.entries(retries));
  const held = retryOf(retries, from);
  all.delete(from);
  all.set(to, {
    comes_back_after: held.comes_back_after,
    ...(held.archived_after && { archived_after: held.archived_after }),
  });
  return Object.fromEntries(all);
}

/** A name that is one again means itself. */
function remember(former: Former[], { kind, from, to }: Omit<Former, 'until'>): Former[] {
  const now = databaseNow();
  const kept = former.filter(
    (one) => new Date(one.until) > now && !(one.kind === kind && [from, to].includes(one.from)),
  );
  const until = new Date(now.getTime() + DAYS_TAKEN * 86_400_000).toISOString();
  return [...kept, { kind, from, to, until }].slice(-MOST_TAKEN);
}
