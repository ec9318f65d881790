-- When someone last went on with a file that was not imported yet: brought a chunk of it, or said what becomes of it.
alter table imports add went_on_at timestamptz(3) not null default now();

-- Whose the parts of import_chunks, import_rows and import_checked are, for as long as they are there: also where the import was discarded.
create table import_parts (
  account_id  bigint not null references accounts on delete cascade,
  import_id   bigint not null,
  primary key (account_id, import_id)
);
insert into import_parts select account_id, id from imports where staged;
