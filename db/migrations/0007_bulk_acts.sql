-- One act on many leads, done bit by bit in the background.

create table bulk_acts (
  account_id   bigint not null references accounts on delete cascade,
  id           bigint generated always as identity,
  kind         text not null check (kind in ('delegate', 'migrate', 'archive', 'delete')),
  asked        jsonb not null, -- what the act takes, as for one lead
  lead_ids     bigint[] not null,
  position     integer not null default 0, -- how many of them have had their turn; moves in the transaction of what was done to them
  refused      jsonb not null default '[]', -- lead → why, of the first hundred
  refusals     integer not null default 0,
  user_id      bigint not null, -- on whose behalf
  via          text not null,
  created_at   timestamptz(3) not null default now(),
  finished_at  timestamptz(3),
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index bulk_acts_by_user on bulk_acts (account_id, user_id);
