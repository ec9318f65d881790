-- A session ends thirty days after it began, whatever is done with it, and its cookie is renewed while it lasts. One that goes with the browser
-- must not be: of those that exist nobody knows which they are, so their cookies stay as they were given.
alter table sessions add column kept boolean not null default false;
update sessions set expires_at = created_at + interval '30 days' where expires_at > created_at + interval '30 days';
