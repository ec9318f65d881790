-- When the line last said what became of a text, for as long as pages may have to hear of it: it is no event of its lead.
alter table texts add column told_at timestamptz(3);
create index texts_told on texts (account_id, told_at) where told_at is not null;
