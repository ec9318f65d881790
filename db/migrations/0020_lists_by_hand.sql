-- Lists that people set up and change themselves, and what becomes of their leads meanwhile.

alter table lists
  add column purpose            text not null default '', -- a line for people
  add column paused_at          timestamptz(3), -- in nobody's queue since
  add column archived_at        timestamptz(3), -- also out of sight
  add column deleted_at         timestamptz(3), -- gone at both doors; removed a week later
  add column deleted_by         text, -- who did it, as people read it
  add column holds_deleted      boolean not null default false, -- the account's own, for leads that were deleted one by one: itself deleted from the beginning
  add column claim_on_win       boolean, -- null: as the account has it; so are the next three
  add column claim_on_schedule  boolean,
  add column claim_on_put_off   boolean,
  add column record_calls       boolean,
  add column former_categories  jsonb not null default '[]', -- [{kind, from, to, until}]: names that the doors still take
  add column versions           jsonb not null default '{}', -- aspect → {version, by}, the last who changed it
  add column changed_at         timestamptz(3) not null default now(),
  add column unsettled          boolean not null default false; -- a job moves values between data and hidden: what is told is picked from both
create index lists_deleted on lists (account_id, id) where deleted_at is not null;
create index lists_changed on lists (account_id, changed_at);
create unique index lists_holding_deleted on lists (account_id) where holds_deleted;

-- Fields change places with each other in one statement.
alter table list_columns
  drop constraint list_columns_account_id_list_id_position_key,
  add unique (account_id, list_id, position) deferrable initially immediate;

-- What is done to all leads of a list, bit by bit in the background.
create table list_jobs (
  account_id   bigint not null,
  id           bigint generated always as identity,
  list_id      bigint not null,
  kind         text not null check (kind in ('settle', 'rename_category', 'fit', 'remove')),
  asked        jsonb not null default '{}', -- by kind
  user_id      bigint, -- on whose behalf; null: the service's
  after_at     timestamptz(3), -- the lead that was looked at last, in the order of their creation; moves in the transaction of what was done
  after_id     bigint,
  total        bigint not null default 0, -- leads there were when it began
  done         bigint not null default 0,
  result       jsonb not null default '{}', -- by kind
  created_at   timestamptz(3) not null default now(),
  finished_at  timestamptz(3),
  primary key (account_id, id),
  foreign key (account_id, list_id) references lists (account_id, id) on delete cascade
);
create index list_jobs_waiting on list_jobs (account_id, list_id, id) where finished_at is null;
create index list_jobs_by_list on list_jobs (account_id, list_id, id);

-- Leads that were deleted one by one and are in the list that holds them: where they were, and since when.
create table deleted_leads (
  account_id  bigint not null,
  lead_id     bigint not null,
  list_id     bigint not null,
  deleted_by  text not null,
  deleted_at  timestamptz(3) not null default now(),
  primary key (account_id, lead_id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade
);
create index deleted_leads_by_age on deleted_leads (deleted_at);
