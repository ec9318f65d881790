-- So many attempts had been counted when someone asked for it once more: from there the plan of attempts begins anew.
alter table deliveries add column before_plan integer not null default 0;
