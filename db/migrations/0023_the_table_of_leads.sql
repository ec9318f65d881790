-- The table of leads, views of it, and acts on many leads that can be undone.

-- The order in which the table shows a list: as the queue hands leads out, whoever claims them; then won, lost and archived, each with the
-- last changed first. Written as it is asked for in server/filters/orders.ts.
create index leads_in_table on leads (
  account_id,
  list_id,
  (coalesce(rank, case state when 'won' then 4 when 'lost' then 5 else 6 end)),
  (case when rank is null then timestamptz 'epoch' - last_updated else turn_at - timestamptz 'epoch' end),
  id
);

-- Call backs by when they are due: not by their turn, which a skip moves. Most leads have no entry here.
create index leads_due on leads (account_id, list_id, scheduled_for, id)
  where state = 'call_back' and scheduled_for is not null;

-- What someone looks at again and again: lists, filter, order and columns under a name.
create table lead_views (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  user_id     bigint not null, -- whose it is
  name        text not null,
  shared      boolean not null default false, -- others see it, too
  shows       jsonb not null, -- as contract/lead-table.ts has it
  changed_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index lead_views_by_user on lead_views (account_id, user_id);

-- An act names its leads itself, or by what they have in common; then they are gathered first, bit by bit. What becomes of each stands
-- in a row of its own.
create table bulk_leads (
  account_id  bigint not null,
  act_id      bigint not null,
  place       bigint not null, -- counted from 1; the last has the first turn
  lead_id     bigint not null, -- no foreign key: it may be gone, and is named all the same
  refused     text, -- why nothing was done to it; null: not refused, or not its turn yet
  before      jsonb, -- what undoing puts back; null: nothing was changed
  left_at     timestamptz(3), -- when it was last updated, as the act left it: it goes back only if that is still so
  primary key (account_id, act_id, place),
  foreign key (account_id, act_id) references bulk_acts (account_id, id) on delete cascade
) with (fillfactor = 70);
create index bulk_leads_refused on bulk_leads (account_id, act_id, place) where refused is not null;

alter table bulk_acts
  drop constraint bulk_acts_kind_check,
  add constraint bulk_acts_kind_check
    check (kind in ('delegate', 'release', 'migrate', 'archive', 'renew', 'change', 'delete', 'undo')),
  alter column position type bigint,
  add column says           text not null default '', -- what it does, in words
  add column address        text not null default '', -- where it was asked for from
  add column matching       jsonb, -- lists, filter and query, as asked; null: its leads were named
  add column except_ids     bigint[] not null default '{}', -- of those that match: not these
  add column gathered_after bigint, -- the last lead that was looked at while they are gathered; null: all are
  add column total          bigint not null default 0, -- gathered so far
  add column begun_at       timestamptz(3), -- the first turn of its leads
  add column stopped_at     timestamptz(3), -- someone stopped it: what was done stays done
  add column undoes         bigint, -- the act that this one undoes
  add column undone_by      bigint, -- the act that undoes this one
  add column reasons        jsonb not null default '{}'; -- why not → how many

-- Those that were not finished go on, from the last place to the first; of the others it is known how they ended.
insert into bulk_leads (account_id, act_id, place, lead_id)
select b.account_id, b.id, cardinality(b.lead_ids) - named.place + 1, named.lead_id
  from bulk_acts b cross join lateral unnest(b.lead_ids) with ordinality as named (lead_id, place)
 where b.finished_at is null;
update bulk_acts set total = cardinality(lead_ids) + unknown, begun_at = created_at,
  says = case kind when 'delegate' then 'Delegated' when 'migrate' then 'Moved' when 'archive' then 'Archived' else 'Deleted' end,
  reasons = coalesce((select jsonb_object_agg(reason, number)
                        from (select r ->> 'error' as reason, count(*) as number from jsonb_array_elements(refused) r group by 1) x), '{}'),
  asked = case when kind = 'delegate' then jsonb_build_object('delegate_to', jsonb_build_array(asked -> 'delegate_to')) else asked end;
alter table bulk_acts drop column lead_ids, drop column refused;

-- What is told of acts on many waits behind what is told of one's own, with each subscriber.
alter table deliveries add column later boolean not null default false;
drop index deliveries_waiting;
create index deliveries_waiting on deliveries (webhook_id, later, next_at, id) where state = 'waiting' and taken_by is null;
