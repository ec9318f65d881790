-- Leads that somebody brought back, for as long as pages may have to hear of it: it is no event of theirs.
create table leads_brought_back (
  account_id       bigint not null,
  lead_id          bigint not null,
  list_id          bigint not null,
  brought_back_at  timestamptz(3) not null default now(),
  primary key (account_id, lead_id),
  foreign key (account_id, lead_id) references leads (account_id, id) on delete cascade
);
create index leads_brought_back_newest on leads_brought_back (account_id, brought_back_at, lead_id);
