import type { EventKind } from '../../contract/events.ts';
import type { Actor } from '../platform/actor.ts';
import { asOne, lastly, settle, together, type Last, type Statement } from '../platform/db.ts';
import type { Tell, Told, Work } from '../platform/work.ts';

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
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id, created_at, lead_id, list_id`;

const RECORDED: Statement = { text: 'select id, created_at from event', values: [] };

type Recording = [actor: Actor, happening: Happening, doing: Statement[], following?: Statement[]];

/** The one way anything happens to a lead: what makes it so, the event of it, what follows from that, and what others are to be told, in one statement. */
export const record = (work: Work, ...recording: Recording): Promise<Recorded> =>
  settle(work.db, recordLast(work, ...recording));

/** The same where it is the last thing that the transaction does. */
export const recordLast = (work: Work, ...recording: Recording): Last<Recorded> =>
  lastly<Recorded, [Recorded[]]>(work.db, [recordingOf(work, ...recording)], ([[recorded]]) => recorded!);

/** The same before it is sent. */
export function recordingOf({ tell }: Work, ...[actor, happening, doing, following = []]: Recording): Statement {
  const { lead, kind, category, comment, changes } = happening;
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
  const told = telling(actor, tell, { accountId: actor.account.id, kind, comment: comment ?? '' });
  return asOne([...doing, event, ...following, ...told, RECORDED]);
}

const INSERT_MANY = `
  insert into events (account_id, lead_id, list_id, kind, user_id, via, changes)
  select $1, l.id, l.list_id, $2, $3, $4, $5 from done l returning id, lead_id, list_id`;

/** The same act on many leads: `doing` returns `id` and `list_id` of each it was done to. Answers how many. */
export async function recordMany(
  { db, tell }: Work,
  actor: Actor,
  { kind, changes = {} }: Pick<Happening, 'kind' | 'changes'>,
  doing: Statement,
): Promise<number> {
  const accountId = actor.account.id;
  const values = [accountId, kind, actor.user?.id ?? null, actor.via, JSON.stringify(changes)];
  const [counted] = await together<{ leads: number }>(db, [
    { ...doing, name: 'done' },
    { name: 'event', text: INSERT_MANY, values },
    ...telling(actor, tell, { accountId, kind, comment: '' }),
    { text: 'select count(*) as leads from event', values: [] },
  ]);
  return counted!.leads;
}

/** What came by the API tells nobody. */
const telling = ({ via }: Actor, tell: Tell, told: Told): Statement[] => (via === 'api' ? [] : [tell(told)]);

/** What happened to one lead happened to the other that it is merged into. */
export const moveEvents = (accountId: number, from: number, to: number): Statement => ({
  text: 'update events set lead_id = $3 where account_id = $1 and lead_id = $2',
  values: [accountId, from, to],
});

const REWORD = `
  update events set comment = $3, changes = changes || jsonb_build_object(
           'comment', jsonb_build_array(coalesce(changes -> 'comment' -> 0, to_jsonb(comment)), $3::text))
   where account_id = $1 and id = $2`;

/** Says something else from now on. What it said at first stays in its changes. */
export const rewordEvent = (accountId: number, id: number, comment: string): Statement => ({
  text: REWORD,
  values: [accountId, id, comment],
});

export const removeEvent = (accountId: number, id: number): Statement => ({
  text: 'delete from events where account_id = $1 and id = $2',
  values: [accountId, id],
});
