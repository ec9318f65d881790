import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { beginOf, endOf, fillAnswer, refuseTooLarge, type Filling, type Page } from '../platform/paging.ts';
import { isoOf } from '../platform/times.ts';
import type { Reading, Work } from '../platform/work.ts';

export type Action =
  | 'account.created'
  | 'account.changed'
  | 'list.created'
  | 'list.copied'
  | 'list.changed'
  | 'list.paused'
  | 'list.resumed'
  | 'list.archived'
  | 'list.unarchived'
  | 'list.deleted'
  | 'list.restored'
  | 'lead.deleted'
  | 'lead.restored'
  | 'leads.export_begun'
  | 'leads.exported'
  | 'bulk.begun'
  | 'bulk.stopped'
  | 'bulk.undone'
  | 'import.begun'
  | 'import.stopped'
  | 'import.finished'
  | 'import.undone'
  | 'session.started'
  | 'session.refused'
  | 'session.ended'
  | 'password.changed'
  | 'password.reset'
  | 'key.shown'
  | 'key.replaced'
  | 'key.revoked'
  | 'user.invited'
  | 'user.accepted'
  | 'user.changed'
  | 'user.disabled'
  | 'user.enabled'
  | 'invitation.withdrawn'
  | 'invitation.shown'
  | 'owner.reset';

const WRITE = sql('audit/audit.write')`
  insert into audit_log (account_id, actor, user_id, address, action, subject, detail)
   values ($1, $2, $3, $4, $5, $6, $7)`;

/** Writes down who did it, from where. Rows are never changed; a trigger sees to that. */
export async function audit(
  work: Work,
  actor: Actor,
  action: Action,
  subject = '',
  detail: object = {},
): Promise<void> {
  const { account, name, user, address } = actor;
  await query(work.db, WRITE, [account.id, name, user?.id ?? null, address, action, subject, JSON.stringify(detail)]);
}

const PAGE = sql('audit/audit.page')`${fillAnswer(
  `select a.*, octet_length(a.subject) + octet_length(a.detail) + 200 as bytes from (
     select id, ${isoOf('at')} as at, actor, address, action, subject, detail::text as detail from audit_log
      where account_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3 offset $4) a`,
  'id desc',
)}`;
const TOTAL = sql('audit/audit.total')`select count(*) as total from audit_log where account_id = $1`;

type Row = { id: number; at: string; actor: string; address: string; action: string; subject: string; detail: string };

/** Newest first, as JSON. */
export async function listAudit({ db }: Reading, actor: Actor, page: Page) {
  const { before, offset } = beginOf(page);
  const account = actor.account.id;
  const [rows, [counted]] = await Promise.all([
    query<Row & Filling>(db, PAGE, [account, before, page.size, offset]),
    query<{ total: number }>(db, TOTAL, [account]),
  ]);
  refuseTooLarge(rows);
  const entries = rows.map(({ id, at, actor: who, address, action, subject, detail }) => {
    const entry = JSON.stringify({ id, at, actor: who, address, action, subject });
    return `${entry.slice(0, -1)},"detail":${detail}}`;
  });
  return { json: `[${entries.join(',')}]`, total: counted!.total, end: endOf(rows, page) };
}
