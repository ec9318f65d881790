-- What a recording looks like, so that a page can draw it before it is fetched.
alter table recordings
  add column seconds  real, -- how long it is
  add column peaks    bytea; -- how loud each of 480 moments is, a byte each, channel after channel; null: not measured yet, empty: cannot be
create index recordings_unmeasured on recordings (id) where peaks is null and ready_at is not null and removed_at is null;
