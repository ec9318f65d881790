import { removeList } from '../lists/deleted.ts';
import type { Actor } from '../platform/actor.ts';
import { query, together } from '../platform/db.ts';
import { doEach } from '../platform/each.ts';
import { sql } from '../platform/sql.ts';
import type { Transact, Work } from '../platform/work.ts';
import type { TakenJob } from '../lists/jobs.ts';
import type { WholeLead } from './access.ts';
import type { Batch } from './stretch.ts';
import { countLeads, type Place } from './counters.ts';
import { REMOVED_AFTER } from './deleted.ts';
import { changeMarks } from './marks.ts';

/** Leads go for good, with their history. Calls stay and lose their lead. */

const REMOVE = sql('leads/remove.remove')`delete from leads where account_id = $1 and id = $2`;

/** Of two that become one, the other. */
export async function removeLead({ db }: Work, actor: Actor, lead: WholeLead): Promise<void> {
  const account = actor.account.id;
  const { list_id, state, category } = lead;
  await together(db, [
    ...changeMarks(account, lead.id, lead, { list_id, marks: [] }),
    countLeads(account, [{ list_id, state, category, leads: -1, moves: 1 }]),
    { text: REMOVE, values: [account, lead.id] },
  ]);
}

/** So few that nobody waits for them: each takes its events and what was told of them along. */
const AT_ONCE = 200;

// Marks have no foreign key. They are looked up one by one: of many leads the database might as soon look through all marks there are.
const REMOVE_THESE = sql('leads/remove.remove_these')`
  with marked as (
    delete from lead_marks where ctid = any (array(
      select k.place from unnest($2::bigint[]) as asked (id)
       cross join lateral (select marks from lead_data where account_id = $1 and lead_id = asked.id offset 0) d
       cross join lateral unnest(d.marks) as own (mark)
       cross join lateral (
         select k.ctid as place from lead_marks k
          where k.account_id = $1 and k.mark = own.mark and k.lead_id = asked.id offset 0) k))
  )
  delete from leads where account_id = $1 and id = any ($2::bigint[])`;

/** Locked by whoever removes them. */
export async function removeThese({ db }: Work, accountId: number, leads: (Place & { id: number })[]): Promise<void> {
  if (leads.length === 0) return;
  const places = Map.groupBy(leads, ({ list_id, state, category }) => JSON.stringify([list_id, state, category]));
  const counting = countLeads(
    accountId,
    [...places.values()].map((same) => ({ ...same[0]!, leads: -same.length, moves: same.length })),
  );
  await query(db, REMOVE_THESE, [accountId, leads.map(({ id }) => id)]);
  await query(db, counting.text, counting.values);
}

type Past = Place & { account_id: number; id: number };

const COLUMNS = 'l.account_id, l.id, l.list_id, l.state, l.category';

const OF_LIST = sql('leads/remove.of_list')`
  select ${COLUMNS}, l.created_at from leads l
   where l.account_id = $1 and l.list_id = $2
     and (l.created_at, l.id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4::bigint, 0))
   order by l.created_at, l.id limit ${AT_ONCE} for update`;

/**
 * A job for a list that was deleted a week ago: some of its leads, and when none is left, the list, and with it the job. It goes on behind those
 * that are gone, whose places in the index are only swept later, and looks once more from the beginning.
 */
export async function removeSomeLeads(
  work: Work,
  { account_id, list_id, after_at, after_id }: TakenJob,
): Promise<Batch> {
  const leads = await query<Past & { created_at: Date }>(work.db, OF_LIST, [account_id, list_id, after_at, after_id]);
  const through = leads.length === 0 && after_id === null;
  if (leads.length > 0) await removeThese(work, account_id, leads);
  if (through) await removeList(work, account_id, list_id);
  const last = leads.at(-1);
  return { after: { at: last?.created_at ?? null, id: last?.id ?? null }, done: leads.length, through };
}

const ACCOUNTS = sql('leads/remove.accounts')`
  select distinct account_id from deleted_leads where deleted_at <= now() - ${REMOVED_AFTER}`;

// Both rows are locked: whoever brings a lead back changes both.
const PAST = sql('leads/remove.past')`
  select ${COLUMNS} from deleted_leads g join leads l on l.account_id = g.account_id and l.id = g.lead_id
   where g.account_id = $1 and g.deleted_at <= now() - ${REMOVED_AFTER}
   order by g.deleted_at limit ${AT_ONCE} for update skip locked`;

/** Leads that were deleted by themselves and whose week is over. */
export async function removePastLeads(transact: Transact): Promise<void> {
  const accounts = await transact(({ db }) => query<{ account_id: number }>(db, ACCOUNTS, []));
  await doEach(accounts, async ({ account_id }) => {
    const removeSome = async (work: Work) => {
      const past = await query<Past>(work.db, PAST, [account_id]);
      await removeThese(work, account_id, past);
      return past.length;
    };
    while ((await transact(removeSome)) === AT_ONCE);
  });
}
