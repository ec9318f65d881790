-- When a lead comes back that got a call back without a time, and after how many tries it is archived.

alter table lists add column retries jsonb not null default '{}'; -- call-back category → where it differs from the default
alter table calls add column nobody boolean not null default false; -- the agent says that nobody was reached

-- As before, with the id: tries are counted from the newest call back to the last in which someone was reached.
create index calls_by_lead_and_id on calls (account_id, lead_id, id) where lead_id is not null;
drop index calls_by_lead;
alter index calls_by_lead_and_id rename to calls_by_lead;
