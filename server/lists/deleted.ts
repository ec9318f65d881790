import type { DeletedList, ListAtPages } from '../../contract/list-pages.ts';
import type { Lists } from '../../db/schema.ts';
import { audit } from '../audit/audit.ts';
import { serviceActor, type Account, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { doEach } from '../platform/each.ts';
import { notFound } from '../platform/errors.ts';
import { invalid } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading, Transact, Work } from '../platform/work.ts';
import { startListJob } from './jobs.ts';
import { findList, toListRow } from './lists.ts';
import { lockList, nextVersions, refuseOutdated, type Seen } from './versions.ts';

/**
 * A list is deleted by a mark in its row, however large it is: whatever finds lists and leads leaves it out from then on (`DELETED_LISTS`), and all
 * that it has stays where it is. So it comes back whole when the mark is taken away. A week later it is removed for good, bit by bit.
 */

/** How long what was deleted can be brought back. */
export const KEPT = `interval '7 days'`;

const DELETE = sql('lists/deleted.delete')`
  update lists set deleted_at = now(), deleted_by = $3, versions = $4, changed_at = clock_timestamp()
   where account_id = $1 and id = $2`;

/** The name is asked for so that nobody deletes another list than they meant. */
export async function deleteList(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => { list: { name: string }; seen?: Seen },
): Promise<void> {
  const list = await lockList(work, actor, id);
  const { list: typed, seen } = read();
  await refuseOutdated(work, list, ['standing'], seen);
  if (typed.name.trim() !== list.name.trim())
    throw invalid({ name: [`must be the name of the list that is deleted: ${list.name}`] });
  const versions = JSON.stringify(nextVersions(list, actor, ['standing']));
  await query(work.db, DELETE, [actor.account.id, list.id, actor.name, versions]);
  await audit(work, actor, 'list.deleted', list.name);
}

const COMES_BACK = `deleted_at > now() - ${KEPT} and not holds_deleted`;

const LIST = sql('lists/deleted.list')`
  select li.id, li.name, ${isoOf('li.deleted_at')} as deleted_at, coalesce(li.deleted_by, '') as deleted_by,
         ${isoOf(`(li.deleted_at + ${KEPT})`)} as removed_at,
         (select coalesce(sum(leads), 0)::int8 from lead_counts c
           where c.account_id = li.account_id and c.list_id = li.id) as leads_count
    from lists li where li.account_id = $1 and ${COMES_BACK} order by li.deleted_at desc, li.id desc`;

/** Those that can still be brought back, the last first. */
export const listDeletedLists = ({ db }: Reading, actor: Actor): Promise<DeletedList[]> =>
  query<DeletedList>(db, LIST, [actor.account.id]);

const LOCK = sql('lists/deleted.lock')`
  select * from lists where account_id = $1 and id = $2 and ${COMES_BACK} for no key update`;
// Asked after the list is locked, as whoever begins to remove it locks it.
const REMOVING = sql('lists/deleted.removing')`
  select id from list_jobs where account_id = $1 and list_id = $2 and kind = 'remove'`;
const RESTORE = sql('lists/deleted.restore')`
  update lists set deleted_at = null, deleted_by = null, versions = $3, changed_at = clock_timestamp()
   where account_id = $1 and id = $2`;

/** As if it had never been deleted. */
export async function restoreList(work: Work, actor: Actor, id: number | undefined): Promise<ListAtPages> {
  const own = [actor.account.id, id ?? 0];
  const list = await one<Lists>(work.db, LOCK, own);
  if ((await query(work.db, REMOVING, own)).length > 0) throw notFound();
  await query(work.db, RESTORE, [...own, JSON.stringify(nextVersions(list, actor, ['standing']))]);
  await audit(work, actor, 'list.restored', list.name);
  const { purpose, paused_at, archived_at } = list;
  const found = toListRow(await findList(work, actor, list.id));
  return { ...found, purpose, paused: paused_at !== null, archived: archived_at !== null };
}

const HOLDING = sql('lists/deleted.holding')`select id from lists where account_id = $1 and holds_deleted`;
const MAKE_HOLDING = sql('lists/deleted.make_holding')`
  insert into lists (account_id, name, holds_deleted, deleted_at) values ($1, 'Deleted leads', true, now())
  on conflict (account_id) where holds_deleted do nothing`;

/** The account's list of leads that were deleted one by one: itself deleted from the beginning, so that they are there for nobody. */
export async function findHoldingList({ db }: Work, accountId: number): Promise<number> {
  const [known] = await query<{ id: number }>(db, HOLDING, [accountId]);
  if (known) return known.id;
  await query(db, MAKE_HOLDING, [accountId]);
  return (await one<{ id: number }>(db, HOLDING, [accountId])).id;
}

const PAST = sql('lists/deleted.past')`
  select li.id as list_id, li.name as list_name, a.id, a.name, a.base_url as "baseUrl"
    from lists li join accounts a on a.id = li.account_id
   where li.deleted_at <= now() - ${KEPT} and not li.holds_deleted and not exists (
     select from list_jobs j where j.account_id = li.account_id and j.list_id = li.id and j.kind = 'remove')
   order by li.deleted_at limit 1000`;
const LOCK_PAST = sql('lists/deleted.lock_past')`
  select id from lists where account_id = $1 and id = $2 and deleted_at <= now() - ${KEPT}
     for no key update skip locked`;

/** Lists whose week is over begin to go. */
export async function startRemovals(transact: Transact): Promise<void> {
  type Past = Account & { list_id: number; list_name: string };
  const past = await transact(({ db }) => query<Past>(db, PAST, []));
  await doEach(past, ({ list_id, list_name, ...account }) =>
    transact(async (work) => {
      const own = [account.id, list_id];
      const [locked] = await query(work.db, LOCK_PAST, own);
      if (!locked || (await query(work.db, REMOVING, own)).length > 0) return;
      const what = `${list_name} was deleted a week ago and is removed.`;
      await startListJob(work, serviceActor(account, 'week after deletion'), list_id, { kind: 'remove', what });
    }),
  );
}

const REMOVE = sql('lists/deleted.remove')`delete from lists where account_id = $1 and id = $2`;

/** The list itself, with its fields, people and subscriptions, when its leads are gone. */
export const removeList = ({ db }: Work, accountId: number, id: number) => query(db, REMOVE, [accountId, id]);
