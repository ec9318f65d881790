-- Leads as a file: what someone asked for, until it is fetched.
create table exports (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  user_id     bigint not null, -- who asked, and alone may fetch it
  asked       jsonb not null, -- as contract/exports.ts has it
  created_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index exports_by_user on exports (account_id, user_id);
create index exports_past on exports (created_at);
