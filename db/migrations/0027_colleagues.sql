-- Calls between colleagues, and those that one passes on to another.

-- Either may let the other wait: on_hold is of whose call it is, this of the one who answered.
alter table calls add column on_hold_by_other boolean not null default false;

-- A call that was passed on to a colleague is theirs once they have it: one at a time, as all others.
drop index calls_one_an_agent;
create unique index calls_one_an_agent on calls (account_id, user_id)
  where state <> 'completed' and user_id is not null
    and (direction not in ('automated', 'transfer') or user_id = offered_to);
-- What became of a call that someone passed on.
create index calls_passed_on on calls (account_id, transfer_of) where transfer_of is not null;
