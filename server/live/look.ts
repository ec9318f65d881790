import type { Doing } from '../../contract/calls.ts';
import type { ListJob } from '../../contract/list-pages.ts';
import { doingOf, lineOf } from '../calls/line.ts';
import { seesLead } from '../leads/access.ts';
import { isNews, jobSql } from '../lists/jobs.ts';
import { seesList } from '../lists/people.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql, whenRun } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';

/** What is going on, as far as someone may see it. */
export type Look = {
  /** Of the newest event there is. */
  newest: number;
  /** What happened to leads since, and a little before. `merged`: the lead that became part of this one; `unheard`: while nobody listened. */
  events:
    | { id: number; lead_id: number; list_id: number; kind: string; merged: number | null; unheard: boolean | null }[]
    | null;
  /** Those that were deleted by themselves or brought back a moment ago, or whose text was sent or failed, which is no event of theirs. */
  moved: { lead_id: number; list_id: number; at: string; unheard: boolean | null }[] | null;
  /** Who has which lead open, and who of the lists that are shown is away. */
  presence:
    | { user_email: string; lead_id: number | null; list_id: number; doing: Doing; reason: string | null }[]
    | null;
  /** How much is left in the lists that are shown. */
  queues: { list_id: number; new: number; call_backs: number; due: number }[] | null;
  /** The call one is in, and those that ring. */
  line: { id: number; state: string; own: boolean }[] | null;
  /** What one does oneself. */
  own: { doing: Doing; reason: string | null };
  /** When any list was last changed, and those that are shown and are still there. */
  lists: { changed_at: string | null; lists: { id: number; changed_at: string; paused: boolean }[] | null };
  /** How far it is what is done to all leads of the lists that are shown. */
  jobs: (ListJob & { list_id: number })[] | null;
  /** While nobody listened a list changed, or all leads of one that is shown, or more happened than is looked at: what is not told one by one. */
  missed: boolean;
  /** How far one's own bulk acts have come. */
  bulk: { id: number; total: number; done: number; refusals: number; finished: boolean }[] | null;
};

/** So much happened that a page had better ask for everything again. */
export const MANY = 200;
/** Events get their ids before they are there to be seen, so a late one can have a smaller id. */
const LATE = 200;
/** What was moved is looked at for so long. Whoever listened to nothing for longer had better ask for everything again. */
export const MOST_UNHEARD_MS = 10_000;
// More than this is simply much.
const MOST_DUE = 1_000;

/** Nothing waits in a list that is paused. */
const GIVES = 'li.paused_at is null and li.archived_at is null';

