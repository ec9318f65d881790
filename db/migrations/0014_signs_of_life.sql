-- Who has something in hand is known by who is alive, not by a time: where a clock is set back, a time ahead lasts for ever.

-- Whoever holds one holds it until they let go or are gone.
alter table leases drop column expires_at;

alter table nodes add column folder text; -- where it keeps recordings, by the name that folder has given itself; null: in a bucket

-- Taken on by a node: nobody else's until it is noted, given back, or that node is gone.
alter table deliveries add column taken_by bigint;
drop index deliveries_waiting;
create index deliveries_waiting on deliveries (webhook_id, next_at, id) where state = 'waiting' and taken_by is null;
create index deliveries_taken on deliveries (taken_by) where taken_by is not null;

-- A machine may get another name; a folder keeps the one it has given itself. Null: nobody has said yet that it waits there.
alter table recordings
  drop column host,
  add column folder     text,
  add column noted_at   timestamptz not null default now(), -- when we heard of it
  add column error      text, -- why it is not stored, or was lost
  add column failed_at  timestamptz; -- since when
update recordings set file = regexp_replace(file, '^.*/', '') where file is not null;
-- Those that were lost, and those of which nobody has said yet what to do.
create index recordings_in_trouble on recordings (account_id) where error is not null;
