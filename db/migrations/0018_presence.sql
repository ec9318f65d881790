-- Who ended a call, and how agents spend their time.

-- Null of calls that ended before this was kept.
alter table calls add column ended_by text check (ended_by in (
  'agent', -- whose call it is
  'other', -- the other end
  'line', -- it failed, or was lost with its node
  'nobody')); -- it rang out, or the agent's page was gone

alter table accounts add column away_reasons text[] not null default '{Break,Lunch,Meeting,Training}';

alter table users
  add column away_reason  text, -- null: not away
  add column away_since   timestamptz(3),
  add check ((away_reason is null) = (away_since is null));

-- What each agent was doing from when to when, as far as a page of theirs gave signs of life.
create table presences (
  account_id  bigint not null,
  id          bigint generated always as identity,
  user_id     bigint not null,
  doing       text not null check (doing in ('ready', 'calling', 'on_call', 'wrapping_up', 'away')),
  reason      text, -- of being away
  began_at    timestamptz(3) not null default now(),
  seen_at     timestamptz(3) not null default now(), -- the last sign of life
  ended_at    timestamptz(3), -- null: it goes on
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create unique index presences_one_each on presences (account_id, user_id) where ended_at is null;
create index presences_by_user on presences (account_id, user_id, began_at);
create index presences_open on presences (seen_at) where ended_at is null;
