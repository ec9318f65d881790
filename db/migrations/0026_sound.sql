-- The sound of calls: which page is whose telephone, what it offers and is answered, and what is wanted of a call while one talks.

-- One telephone a person, across tabs, browsers and nodes.
create table phones (
  account_id  bigint not null references accounts on delete cascade,
  user_id     bigint not null,
  page        uuid not null, -- as it calls itself
  node_id     bigint not null, -- where its socket is
  left_at     timestamptz, -- when that closed; null while it is open
  call_id     bigint, -- what the offer is for
  offer_no    bigint, -- as the page counts them
  offer       text, -- null when it is answered
  answer_no   bigint,
  answer      text,
  fault       text, -- why there is no answer
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index phones_unanswered on phones (account_id, user_id) where offer is not null;

alter table calls
  add column on_hold           boolean not null default false,
  add column recording_paused  boolean not null default false,
  add column digits            text, -- to be sent; gone when they are
  add column announced         boolean not null default false, -- both hear first that it is recorded
  add column asked             boolean not null default false, -- a transfer before which one talks to whoever is to get it
  add column handed_over_at    timestamptz(3); -- when one had asked

alter table accounts add column announce_recording boolean not null default false;

alter table recordings add column gaps jsonb not null default '[]'; -- of pauses, [{"from": 1.5, "to": 4}] in seconds
