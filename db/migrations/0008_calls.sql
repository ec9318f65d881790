-- The telephone: what a carrier reported, what is wanted of it, recordings, texts.

-- What is done by one node for all, until it stops or falls silent.
create table leases (
  name        text primary key,
  node_id     bigint not null,
  expires_at  timestamptz not null
);

alter table accounts
  add column caller_number         text, -- shown to those who are called, unless the list has its own
  add column caller_name           text,
  add column record_calls          boolean not null default true,
  add column recordings_keep_days  integer check (recordings_keep_days between 1 and 3650); -- null: for ever
alter table lists
  add column caller_number  text,
  add column caller_name    text;

alter table users add column page_seen_at timestamptz; -- a page of theirs was last connected

-- A call is wanted before it is made: whoever holds the line looks for what is wanted and asks the carrier for it.
alter table calls
  add column carrier            text, -- null: never on a line
  add column carrier_call_id    text,
  add column recorded           boolean not null default false, -- whether it is to be
  add column offered_to         bigint, -- the colleague who is called
  add column transfer_of        bigint, -- the call that ends when this one is answered
  add column dialled_at         timestamptz(3), -- when the carrier was asked
  add column rang_at            timestamptz not null default now(), -- by our own clock, whatever the carrier's says
  add column taken_at           timestamptz(3), -- when someone answered a call that came in
  add column declined_by        bigint[] not null default '{}',
  add column hang_up_at         timestamptz(3), -- when someone wanted it to end
  add column voicemail          boolean not null default false, -- the agent says that a machine answered
  add column page_seen_at       timestamptz, -- the agent's page was last connected; null: it never was
  add column told_at            timestamptz, -- of new_call
  add column recording_told_at  timestamptz;
-- What was called before is not told now.
update calls set told_at = now();
create unique index calls_by_carrier on calls (carrier, carrier_call_id);
create unique index calls_one_transfer on calls (account_id, transfer_of) where state <> 'completed' and transfer_of is not null;
create index calls_open on calls (account_id, id) where state <> 'completed';
-- One at a time; nobody talks on automated calls, nor any more on those that were passed on.
create unique index calls_one_an_agent on calls (account_id, user_id)
  where state <> 'completed' and user_id is not null and direction not in ('automated', 'transfer');

-- What carriers said, as they said it. They repeat themselves, come late and overtake each other.
create table carrier_reports (
  account_id   bigint not null references accounts on delete cascade,
  id           bigint generated always as identity,
  carrier      text not null,
  subject      text not null, -- the carrier's id of the call or text
  key          text not null, -- the same when it is repeated
  report       jsonb not null,
  received_at  timestamptz not null default now(),
  primary key (account_id, id),
  unique (carrier, subject, key)
);
create index carrier_reports_by_age on carrier_reports (received_at);

create table recordings (
  account_id  bigint not null,
  id          bigint generated always as identity,
  call_id     bigint not null,
  part        text not null, -- the carrier's name for it
  started_at  timestamptz(3) not null,
  file        text, -- where it waits to be stored, on this host:
  host        text not null,
  ready_at    timestamptz, -- when it could be fetched
  removed_at  timestamptz, -- when its time was over
  primary key (account_id, id),
  unique (account_id, call_id, part),
  foreign key (account_id, call_id) references calls (account_id, id) on delete cascade
);
create unique index recordings_by_id on recordings (id); -- their links name no account
create index recordings_waiting on recordings (id) where file is not null;
create index recordings_by_age on recordings (account_id, started_at) where removed_at is null;

create table texts (
  account_id       bigint not null references accounts on delete cascade,
  id               bigint generated always as identity,
  direction        text not null check (direction in ('outbound', 'inbound')),
  state            text not null check (state in ('queued', 'sent', 'delivered', 'failed', 'received')),
  lead_id          bigint,
  user_id          bigint,
  event_id         bigint,
  number           text not null, -- theirs
  own_number       text,
  body             text not null,
  error            text,
  carrier          text,
  carrier_text_id  text,
  created_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete set null (lead_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete set null (user_id),
  foreign key (account_id, event_id) references events (account_id, id) on delete set null (event_id)
);
create unique index texts_by_carrier on texts (carrier, carrier_text_id);
create index texts_queued on texts (id) where state = 'queued';
create index texts_by_lead on texts (account_id, lead_id, id) where lead_id is not null;
create index texts_by_event on texts (account_id, event_id) where event_id is not null;
create index texts_by_user on texts (account_id, user_id) where user_id is not null;

-- Numbers that asked for no more texts.
create table opt_outs (
  account_id  bigint not null references accounts on delete cascade,
  number      text not null,
  since       timestamptz not null default now(),
  primary key (account_id, number)
);

-- What is to happen on the simulated line.
create table simulations (
  account_id  bigint not null references accounts on delete cascade,
  id          bigint generated always as identity,
  happening   jsonb not null,
  wanted_at   timestamptz not null default now(),
  primary key (account_id, id)
);
