import { seesList } from '../lists/people.ts';
import { readLead } from '../leads/read.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import type { Reading, Work } from '../platform/work.ts';

/** Ranks of leads, as the table has them. */
const [EXACT, PUT_OFF, NEW] = [1, 2, 3];

const NEXT_LOCK = 4711;

type QueueList = { id: number; queue_new_before_due: boolean; queue_new_before_call_backs: boolean };

const QUEUE_LIST = 'li.id, li.queue_new_before_due, li.queue_new_before_call_backs';
const VISIBLE = `li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', '$3::bigint')}`;

const FIND = `select ${QUEUE_LIST} from lists li where ${VISIBLE}`;
// One after the other for one person: two questions at once would open two leads.
const FIND_ALONE = `select ${QUEUE_LIST}, pg_advisory_xact_lock(${NEXT_LOCK}, $4::integer) from lists li where ${VISIBLE}`;

/** In which order the list hands out its ranks. */
function orderOf({ queue_new_before_due, queue_new_before_call_backs }: QueueList): number[] {
  if (queue_new_before_due) return [NEW, EXACT, PUT_OFF];
  return queue_new_before_call_backs ? [EXACT, NEW, PUT_OFF] : [EXACT, PUT_OFF, NEW];
}

/**
 * Each place is the beginning of one stretch of the index: of a rank, what the agent holds, then what nobody does, then the same of what was
 * skipped. As columns, for a statement whose first three parameters are the account, the list and the agent.
 */
const placesOf = (list: QueueList, user: number) => {
  const places = orderOf(list).flatMap((rank) =>
    [false, true].flatMap((skipped) => [user, 0].map((claimant) => ({ rank, skipped, claimant }))),
  );
  return [
    places.map(({ rank }) => rank),
    places.map(({ claimant }) => claimant),
    places.map(({ skipped }) => skipped),
  ] as const;
};
export const PLACES = 'unnest($4::smallint[], $5::bigint[], $6::boolean[])';
/** The turn of a new lead is its place among the others, and no time to wait for: not even one that a clock had before it was set back. */
export const DUE_BY = `case place.rank when ${NEW} then 'infinity'::timestamptz else now() end`;
export const IN_PLACE = `l.account_id = $1 and l.list_id = $2 and l.rank = place.rank and l.skipped = place.skipped and l.claimant = place.claimant`;

/** The parameters of a look at a list's queue that takes nothing out of it. */
export async function lookAtQueue({ db }: Reading, actor: Actor, listId: number | undefined): Promise<unknown[]> {
  const [account, user] = [actor.account.id, actor.user!.id];
  const list = await one<QueueList>(db, FIND, [account, listId ?? 0, boundOf(actor, 'queue.work')]);
  return [account, list.id, user, ...placesOf(list, user)];
}

// Rows that another is just being given are passed over, so nobody waits and none goes to two people.
const TAKE = `
  with open as (
    select id from leads
     where account_id = $1 and list_id = $2 and held_by = $3 and held_until > now() and rank is not null and claimant in (0, $3)
       and id <> $7
     order by held_until desc limit 1 for no key update
  ), next as (
    select found.id
      from ${PLACES} with ordinality as place (rank, claimant, skipped, number)
     cross join lateral (
       select l.id from leads l
        where ${IN_PLACE} and l.turn_at <= ${DUE_BY} and l.id <> $7
          and (l.held_until is null or l.held_until <= now())
        order by l.turn_at, l.id limit 1 for no key update skip locked) found
     where not exists (select from open)
     order by place.number limit 1
  ), taken as (
    update leads l set held_by = $3, held_until = now() + interval '2 minutes', input_at = now()
      from (select id from open union all select id from next) chosen
     where l.account_id = $1 and l.id = chosen.id returning l.id, l.rank, l.skipped
  )
  select taken.*, due.at as next_due_at
    from (
      select min(soonest.turn_at) as at
        from ${PLACES} as place (rank, claimant, skipped)
       cross join lateral (
         select l.turn_at from leads l
          where ${IN_PLACE} and l.turn_at > ${DUE_BY}
          order by l.turn_at limit 1) soonest
    ) due left join taken on true`;

// Only skipped ones are left of a rank: the next round begins.
const NEW_ROUND = `
  update leads set skipped = false where account_id = $1 and id in (
    select id from leads where account_id = $1 and list_id = $2 and rank = $3 and skipped for no key update skip locked)`;

type Taken = { id: number | null; rank: number; skipped: boolean; next_due_at: Date | null };

/** The lead to work on next, held for whoever asks: first one that they have open, other than the one they are just finishing. As JSON. */
export async function giveNext(work: Work, actor: Actor, listId: number | undefined, past = 0): Promise<string> {
  const { db } = work;
  const [account, user] = [actor.account.id, actor.user!.id];
  const asked = [account, listId ?? 0, boundOf(actor, 'queue.work'), user % 2 ** 31];
  const list = await one<QueueList>(db, FIND_ALONE, asked);
  const [taken] = await query<Taken>(db, TAKE, [account, list.id, user, ...placesOf(list, user), past]);
  const { id, rank, skipped, next_due_at: due } = taken!;
  if (skipped) await query(db, NEW_ROUND, [account, list.id, rank]);
  const lead = id === null ? 'null' : await readLead(work, actor, id);
  return `{"lead":${lead},"next_due_at":${due ? `"${due.toISOString()}"` : 'null'}}`;
}
