import { lineOf } from '../calls/line.ts';
import { seesLead } from '../leads/access.ts';
import { seesList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import type { Reading } from '../platform/work.ts';

/** What is going on, as far as someone may see it. */
export type Look = {
  /** Of the newest event there is. */
  newest: number;
  /** What happened to leads since, and a little before. */
  events: { id: number; lead_id: number; list_id: number; kind: string }[] | null;
  /** Who has which lead open. */
  presence: { user_email: string; lead_id: number; list_id: number; calling: boolean }[] | null;
  /** How much is left in the lists that are shown. */
  queues: { list_id: number; new: number; call_backs: number; due: number }[] | null;
  /** The call one is in, and those that ring. */
  line: { id: number; state: string; own: boolean }[] | null;
  /** How far one's own bulk acts have come. */
  bulk: { id: number; total: number; done: number; refusals: number; finished: boolean }[] | null;
};

/** So much happened that a page had better ask for everything again. */
export const MANY = 200;
/** Events get their ids before they are there to be seen, so a late one can have a smaller id. */
const LATE = 200;
// More than this is simply much.
const MOST_DUE = 1_000;

const LOOK = `
  select coalesce((select max(id) from events where account_id = $1), 0) as newest,
    (select json_agg(x order by x.id) from (
       select e.id, e.lead_id, e.list_id, e.kind from events e
        where e.account_id = $1 and e.id > coalesce($4, (select max(id) from events where account_id = $1)) - ${LATE}
          and ${seesList('e', 'list_id', '$2::bigint')} order by e.id desc limit ${LATE + MANY}) x) as events,
    (select json_agg(x order by x.user_email) from (
       select u.email as user_email, l.id as lead_id, l.list_id,
              exists (select from calls c where c.account_id = $1 and c.user_id = u.id
                and c.state <> 'completed') as calling
         from leads l join users u on u.account_id = l.account_id and u.id = l.held_by
        where l.account_id = $1 and l.held_by is not null and l.held_until > now()
          and ${seesLead('l', '$2::bigint')}) x) as presence,
    (select json_agg(x order by x.list_id) from (
       select li.id as list_id, c.new, c.call_backs,
              (select count(*) from (select from leads l
                where l.account_id = $1 and l.list_id = li.id and l.rank in (1, 2)
                  and l.turn_at <= now() and l.claimant in (0, $3) limit ${MOST_DUE}) d) as due
         from lists li
        cross join lateral (select coalesce(sum(leads) filter (where state = 'new'), 0)::int8 as new,
                                   coalesce(sum(leads) filter (where state = 'call_back'), 0)::int8 as call_backs
                              from lead_counts where account_id = $1 and list_id = li.id) c
        where li.account_id = $1 and li.id = any ($5::bigint[]) and ${seesList('li', 'id', '$2::bigint')}) x) as queues,
    (select json_agg(x order by x.id) from (${lineOf('$1', '$3::bigint')}) x) as line,
    (select json_agg(x order by x.id) from (
       select id, cardinality(lead_ids) as total, position as done, refusals, finished_at is not null as finished
        from bulk_acts
        where account_id = $1 and user_id = $3
          and (finished_at is null or finished_at > now() - interval '1 minute')) x) as bulk`;

/** `since` is the newest event of the look before, null at first; `listIds` are the lists that are shown. */
export async function look({ db }: Reading, actor: Actor, since: number | null, listIds: number[]): Promise<Look> {
  const [found] = await query<Look>(db, LOOK, [
    actor.account.id,
    boundOf(actor, 'live.read'),
    actor.user!.id,
    since,
    listIds,
  ]);
  return found!;
}
