-- What was deleted last in an account, whatever others have deleted.
create index deleted_leads_newest on deleted_leads (account_id, deleted_at, lead_id);
