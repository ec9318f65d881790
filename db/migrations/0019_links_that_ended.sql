-- A mail is of no use once the link in it has ended: used, withdrawn, or too old. It is not sent then, nor shown in the outbox.
alter table mails add column ends_at timestamptz not null default 'infinity';

update mails m set ends_at = case when m.subject like 'A new password for %' then m.created_at + interval '1 hour'
                                  else m.created_at + interval '72 hours' end
 where m.sent_at is null;
update mails m set ends_at = m.created_at
  from users u
 where m.sent_at is null and u.account_id = m.account_id and u.email_folded = lower(m.recipient)
   and u.accepted_at >= m.created_at;
