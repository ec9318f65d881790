-- What is true of the whole installation: one row, written by the first start.
create table installation (
  alone    boolean primary key default true check (alone),
  sealed   bytea not null, -- a known text: whoever cannot open it has another SECRET_KEY
  made_at  timestamptz not null default now()
);
