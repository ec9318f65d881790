-- Webhooks that arrive: what has to be told to whom, and how each attempt went.

-- A subscription that ended stays for as long as the log of its deliveries does.
alter table webhooks add column ended_at timestamptz;
alter table webhooks drop constraint webhooks_account_id_list_id_event_target_url_key;
create unique index webhooks_living on webhooks (account_id, list_id, event, target_url) nulls not distinct where ended_at is null;

create table deliveries (
  account_id    bigint not null,
  id            bigint generated always as identity,
  webhook_id    bigint not null,
  event_id      bigint, -- what happened to a lead; null for calls, recordings and tests
  resource      text not null, -- path of the lead or call in the API
  state         text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts      integer not null default 0,
  next_at       timestamptz not null default now(), -- when it is tried; while under way, when another node may take it
  created_at    timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade,
  foreign key (account_id, event_id) references events (account_id, id) on delete cascade
) with (fillfactor = 70);
create index deliveries_waiting on deliveries (webhook_id, next_at, id) where state = 'waiting';
create index deliveries_by_webhook on deliveries (account_id, webhook_id, id);
create index deliveries_by_event on deliveries (account_id, event_id) where event_id is not null;
create index deliveries_by_age on deliveries (created_at);

create table delivery_attempts (
  account_id   bigint not null,
  delivery_id  bigint not null,
  attempt      integer not null,
  at           timestamptz(3) not null,
  status       integer, -- null: no answer came
  answer       text not null default '', -- its beginning
  error        text,
  ms           integer not null,
  primary key (account_id, delivery_id, attempt),
  foreign key (account_id, delivery_id) references deliveries (account_id, id) on delete cascade
);

-- What came by the API tells nobody. The program sees to it in one line; this is for the day that line is wrong.
create function refuse_telling_of_api() returns trigger language plpgsql as $$
begin
  if exists (select from told t join events e on e.account_id = t.account_id and e.id = t.event_id where e.via = 'api') then
    raise exception 'an event that came by the API is told to nobody';
  end if;
  return null;
end $$;
create trigger deliveries_of_events_inside after insert on deliveries
  referencing new table as told for each statement execute function refuse_telling_of_api();
