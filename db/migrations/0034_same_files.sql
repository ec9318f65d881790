-- Whether a file was imported before is asked of each that is told.
create index imports_by_digest on imports (account_id, digest) where begun_at is not null;
