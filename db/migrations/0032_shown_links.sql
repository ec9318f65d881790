-- The link of an invitation was shown to someone who may not give every role: it ends where its user is given another one.
alter table mailed_tokens add column shown_at timestamptz;
