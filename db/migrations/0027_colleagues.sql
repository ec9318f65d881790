-- Between colleagues either may let the other wait: on_hold is of whose call it is, this of the one who answered.
alter table calls add column on_hold_by_other boolean not null default false;
