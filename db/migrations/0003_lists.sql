-- Lists with all their parameters, and their columns.

alter table lists
  add column description                  text not null default '', -- the call script
  add column categories                   jsonb not null default '{}', -- kind of event → names, in their order
  add column prepend_phone                text, -- null: no; 'account': the account's prefix; else the prefix itself
  add column inline_identifiers           boolean not null default false,
  add column show_avatars                 boolean not null default false,
  add column locked_on_defaults           boolean not null default false,
  add column queue_new_before_call_backs  boolean not null default false,
  add column queue_new_before_due         boolean not null default false,
  add column duplicates_match_on_phone    boolean not null default true,
  add column duplicates_match_on_email    boolean not null default true,
  add column duplicates_match_on          text not null default ''; -- key or label of one more column, as given

create table list_columns (
  account_id  bigint not null,
  id          bigint generated always as identity,
  list_id     bigint not null,
  position    integer not null,
  key         text not null,
  label       text not null,
  kind        text not null,
  visible     boolean not null default true,
  required    boolean not null default false,
  options     text[] not null default '{}',
  locked      boolean not null default false, -- a default field that the list guarantees
  primary key (account_id, id),
  unique (account_id, list_id, key),
  unique (account_id, list_id, position),
  foreign key (account_id, list_id) references lists (account_id, id) on delete cascade
);

-- How many leads a list has in each state and category, kept in the transaction that changes a lead. Spread over shards, of which a
-- transaction takes any: one row a state would make all agents of a list wait for each other.
create table lead_counts (
  account_id  bigint not null,
  list_id     bigint not null,
  state       text not null,
  category    text not null default '', -- '': none
  shard       smallint not null,
  leads       bigint not null, -- of this shard; may be below zero, the sum never is
  primary key (account_id, list_id, state, category, shard),
  foreign key (account_id, list_id) references lists (account_id, id) on delete cascade
) with (fillfactor = 50);
