import { EVENT_COLUMNS, EVENT_TABLES } from '../../server/activity/events.ts';
import { leadColumns, leadTables } from '../../server/leads/lead.ts';
import { pageOf } from '../../server/leads/pages.ts';

/** What the product does in several statements, each verb in one. */

/** Nobody who sees some of it is asked about. */
const LEAD_COLUMNS = leadColumns('whole');

const listedBy = (ids: string) => `
  with page as (${pageOf(ids)})
  select page.total, ${LEAD_COLUMNS}
    from page cross join lateral unnest(page.ids) with ordinality as asked (id, place)
    cross join lateral ${leadTables('l.account_id = $1 and l.id = asked.id')}
   order by asked.place`;

export const FIRST_PAGE = listedBy('order by l.created_at desc, l.id desc limit $4 offset $5');
export const PAGE_AFTER = listedBy(
  'and (l.created_at, l.id) < ($5, $6) order by l.created_at desc, l.id desc limit $4',
);
export const PAGE_FROM_MILESTONE = listedBy(
  'and (l.created_at, l.id) <= ($6, $7) order by l.created_at desc, l.id desc limit $4 offset $5',
);

/** Of ids that another statement found. */
export const LEADS = `
  select ${LEAD_COLUMNS} from unnest($2::bigint[]) with ordinality as asked (id, place)
   cross join lateral ${leadTables('l.account_id = $1 and l.id = asked.id')}
   order by asked.place`;

// Find and search are planned for the values they are asked with, and reading the leads is not: in one statement with them, planning alone
// took longer than all the rest.
export const FIND = `
  with hits as materialized (
    select lead_id, created_at from lead_data where account_id = $1 and list_id = $2 and data @> $4::jsonb
  )
  select (select count(*) from hits) as total,
         array(select lead_id from hits order by created_at desc, lead_id desc limit $3) as ids`;

export const searchIn = (scope: string) => `
  with hits as materialized (
    select lead_id, created_at from lead_data d where account_id = $1 and (words || said) @@ $2::tsquery ${scope}
  ), counted as materialized (
    select count(*) as total from hits
  ), ranked as (
    select h.lead_id as id, h.created_at as at,
           case when (select total from counted) > $3 then 0
                else (select ts_rank(d.words || d.said, $2::tsquery) from lead_data d where d.account_id = $1 and d.lead_id = h.lead_id)
           end as rank
      from hits h
  )
  select total, array(select id from ranked order by rank desc, at desc, id desc limit $4) as ids from counted`;

const LIST = `
  select id, name, created_at, locked_on_defaults, categories,
         (select coalesce(sum(leads), 0)::int8 from lead_counts c where c.account_id = lists.account_id and c.list_id = lists.id) as leads_count`;
export const READ_LIST = `${LIST} from lists where account_id = $1 and id = $2`;
export const READ_STATS = `${LIST},
         (select json_agg(g) from (select state, category, sum(leads) as leads from lead_counts c
           where c.account_id = lists.account_id and c.list_id = lists.id group by 1, 2 having sum(leads) <> 0) g) as counts
    from lists where account_id = $1 and id = $2`;

const ADD_UP = `
  on conflict (account_id, list_id, state, category, shard)
  do update set leads = c.leads + excluded.leads, moves = c.moves + excluded.moves`;

export const CREATE = `
  with lead as (
    insert into leads (account_id, list_id) values ($1, $2) returning id, created_at
  ), marked as (
    insert into lead_marks (account_id, mark, lead_id, list_id)
    select $1, mark, id, $2 from lead, unnest($6::text[]) as m (mark)
  ), data as (
    insert into lead_data (account_id, lead_id, list_id, created_at, data, hidden, words, marks)
    select $1, id, $2, created_at, $3, $4, $5, $6 from lead
  ), counted as (
    insert into lead_counts as c (account_id, list_id, state, category, shard, leads, moves)
    values ($1, $2, 'new', '', pg_backend_pid() % 16, 1, 0) ${ADD_UP}
  ), event as (
    insert into events (account_id, lead_id, list_id, kind, comment, via)
    select $1, id, $2, 'lead_created', '', 'api' from lead returning id
  )
  select lead.id, lead.created_at, event.id as event_id from lead, event`;

export const CHANGE = `
  with old as (
    select d.data, d.marks, d.list_id from leads l join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
     where l.account_id = $1 and l.id = $2 for no key update of l
  ), data as (
    update lead_data set data = $3, words = $4, marks = $5 where account_id = $1 and lead_id = $2
  ), gone as (
    delete from lead_marks m using old
     where m.account_id = $1 and m.lead_id = $2 and m.mark = any (old.marks) and m.mark <> all ($5::text[])
  ), added as (
    insert into lead_marks (account_id, mark, lead_id, list_id)
    select $1, m.mark, $2, old.list_id from old, unnest($5::text[]) as m (mark) where m.mark <> all (old.marks)
  ), touched as (
    update leads set last_updated = now() where account_id = $1 and id = $2
  )
  insert into events (account_id, lead_id, list_id, kind, comment, via, changes)
  select $1, $2, list_id, 'lead_updated', '', 'api',
         jsonb_build_object('title', jsonb_build_array(data ->> 'title', $3::jsonb ->> 'title')) from old`;

export const OUTCOME = `
  with old as (
    select list_id, state, category, scheduled_for from leads where account_id = $1 and id = $2 for no key update
  ), changed as (
    update leads set state = $3, category = $4, scheduled_for = $5, exactly = true, turn_at = coalesce($5, now()), last_updated = now(),
           held_by = null, held_until = null
     where account_id = $1 and id = $2
  ), counted as (
    insert into lead_counts as c (account_id, list_id, state, category, shard, leads, moves)
    select $1, old.list_id, s.state, coalesce(s.category, ''), pg_backend_pid() % 16, s.leads, 0
      from old cross join lateral (values (old.state, old.category, -1), ($3::text, $4::text, 1)) as s (state, category, leads)
     where (old.state, old.category) is distinct from ($3::text, $4::text)
     order by 2, 3, 4 ${ADD_UP}
  )
  insert into events (account_id, lead_id, list_id, kind, category, comment, user_id, via, changes)
  select $1, $2, list_id, $6, $4, '', $7, 'api', jsonb_build_object('state', jsonb_build_array(state, $3::text),
         'category', jsonb_build_array(category, $4::text), 'scheduled_for', jsonb_build_array(scheduled_for, $5::timestamptz)) from old`;

// The first entry of each stretch of the index, looked at only if there is none in those before.
const firstOf = (rank: number) => `
  select id from (
    select id from leads
     where account_id = $1 and list_id = $2 and rank = ${rank} and not skipped and claimant = 0 and turn_at <= now() and (held_until is null or held_until <= now())
     order by turn_at, id limit 1 for no key update skip locked) rank${rank}`;

/** Hands out a lead, and nothing else. */
export const NEXT_ALONE = `
  update leads l set held_by = $3, held_until = now() + interval '2 minutes', input_at = now()
    from (${[1, 2, 3].map(firstOf).join(' union all ')} limit 1) chosen
   where l.account_id = $1 and l.id = chosen.id returning l.id`;

/** And reads it, with its events. */
export const NEXT = `
  with taken as (${NEXT_ALONE})
  select ${LEAD_COLUMNS},
         (select json_agg(e) from (select ${EVENT_COLUMNS} from ${EVENT_TABLES}
           where e.account_id = l.account_id and e.lead_id = l.id order by e.id desc limit 20) e) as events
    from taken cross join lateral ${leadTables('l.account_id = $1 and l.id = taken.id')}`;
