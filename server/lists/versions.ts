import { ASPECTS, type Aspect } from '../../contract/list-settings.ts';
import type { Right } from '../../contract/roles.ts';
import type { Lists } from '../../db/schema.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { seesList } from './people.ts';

/** Whoever changes a list says which version of it they saw, aspect by aspect. */

type Version = { version: number; by: string };
type Versions = { [aspect in Aspect]?: Version };
export type Seen = { [aspect in Aspect]?: number } | undefined;

export const versionOf = (list: Pick<Lists, 'versions'>, aspect: Aspect): number =>
  (list.versions as Versions)[aspect]?.version ?? 0;

/** As the pages see them. */
export const versionsOf = (list: Pick<Lists, 'versions'>): Record<string, number> =>
  Object.fromEntries(Object.entries(list.versions as Versions).map(([aspect, { version }]) => [aspect, version]));

const LOCK = sql('lists/versions.lock')`
  select * from lists li where account_id = $1 and id = $2 and deleted_at is null
     and ${seesList('li', 'id', '$3::bigint')} for no key update`;

/** Locked until the transaction ends, so that changes of one list follow each other. */
export async function lockList(
  { db }: Work,
  actor: Actor,
  id: number | undefined,
  right: Right = 'lists.write',
): Promise<Lists> {
  return one<Lists>(db, LOCK, [actor.account.id, id ?? 0, boundOf(actor, right)]);
}

const WHO = sql('lists/versions.who')`
  select first_name, last_name from users where account_id = $1 and email = $2`;

/** Where someone else was first, nothing is changed. */
export async function refuseOutdated(work: Work, list: Lists, aspects: Aspect[], seen: Seen): Promise<void> {
  const outdated = seen && aspects.find((aspect) => (seen[aspect] ?? 0) !== versionOf(list, aspect));
  if (!outdated) return;
  const by = (list.versions as Versions)[outdated]?.by ?? '';
  const [who] = await query<{ first_name: string; last_name: string }>(work.db, WHO, [list.account_id, by]);
  const name = who ? `${who.first_name} ${who.last_name}`.trim() || by : by;
  throw conflict(
    'list_changed',
    `${name || 'Someone else'} has changed ${ASPECTS[outdated]} since you looked. Nothing of yours was lost or saved.`,
  );
}

/** After a change of these aspects. */
export function nextVersions(list: Lists, actor: Actor, aspects: Aspect[]): Versions {
  const changed = aspects.map((aspect) => [aspect, { version: versionOf(list, aspect) + 1, by: actor.name }]);
  return { ...(list.versions as Versions), ...(Object.fromEntries(changed) as Versions) };
}
