-- Calls as programs ask for them: of a list, of a person, by direction and how they ended, newest first.

alter table calls add column list_id bigint; -- where its lead is now; the two triggers below keep it

create function list_of_call() returns trigger language plpgsql as $$
begin
  -- Locked, so that a lead that is just being moved takes this call along, or has told already where it went.
  select l.list_id into new.list_id from leads l
   where l.account_id = new.account_id and l.id = new.lead_id for share;
  return new;
end $$;
create trigger calls_know_their_list before insert or update of lead_id on calls
  for each row execute function list_of_call();

create function move_calls() returns trigger language plpgsql as $$
begin
  update calls set list_id = new.list_id where account_id = new.account_id and lead_id = new.id;
  return null;
end $$;
create trigger calls_move_with_their_lead after update of list_id on leads
  for each row when (old.list_id <> new.list_id) execute function move_calls();

update calls c set list_id = l.list_id from leads l where l.account_id = c.account_id and l.id = c.lead_id;

-- By direction and disposition first: each combination is a stretch in the order of time, and a page is put together from the newest of
-- those that are asked for. Led by the time, a rare disposition would be looked for among all calls.
create index calls_by_kind on calls (account_id, direction, disposition, started_at, id);
create index calls_by_list on calls (account_id, list_id, direction, disposition, started_at, id)
  where list_id is not null;
-- As before, with the id: pages continue after it.
create index calls_by_user_and_time on calls (account_id, user_id, started_at, id) where user_id is not null;
drop index calls_by_user;
create index calls_by_colleague on calls (account_id, offered_to) where offered_to is not null;
