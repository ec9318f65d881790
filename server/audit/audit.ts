import type { Actor } from '../platform/actor.ts';
import { beginOf, endOf, type Page } from '../platform/paging.ts';
import type { Reading, Work } from '../platform/work.ts';

export type Action =
  | 'account.created'
  | 'account.changed'
  | 'list.changed'
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
  | 'invitation.withdrawn';

/** Writes down who did it, from where. Rows are never changed; a trigger sees to that. */
export async function audit(
  work: Work,
  actor: Actor,
  action: Action,
  subject = '',
  detail: object = {},
): Promise<void> {
  await work.db
    .insertInto('audit_log')
    .values({
      account_id: actor.account.id,
      actor: actor.name,
      user_id: actor.user?.id ?? null,
      address: actor.address,
      action,
      subject,
      detail: JSON.stringify(detail),
    })
    .execute();
}

/** Newest first. */
export async function listAudit({ db }: Reading, actor: Actor, page: Page) {
  const { before, offset } = beginOf(page);
  const own = db.selectFrom('audit_log').where('account_id', '=', actor.account.id);
  const { total } = await own.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await own
    .select(['id', 'at', 'actor', 'address', 'action', 'subject', 'detail'])
    .$if(before !== null, (query) => query.where('id', '<', before!))
    .offset(offset)
    .orderBy('id', 'desc')
    .limit(page.size)
    .execute();
  const entries = rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  return { entries, total, end: endOf(rows, page) };
}