// Each page looks every second: planned anew, that would take five times as long as the look.
const WHOM = whenRun('$2::bigint');
const SINCE = whenRun('$4::bigint');
const LISTS = whenRun('$5::bigint[]');
/** Null where somebody listened. What is looked at may not reach back so far: then its first event is younger. */
const UNHEARD_SINCE = `now() - $6::float8 * interval '1 millisecond'`;
const LOOK = sql('live/look.look')`
  select coalesce((select max(id) from events where account_id = $1), 0) as newest,
    (select json_agg(x order by x.id) from (
       select e.id, e.lead_id, e.list_id, e.kind,
              case when e.kind = 'merge' and jsonb_typeof(e.changes -> 'merged' -> 0) = 'number'
                   then (e.changes -> 'merged' ->> 0)::bigint end as merged,
              e.created_at > ${UNHEARD_SINCE} as unheard from events e
        where e.account_id = $1
          and e.id > coalesce(${SINCE}, (select max(id) from events where account_id = $1)) - ${LATE}
          and ${seesList('e', 'list_id', WHOM)} order by e.id desc limit ${LATE + MANY}) x) as events,
    (select json_agg(x) from (select m.*, m.at > ${UNHEARD_SINCE} as unheard from (
       (select g.lead_id, g.list_id, g.deleted_at as at from deleted_leads g
         where g.account_id = $1 and g.deleted_at > now() - interval '10 seconds'
           and ${seesList('g', 'list_id', WHOM)} order by g.deleted_at desc limit ${MANY})
        union all
       (select b.lead_id, b.list_id, b.brought_back_at from leads_brought_back b
         where b.account_id = $1 and b.brought_back_at > now() - interval '10 seconds'
           and ${seesList('b', 'list_id', WHOM)} order by b.brought_back_at desc limit ${MANY})
        union all
       (select t.lead_id, l.list_id, t.told_at from texts t
          join leads l on l.account_id = t.account_id and l.id = t.lead_id
         where t.account_id = $1 and t.told_at > now() - interval '10 seconds'
           and ${seesList('l', 'list_id', WHOM)} order by t.told_at desc limit ${MANY})) m) x) as moved,
    (select json_agg(x order by x.user_email, x.list_id) from (
       select u.email as user_email, l.id as lead_id, l.list_id, ${doingOf('u')} as doing, u.away_reason as reason
         from leads l join users u on u.account_id = l.account_id and u.id = l.held_by
        where l.account_id = $1 and l.held_by is not null and l.held_until > now()
          and ${seesLead('l', WHOM)}
       union all
       select u.email, null, p.list_id, 'away', u.away_reason
         from users u join list_people p on p.account_id = u.account_id and p.user_id = u.id
         join lists li on li.account_id = p.account_id and li.id = p.list_id
        where u.account_id = $1 and u.away_since is not null and u.disabled_at is null
          and u.page_seen_at > now() - interval '2 minutes' and p.list_id = any (${LISTS}::bigint[])
          and ${seesList('li', 'id', WHOM)} and not exists (
            select from leads l where l.account_id = $1 and l.held_by = u.id and l.held_until > now())) x) as presence,
    (select json_agg(x order by x.list_id) from (
       select li.id as list_id, c.new, c.call_backs,
              (select count(*) from (select from leads l
                where l.account_id = $1 and l.list_id = li.id and l.rank in (1, 2)
                  and l.turn_at <= now() and l.claimant in (0, $3) and ${GIVES} limit ${MOST_DUE}) d) as due
         from lists li
        cross join lateral (select coalesce(sum(leads) filter (where state = 'new'), 0)::int8 as new,
                                   coalesce(sum(leads) filter (where state = 'call_back'), 0)::int8 as call_backs
                              from lead_counts where account_id = $1 and list_id = li.id and ${GIVES}) c
        where li.account_id = $1 and li.id = any (${LISTS}::bigint[]) and ${seesList('li', 'id', WHOM)}) x) as queues,
    (select json_agg(x order by x.id) from (${lineOf('$1', '$3::bigint')}) x) as line,
    (select json_build_object('doing', ${doingOf('u')}, 'reason', u.away_reason) from users u
      where u.account_id = $1 and u.id = $3::bigint) as own,
    json_build_object(
      'changed_at', (select max(changed_at) from lists where account_id = $1),
      'lists', (select json_agg(json_build_object('id', li.id, 'changed_at', li.changed_at,
                                'paused', li.paused_at is not null or li.archived_at is not null) order by li.id)
                  from lists li where li.account_id = $1 and li.id = any (${LISTS}::bigint[]) and li.deleted_at is null
                   and ${seesList('li', 'id', WHOM)})) as lists,
    (select json_agg(x.job order by x.id) from (
       select j.id, (${jobSql})::jsonb || jsonb_build_object('list_id', j.list_id) as job
         from list_jobs j join lists li on li.account_id = j.account_id and li.id = j.list_id
        where j.account_id = $1 and j.list_id = any (${LISTS}::bigint[]) and ${isNews}
          and ${seesList('li', 'id', WHOM)}) x) as jobs,
    $6 is not null and (
      (select e.created_at from events e
        where e.account_id = $1 and e.id > (select max(id) from events where account_id = $1) - ${LATE}
        order by e.id limit 1) > ${UNHEARD_SINCE}
      or exists (select from lists where account_id = $1 and changed_at > ${UNHEARD_SINCE})
      or exists (select from list_jobs where account_id = $1 and list_id = any (${LISTS}::bigint[])
                                         and finished_at > ${UNHEARD_SINCE})) as missed,
    (select json_agg(x order by x.id) from (
       select id, total, position + unknown as done, refusals, finished_at is not null as finished
        from bulk_acts
        where account_id = $1 and user_id = $3
          and (finished_at is null or finished_at > now() - interval '1 minute')) x) as bulk`;

/** What was heard before: the newest event of the look before, or at first for how long nobody listened. */
export type Heard = { since: number } | { unheardMs: number };

/** `listIds` are the lists that are shown. */
export async function look({ db }: Reading, actor: Actor, heard: Heard, listIds: number[]): Promise<Look> {
  const unheardMs = 'unheardMs' in heard ? heard.unheardMs : 0;
  const [found] = await query<Look>(db, LOOK, [
    actor.account.id,
    boundOf(actor, 'live.read'),
    actor.user!.id,
    'since' in heard ? heard.since : null,
    listIds,
    unheardMs > 0 ? unheardMs : null,
  ]);
  return found!;
}
