-- Files with leads that people upload, and what becomes of their rows.

create table imports (
  account_id   bigint not null references accounts on delete cascade,
  id           bigint generated always as identity,
  user_id      bigint not null, -- who uploaded it
  via          text not null default 'app',
  address      text not null default '', -- where they did so from
  file_name    text not null,
  bytes        bigint not null, -- of the whole file, as it was announced
  received     bigint not null default 0, -- of them, those that are here
  digest       text, -- of all that is in it, once it is here: by it a file is known again
  state        text not null default 'uploading' check (
    state in ('uploading', 'reading', 'checking', 'checked', 'running', 'finished', 'undoing', 'undone', 'refused')),
  refusal      text, -- why the file cannot be read, in a sentence
  list_id      bigint, -- into which; null: into a new one, which is made when it runs
  list_name    text not null default '', -- as it was called then
  how_read     jsonb, -- encoding, delimiter and so on, as contract/imports.ts has it; null: not looked at yet
  sheets       text[] not null default '{}', -- of a workbook
  columns      jsonb not null default '[]', -- the file's: names and first values
  headings     text, -- digest of their names: by it a file is matched as the last one of its kind was
  plan         jsonb, -- what becomes of columns and rows, as contract/imports.ts has it
  version      int not null default 1, -- moves on with each change of how_read and plan
  goes_on      boolean not null default false, -- it was running when its list changed: it does so again once its rows are checked anew
  shape        text, -- digest of what rows were checked by: fields and rules of the list
  rows         bigint not null default 0, -- read so far, without the heading
  last_row     bigint not null default 0, -- number of the last one, counted as spreadsheets do
  checked_to   bigint not null default 0, -- the last row that was checked
  counts       jsonb not null default '{}', -- what was found, as contract/imports.ts has it
  done_to      bigint not null default 0, -- the last row that had its turn
  done         bigint not null default 0, -- how many had
  made         bigint not null default 0, -- leads
  updated      bigint not null default 0,
  left_out     bigint not null default 0, -- as duplicates, when their turn came
  undone_to    bigint not null default 0, -- the last lead that an undo came to
  removed      bigint not null default 0, -- by the undo
  put_back     bigint not null default 0,
  kept         bigint not null default 0, -- someone had changed them since
  created_at   timestamptz(3) not null default now(),
  received_at  timestamptz(3), -- all of it
  begun_at     timestamptz(3),
  stopped_at   timestamptz(3), -- what is in stays in
  finished_at  timestamptz(3),
  undo_begun_at timestamptz(3),
  undone_at    timestamptz(3),
  staged       boolean not null default true, -- whether chunks and rows are still here
  taken_by     text, -- which process reads and checks it: what it read ahead is of use to none else
  taken_at     timestamptz(3), -- when it last said so
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, list_id) references lists (account_id, id) on delete set null (list_id)
) with (fillfactor = 50);
create index imports_under_way on imports (account_id, id) where state in ('reading', 'checking', 'running', 'undoing');
create index imports_by_list on imports (account_id, list_id);

-- What was uploaded, as it came; then its rows as they stand in the file; then what each becomes. Each import has a part of its own of
-- these three, which goes as a whole. Logged, so that nothing is lost with a server.
create table import_chunks (
  import_id  bigint not null,
  place      int not null, -- counted from 0; each but the last is as long as contract/imports.ts says
  digest     text not null,
  bytes      bytea not null,
  primary key (import_id, place)
) partition by list (import_id);
alter table import_chunks alter column bytes set storage external;

create table import_rows (
  import_id  bigint not null,
  row        bigint not null, -- as spreadsheets count: the heading is 1
  cells      json not null, -- array of texts
  fault      text, -- why the row as such cannot be read
  primary key (import_id, row)
) partition by list (import_id);

create table import_checked (
  import_id  bigint not null,
  row        bigint not null,
  data       jsonb not null default '{}', -- as in lead_data
  words      tsvector not null default '',
  marks      text[] not null default '{}',
  besides    jsonb, -- what else was matched: id, state, category, due, claimed_by, comment
  fault      text, -- why it cannot be imported
  faulty_at  int, -- the place of the column in the file that is at fault
  here       boolean not null default false, -- a lead of the list is the same
  elsewhere  boolean not null default false, -- one of another list is
  twice      boolean not null default false, -- a row before it is
  primary key (import_id, row)
) partition by list (import_id);

-- Which leads an import made or changed, for as long as the installation knows the import.
create table import_leads (
  account_id  bigint not null,
  import_id   bigint not null,
  lead_id     bigint not null, -- no foreign key: it would be looked up for each row, and the lead may be gone
  row         bigint not null,
  before      jsonb, -- what undoing puts back; null: the import made it
  left_at     timestamptz(3) not null, -- when it was last updated, as the import left it
  kept        text, -- why an undo left it as it is
  primary key (account_id, import_id, lead_id)
);
