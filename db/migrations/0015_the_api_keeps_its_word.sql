-- Whoever sees some lists alone finds those that share a mark there, however many share it elsewhere. Written anew: to change every row would
-- take longer, and leave the table twice as large.
create table marks (
  account_id  bigint not null,
  mark        text not null,
  lead_id     bigint not null,
  list_id     bigint not null -- as in lead_data
);
insert into marks (account_id, mark, lead_id, list_id)
select m.account_id, m.mark, m.lead_id, d.list_id
  from lead_marks m join lead_data d on d.account_id = m.account_id and d.lead_id = m.lead_id
 order by 1, 2, 3;
drop table lead_marks;
alter table marks rename to lead_marks;
alter table lead_marks add constraint lead_marks_pkey primary key (account_id, mark, lead_id);
create index lead_marks_by_list on lead_marks (account_id, list_id, mark, lead_id);
analyze lead_marks;

-- Leads that were merged into another, and which one that is: the one that stays in the end, never one that was merged itself.
create table merged_leads (
  account_id   bigint not null,
  lead_id      bigint not null,
  survivor_id  bigint not null,
  primary key (account_id, lead_id),
  foreign key (account_id, survivor_id) references leads (account_id, id) on delete cascade
);
create index merged_leads_by_survivor on merged_leads (account_id, survivor_id);
-- The events of a lead that is merged become the other's, so those of a chain are with its last.
insert into merged_leads (account_id, lead_id, survivor_id)
select distinct on (e.account_id, gone.id) e.account_id, gone.id, e.lead_id
  from events e
 cross join lateral (select (e.changes -> 'merged' ->> 0)::bigint as id
                      where jsonb_typeof(e.changes -> 'merged' -> 0) = 'number') gone
 where e.kind = 'merge' and not exists (select from leads l where l.account_id = e.account_id and l.id = gone.id)
 order by e.account_id, gone.id, e.id desc;

-- A recording is told to its list when it is known which that is. What was told before counts as told to both; what is still to be is not.
alter table calls add column recording_told_to_list_at timestamptz default now();
alter table calls alter column recording_told_to_list_at drop default;
update calls c set recording_told_to_list_at = null
 where c.recording_told_at is null
   and (c.state <> 'completed' or exists (select from recordings r where r.account_id = c.account_id
     and r.call_id = c.id and r.file is not null));
