import type { EventKind } from '../../contract/events.ts';
import type { Actor } from '../platform/actor.ts';
import { together, type Statement } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';

/** What happened to a lead. `changes` are names → before and after. */
export type Happening = {
  lead: { id: number; list_id: number };
  kind: EventKind;
  category?: string | null;
  comment?: string;
  changes?: Record<string, [before: unknown, after: unknown]>;
};

export type Recorded = { id: number; created_at: Date };

const INSERT = `
  insert into events (account_id, lead_id, list_id, kind, category, comment, user_id, via, changes)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id, created_at`;

const RECORDED: Statement = { text: 'select id, created_at from event', values: [] };

/** The one way anything happens to a lead: what makes it so, the event of it, and what others are to be told, in one statement. */
export async function record(
  { db, tell }: Work,
  actor: Actor,
  { lead, kind, category, comment, changes }: Happening,
  doing: Statement[],
): Promise<Recorded> {
  const values = [
    actor.account.id,
    lead.id,
    lead.list_id,
    kind,
    category ?? null,
    comment ?? '',
    actor.user?.id ?? null,
    actor.via,
    JSON.stringify(changes ?? {}),
  ];
  const event: Statement = { name: 'event', text: INSERT, values };
  // What came by the API tells nobody.
  const telling =
    actor.via === 'api' ? [] : [tell({ accountId: actor.account.id, lead, kind, comment: comment ?? '' })];
  const [recorded] = await together<Recorded>(db, [...doing, event, ...telling, RECORDED]);
  return recorded!;
}
