-- Accounts, people, keys, sessions: what every request relies on. Every table of an account has account_id in its primary key, and foreign
-- keys carry it, so that no row can point into another account. Folding (lower case) is done in Node, never by a collation.

create table accounts (
  id                 bigint generated always as identity primary key,
  name               text not null check (length(name) between 1 and 255),
  base_url           text not null,
  host               text not null unique, -- of base_url, with its port where it has one; picks the account of a request
  country            text not null default 'US' check (country ~ '^[A-Z]{2}$'),
  time_zone          text not null default 'UTC',
  claim_on_win       boolean not null default false,
  claim_on_schedule  boolean not null default true,
  claim_on_put_off   boolean not null default false,
  claim_lapse_days   integer check (claim_lapse_days between 0 and 3650), -- null: claims do not lapse
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now()
);

create table users (
  account_id     bigint not null references accounts on delete cascade,
  id             bigint generated always as identity,
  email          text not null,
  email_folded   text not null,
  first_name     text not null default '',
  last_name      text not null default '',
  owner          boolean not null default false,
  agent          boolean not null default true,
  users_admin    boolean not null default false,
  lists_admin    boolean not null default false,
  analyst        boolean not null default false,
  supervisor     boolean not null default false,
  password_hash  text, -- null until the invitation is accepted
  accepted_at    timestamptz,
  disabled_at    timestamptz,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  primary key (account_id, id),
  unique (account_id, email_folded)
);

create table lists (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  name        text not null check (length(name) between 1 and 255),
  created_at  timestamptz not null default now(),
  primary key (account_id, id)
);

-- Who works which list.
create table list_people (
  account_id  bigint not null,
  list_id     bigint not null,
  user_id     bigint not null,
  primary key (account_id, list_id, user_id),
  foreign key (account_id, list_id) references lists (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index list_people_by_user on list_people (account_id, user_id, list_id);

-- Keys are looked up by their hash; the key itself is sealed under SECRET_KEY so that its owner can read it again.
create table api_keys (
  id            bigint generated always as identity,
  hash          bytea primary key,
  account_id    bigint not null references accounts on delete cascade,
  user_id       bigint, -- null: the account's key
  sealed        bytea not null,
  created_at    timestamptz not null default now(),
  last_used_at  timestamptz,
  expires_at    timestamptz, -- set when it was replaced and may be used a little longer
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
-- One current key each; replaced ones have an end.
create unique index api_keys_current on api_keys (account_id, coalesce(user_id, 0)) where expires_at is null;

create table sessions (
  id          bigint generated always as identity,
  hash        bytea primary key,
  account_id  bigint not null references accounts on delete cascade,
  user_id     bigint not null,
  address     text not null,
  browser     text not null,
  created_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now(),
  expires_at  timestamptz not null,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index sessions_by_user on sessions (account_id, user_id);

-- Links in mails: single use, bound to the user and to the address they were sent to.
create table mailed_tokens (
  account_id    bigint not null,
  hash          bytea not null,
  purpose       text not null check (purpose in ('invitation', 'reset')),
  user_id       bigint not null,
  email_folded  text not null,
  created_at    timestamptz not null default now(),
  expires_at    timestamptz not null,
  primary key (account_id, hash),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index mailed_tokens_by_user on mailed_tokens (account_id, user_id, purpose);

-- Mails to send, or, without a mail server, to be read by the owner. Their bodies hold links that open doors, so they are sealed.
create table mails (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  recipient   text not null,
  subject     text not null,
  sealed      bytea not null,
  created_at  timestamptz not null default now(),
  sent_at     timestamptz,
  last_error  text,
  primary key (account_id, id)
);

-- How often a key, or an address without a valid one, has asked in the running window of each length. Not logged: after a crash
-- counting starts anew, and no request waits for the disk.
create unlogged table request_counts (
  subject   bytea not null,
  seconds   integer not null,
  number    bigint not null, -- of the window, counted from the epoch
  requests  integer not null,
  primary key (subject, seconds)
) with (fillfactor = 50);

-- Answers to requests that carried an Idempotency-Key.
create table idempotent_answers (
  account_id    bigint not null references accounts on delete cascade,
  subject       text not null, -- the key or the user who asked
  key           text not null,
  request_hash  bytea not null, -- keyed, so that nothing can be guessed from it
  sealed        bytea not null, -- the answer, which may hold a secret
  created_at    timestamptz not null default now(),
  primary key (account_id, subject, key)
);
create index idempotent_answers_by_age on idempotent_answers (created_at);

-- Who did what to whom, from where. Rows are added and never changed.
create table audit_log (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  at          timestamptz not null default now(),
  actor       text not null, -- as it was then: an e-mail address, "account key", "command line" or "nobody"
  user_id     bigint, -- of the actor; no reference, since what is written stays
  address     text not null,
  action      text not null,
  subject     text not null default '',
  detail      jsonb not null default '{}',
  primary key (account_id, id)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are only ever added', tg_table_name;
end $$;
create trigger audit_log_is_append_only before update or truncate on audit_log
  for each statement execute function refuse_change();
-- A delete is let through only where the account itself goes.
create trigger audit_log_keeps_rows before delete on audit_log
  for each row when (pg_trigger_depth() = 0) execute function refuse_change();
