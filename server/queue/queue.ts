import { seesList } from '../lists/people.ts';
import { bySight, sightOf } from '../leads/access.ts';
import { readLeadSql, writeRead, type ReadLead } from '../leads/read.ts';
import { HOLD_CHOSEN, NEW_ROUND } from '../leads/take.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { lastly, one, type Last } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { notFound } from '../platform/errors.ts';
import type { Reading, Work } from '../platform/work.ts';

/** Ranks of leads, as the table has them. */
const [EXACT, PUT_OFF, NEW] = [1, 2, 3];

const NEXT_LOCK = 4711;
// One after the other for one person: two questions at once would open two leads.
const LOCK = sql('queue/queue.lock')`select pg_advisory_xact_lock(${NEXT_LOCK}, $1::integer)`;

/** A list and the order in which it hands out its ranks; `bound` is the parameter of whose lists it has to be among. */
const queueList = (bound: string) => `
  select li.id, case when li.queue_new_before_due then '{${NEW}, ${EXACT}, ${PUT_OFF}}'::smallint[]
                     when li.queue_new_before_call_backs then '{${EXACT}, ${NEW}, ${PUT_OFF}}'
                     else '{${EXACT}, ${PUT_OFF}, ${NEW}}' end as ranks,
         li.paused_at is not null or li.archived_at is not null as paused
    from lists li where li.account_id = $1 and li.id = $2 and ${seesList('li', 'id', `${bound}::bigint`)}`;

const FIND = sql('queue/queue.find')`${queueList('$3')}`;

/**
 * Each place is the beginning of one stretch of the index: of a rank, what the agent holds, then what nobody does, then the same of what was
 * skipped. As columns, for a statement whose first three parameters are the account, the list and the agent.
 */
const placesOf = (ranks: number[], user: number) => {
  const places = ranks.flatMap((rank) =>
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
export const IN_PLACE = `l.account_id = $1 and l.list_id = $2 and l.rank = place.rank and l.skipped = place.skipped
  and l.claimant = place.claimant`;

/** The parameters of a look at a list's queue that takes nothing out of it; none where the list is paused. */
export async function lookAtQueue(
  { db }: Reading,
  actor: Actor,
  listId: number | undefined,
): Promise<unknown[] | undefined> {
  const [account, user] = [actor.account.id, actor.user!.id];
  const values = [account, listId ?? 0, boundOf(actor, 'queue.work')];
  const list = await one<{ id: number; ranks: number[]; paused: boolean }>(db, FIND, values);
  return list.paused ? undefined : [account, list.id, user, ...placesOf(list.ranks, user)];
}

// Rows that another is just being given are passed over, so nobody waits and none goes to two people. The places are put in order first, so
// that none is looked at, and locked, after one in which a lead was found. Where only skipped ones are left of a
// rank, its next round begins. One that was opened by hand says nothing of what is left, skipped or not. A paused list has no places, but what
// someone has open there they may finish.
const TAKE = sql('queue/queue.take')`
  with list as (${queueList('$8')}
  ), here as (
    select from users where account_id = $1 and id = $3 and away_since is null
  ), open as (
    select id, rank, false as skipped from leads
     where account_id = $1 and held_by = $3 and held_until > now() and rank is not null and claimant in (0, $3)
       and id <> all ($7::bigint[])
       and list_id in (select id from list) and exists (select from here)
     order by held_until desc limit 1 for no key update
  ), places as materialized (
    select rank, claimant, skipped, row_number() over (order by array_position(list.ranks, rank), number) as number
      from list cross join ${PLACES} with ordinality as place (rank, claimant, skipped, number)
     where exists (select from here) and not list.paused
     order by number
  ), next as (
    select found.*
      from places place
     cross join lateral (
       select l.id, l.rank, l.skipped from leads l
        where ${IN_PLACE} and l.turn_at <= ${DUE_BY} and l.id <> all ($7::bigint[])
          and (l.held_until is null or l.held_until <= now())
        order by l.turn_at, l.id limit 1 for no key update skip locked) found
     where not exists (select from open)
     order by place.number limit 1
  ), chosen as (
    select * from open union all select * from next
  ), taken as (${HOLD_CHOSEN}
  ), round as (${NEW_ROUND}
  )
  select taken.id, case when not list.paused then due.at end as next_due_at, list.paused
    from list cross join (
      select min(soonest.turn_at) as at
        from ${PLACES} as place (rank, claimant, skipped)
       cross join lateral (
         select l.turn_at from leads l
          where ${IN_PLACE} and l.turn_at > ${DUE_BY}
          order by l.turn_at limit 1) soonest
    ) due left join taken on true`;

type Taken = { id: number | null; next_due_at: Date | null; paused: boolean };

// What was taken a moment ago, as it is now: in the statement that takes it, it would be read as it was when that began. `$3` is who is shown its
// duplicates.
const READ_TAKEN = bySight('queue/queue.read_taken', (sight) =>
  readLeadSql(sight, 'l.account_id = $1 and l.held_by = $2 and l.input_at = now()'),
);

/**
 * The lead to work on next, held for whoever asks: first one that they have open, other than those that lie behind them. None while they are away. As JSON.
 */
export function giveNext({ db }: Work, actor: Actor, listId: number | undefined, past: number[] = []): Last<string> {
  const [account, list, user] = [actor.account.id, listId ?? 0, actor.user!.id];
  const places = placesOf([EXACT, PUT_OFF, NEW], user);
  const lock = { text: LOCK, values: [user % 2 ** 31] };
  const take = { text: TAKE, values: [account, list, user, ...places, past, boundOf(actor, 'queue.work')] };
  const { sight, values } = sightOf(actor, 'leads.read', account, user);
  const read = { text: READ_TAKEN[sight], values };
  return lastly<string, [unknown[], Taken[], ReadLead[]]>(db, [lock, take, read], ([, [taken], leads]) => {
    if (!taken) throw notFound();
    const lead = leads.find(({ id }) => id === taken.id);
    const due = taken.next_due_at?.toISOString();
    const told = lead ? writeRead(lead, actor) : 'null';
    return `{"lead":${told},"next_due_at":${due ? `"${due}"` : 'null'},"paused":${taken.paused}}`;
  });
}
