-- The queue: which lead an agent is given next, and who has one open.

alter table leads
  add column exactly     boolean not null default true, -- the schedule is a time to call at, not one to wait for
  add column turn_at     timestamptz(3) not null default now(), -- its place among those of its rank; not before this time
  add column skipped     boolean not null default false, -- behind all others of its rank for this round
  add column held_by     bigint, -- who has it open
  add column held_until  timestamptz, -- unless another sign of life comes
  add column input_at    timestamptz, -- when they last did something
  add column claimant    bigint generated always as (coalesce(claimed_by, 0)) stored,
  add column rank        smallint generated always as (case
      when state = 'new' then 3
      when state = 'call_back' and exactly and scheduled_for is not null then 1
      when state = 'call_back' then 2 -- put off until after a time, or without one
    end) stored,
  add foreign key (account_id, held_by) references users (account_id, id) on delete set null (held_by);
update leads set turn_at = case when state = 'new' then created_at else coalesce(scheduled_for, last_updated) end;

-- In the order in which leads are handed out: the next one is the first entry of a few places.
create index leads_queue on leads (account_id, list_id, rank, skipped, claimant, turn_at, id) where rank is not null;
create index leads_held on leads (account_id, held_by) where held_by is not null;
