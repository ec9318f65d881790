import type { ListCopy, ListAtPages } from '../../contract/list-pages.ts';
import { audit } from '../audit/audit.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { findList, refuseTooMany, SETTINGS, toListRow } from './lists.ts';
import { lockList } from './versions.ts';

const KEPT = SETTINGS.filter((name) => name !== 'purpose').join(', ');

const COPY = sql('lists/copy.copy')`
  insert into lists (account_id, name, purpose, locked_on_defaults, categories, blanks, identifiers, ${KEPT})
  select account_id, $3, coalesce($4, purpose), locked_on_defaults, categories, blanks, identifiers, ${KEPT}
    from lists where account_id = $1 and id = $2 returning id, purpose`;
const COPY_COLUMNS = sql('lists/copy.copy_columns')`
  insert into list_columns (account_id, list_id, position, key, label, kind, visible, required, options, locked)
  select account_id, $3, position, key, label, kind, visible, required, options, locked
    from list_columns where account_id = $1 and list_id = $2`;
const COPY_PEOPLE = sql('lists/copy.copy_people')`
  insert into list_people (account_id, list_id, user_id)
  select account_id, $3, user_id from list_people where account_id = $1 and list_id = $2`;

/** Everything but its leads, its history, and who is told of it: webhooks are somebody else's business. */
export async function copyList(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => ListCopy,
): Promise<ListAtPages> {
  // Nobody adds or removes a field between the row and its columns.
  const list = await lockList(work, actor, id);
  const { name, purpose } = read();
  if (name.trim() === '') throw invalid({ name: ['must not be empty'] });
  await refuseTooMany(work, actor);
  const own = [list.account_id, list.id];
  const values = [...own, name.trim(), purpose ?? null];
  const copy = await one<{ id: number; purpose: string }>(work.db, COPY, values);
  await query(work.db, COPY_COLUMNS, [...own, copy.id]);
  await query(work.db, COPY_PEOPLE, [...own, copy.id]);
  await audit(work, actor, 'list.copied', name.trim(), { from: list.name });
  const made = await findList(work, actor, copy.id);
  return { ...toListRow(made), purpose: copy.purpose, paused: false, archived: false };
}
