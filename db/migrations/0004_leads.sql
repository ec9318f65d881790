-- Leads, what happened to them, calls, and subscriptions.

create extension if not exists btree_gin;

-- What every lead of a list needs of its columns, kept with the list so that reading a lead does not join them.
alter table lists
  add column blanks       jsonb not null default '{}', -- every column's key → ''
  add column identifiers  text[] not null default '{}'; -- keys of the first three visible columns
update lists l set
  blanks = coalesce((select jsonb_object_agg(c.key, '') from list_columns c
                      where c.account_id = l.account_id and c.list_id = l.id), '{}'),
  identifiers = array(select c.key from list_columns c
                       where c.account_id = l.account_id and c.list_id = l.id and c.visible order by c.position limit 3);

-- How often a lead came or went other than by being created: while this stands still, a lead's place counted from the oldest does too.
alter table lead_counts add column moves bigint not null default 0;

-- Two tables for a lead. This one is narrow and changes often; with the indexes of find and search on it, handing out leads takes twice as long.
create table leads (
  account_id     bigint not null,
  id             bigint generated always as identity,
  list_id        bigint not null,
  state          text not null default 'new' check (state in ('new', 'call_back', 'won', 'lost', 'archived')),
  category       text,
  scheduled_for  timestamptz(3),
  claimed_by     bigint,
  claimed_at     timestamptz(3),
  created_at     timestamptz(3) not null default now(), -- to the millisecond, as it is told: pages continue after it
  last_updated   timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, list_id) references lists (account_id, id),
  foreign key (account_id, claimed_by) references users (account_id, id) on delete set null (claimed_by)
) with (fillfactor = 80);
create index leads_by_creation on leads (account_id, list_id, created_at, id);
create index leads_by_update on leads (account_id, list_id, last_updated, id);
create index leads_by_claim on leads (account_id, claimed_by) where claimed_by is not null;

create table lead_data (
  account_id  bigint not null,
  lead_id     bigint not null,
  list_id     bigint not null, -- as in leads; here so that find and search read this table alone
  created_at  timestamptz(3) not null,
  data        jsonb not null default '{}', -- column key → text; what is empty is left out
  hidden      jsonb not null default '{}', -- values for which the list has no column (yet, or since a move)
  words       tsvector not null default '', -- of the data
  said        tsvector not null default '', -- of the comments
  marks       text[] not null default '{}', -- as in lead_marks
  primary key (account_id, lead_id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade
) with (fillfactor = 90);
-- Led by ids, so that a small list does not pay for a large neighbour. Short pending lists: every look reads them through.
create index lead_data_find on lead_data using gin (list_id, data jsonb_path_ops) with (gin_pending_list_limit = 512);
create index lead_data_search on lead_data using gin (account_id, list_id, (words || said)) with (gin_pending_list_limit = 512);

-- By what leads are the same person: 'phone +4533112233', 'email ann@example.com', 'company_name Acme'. Leads that share one are
-- duplicates of each other. No foreign key: it would be looked up for each row; the lead's own row names its marks.
create table lead_marks (
  account_id  bigint not null,
  mark        text not null,
  lead_id     bigint not null,
  primary key (account_id, mark, lead_id)
);

-- Pairs that somebody looked at and found to be two. Each pair stands here both ways round.
create table ignored_duplicates (
  account_id  bigint not null,
  lead_id     bigint not null,
  other_id    bigint not null,
  primary key (account_id, lead_id, other_id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade,
  foreign key (account_id, other_id) references leads (account_id, id) on delete cascade
);
create index ignored_duplicates_by_other on ignored_duplicates (account_id, other_id);

-- What happened to a lead: one act, one row.
create table events (
  account_id  bigint not null,
  id          bigint generated always as identity,
  lead_id     bigint not null,
  list_id     bigint not null, -- where the lead was
  kind        text not null,
  category    text,
  comment     text not null default '',
  user_id     bigint, -- null: the account's key, or the service itself
  via         text not null check (via in ('api', 'app', 'service')),
  changes     jsonb not null default '{}', -- name → [before, after]
  created_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete set null (user_id)
);
create index events_by_lead on events (account_id, lead_id, id);
create index events_by_user on events (account_id, user_id) where user_id is not null;

create table calls (
  account_id          bigint not null,
  id                  bigint generated always as identity,
  lead_id             bigint,
  user_id             bigint,
  event_id            bigint, -- the outcome it led to
  direction           text not null check (direction in ('outbound', 'inbound', 'transfer', 'local', 'automated')),
  state               text not null default 'initiated' check (state in ('initiated', 'calling', 'active', 'completed')),
  disposition         text check (disposition in ('busy', 'failed', 'invalid_number', 'normal', 'no_answer', 'temp_unavail', 'voicemail')),
  destination_number  text not null default '',
  caller_number       text, -- the caller ID that was used
  caller_name         text,
  started_at          timestamptz(3) not null default now(),
  answered_at         timestamptz(3),
  ended_at            timestamptz(3),
  primary key (account_id, id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete set null (lead_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete set null (user_id),
  foreign key (account_id, event_id) references events (account_id, id) on delete set null (event_id)
);
create index calls_by_lead on calls (account_id, lead_id) where lead_id is not null;
create index calls_by_user on calls (account_id, user_id, started_at) where user_id is not null;
create index calls_by_event on calls (account_id, event_id) where event_id is not null;

create table webhooks (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  list_id     bigint, -- null: the whole account
  event       text not null,
  target_url  text not null,
  sealed      bytea not null, -- the secret that signs
  last_error  text,
  created_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique nulls not distinct (account_id, list_id, event, target_url),
  foreign key (account_id, list_id) references lists (account_id, id) on delete cascade
);
