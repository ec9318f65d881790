-- What someone did today is read with every outcome, so their history must not be.
create index events_by_user_and_time on events (account_id, user_id, created_at) where user_id is not null;
drop index events_by_user;
