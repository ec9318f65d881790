-- The processes of this installation. A node says every few seconds that it lives; one that has been silent is gone.
-- Unlogged would lose them in a crash, which is right for the rows and wrong for `leadline move`: so a plain table.
create table nodes (
  id          bigint generated always as identity primary key,
  role        text not null check (role in ('serve', 'work')),
  host        text not null,
  pid         integer not null,
  version     text not null,
  started_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now()
);
