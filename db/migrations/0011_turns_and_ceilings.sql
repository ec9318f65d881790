-- Work that is done in turns, fair between accounts; and how often an account calls and writes.

alter table bulk_acts add column unknown integer not null default 0; -- ids that named no lead when it began: refused at once, not in lead_ids
create index bulk_acts_waiting on bulk_acts (account_id, user_id, id) where finished_at is null;

alter table mails
  add column attempts  integer not null default 0, -- that failed
  add column due_at    timestamptz not null default now(); -- of the next attempt; ahead while someone makes one
create index mails_waiting on mails (account_id, recipient, id) where sent_at is null;

-- Someone says that they forgot their password. Gone as soon as it was looked at, whether there is such a user or not.
create table reset_requests (
  account_id    bigint not null references accounts on delete cascade,
  email_folded  text not null,
  asked_at      timestamptz not null default now(),
  primary key (account_id, email_folded)
);

-- Null: no ceiling. A day is the last 24 hours.
alter table accounts
  add column most_automated_calls  integer default 10 check (most_automated_calls between 1 and 1000), -- at once
  add column most_calls_a_number   integer default 10 check (most_calls_a_number between 1 and 1000), -- a day
  add column most_texts_a_number   integer default 10 check (most_texts_a_number between 1 and 1000), -- a day
  add column most_calls_a_day      integer check (most_calls_a_day between 1 and 1000000),
  add column most_texts_a_day      integer check (most_texts_a_day between 1 and 1000000);

-- The digits by which the number counts, however it was written; null for what is not counted: calls that came in, calls of colleagues.
alter table calls add column counted_as text;
create index calls_counted on calls (account_id, counted_as, started_at) where counted_as is not null;
create index calls_counted_by_time on calls (account_id, started_at) where counted_as is not null;
alter table texts add column counted_as text;
create index texts_counted on texts (account_id, counted_as, created_at) where counted_as is not null;
create index texts_counted_by_time on texts (account_id, created_at) where counted_as is not null;
