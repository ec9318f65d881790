import type { EventKind } from '../../contract/events.ts';
import type { Actor } from '../platform/actor.ts';
import { asOne, lastly, settle, together, type Last, type Statement } from '../platform/db.ts';
import { sql, type MadeOf } from '../platform/sql.ts';
import type { Tell, Told, Work } from '../platform/work.ts';

/** What happened to a lead. `changes` are names → before and after. */
export type Happening = {
  lead: { id: number; list_id: number };
  kind: EventKind;
  category?: string | null;
  comment?: string;
  changes?: Record<string, [before: unknown, after: unknown]>;
  /** Nobody is told of it: it takes back what they were told. */
  silently?: true;
};

export type Recorded = { id: number; created_at: Date };

const INSERT = sql('activity/record.insert')`
  insert into events (account_id, lead_id, list_id, kind, category, comment, user_id, via, changes)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id, created_at, lead_id, list_id`;

/** What stands for the events that a statement writes, where another refers to them. */
export const EVENT = { event: 'select id, created_at, lead_id, list_id from events' };

const RECORDED = sql('activity/record.recorded', EVENT)`select id, created_at from event`;

type Recording = [actor: Actor, happening: Happening, doing: Statement[], following?: Statement[]];

/** The one way anything happens to a lead: what makes it so, the event of it, what follows from that, and what others are to be told, in one statement. */
export const record = (work: Work, ...recording: Recording): Promise<Recorded> =>
  settle(work.db, recordLast(work, ...recording));

/** The same where it is the last thing that the transaction does. */
export const recordLast = (work: Work, ...recording: Recording): Last<Recorded> =>
  lastly<Recorded, [Recorded[]]>(work.db, [recordingOf(work, ...recording)], ([[recorded]]) => recorded!);

/** The same before it is sent. */
export function recordingOf(
  { tell }: Work,
  ...[actor, happening, doing, following = []]: Recording
): Statement<MadeOf<Recorded>> {
  const { lead, kind, category, comment, changes, silently } = happening;
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
  const told = silently ? [] : telling(actor, tell, { accountId: actor.account.id, kind, comment: comment ?? '' });
  return asOne([...doing, event, ...following, ...told, { text: RECORDED, values: [] }]);
}

const INSERT_MANY = sql('activity/record.insert_many', { done: 'select id, list_id from leads' })`
  insert into events (account_id, lead_id, list_id, kind, user_id, via, changes)
  select $1, l.id, l.list_id, $2, $3, $4, $5 from done l returning id, lead_id, list_id`;

const COUNTED = sql('activity/record.counted', EVENT)`select count(*) as leads from event`;

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
    { text: COUNTED, values: [] },
  ]);
  return counted!.leads;
}

/** Comments that come with leads, rows `given (id, comment)` of the same statement, in the account `$1` and the list `$2`. Nobody is told. */
export const commentOnGiven = (user: string, via: string): string => `
  insert into events (account_id, lead_id, list_id, kind, comment, user_id, via)
  select $1, id, $2, 'comment', comment, ${user}::bigint, ${via}::text from given where comment <> '' order by id`;

/** What came by the API tells nobody. */
const telling = ({ via }: Actor, tell: Tell, told: Told): Statement[] => (via === 'api' ? [] : [tell(told)]);

const MOVE = sql('activity/record.move')`
  update events set lead_id = $3 where account_id = $1 and lead_id = $2`;

/** What happened to one lead happened to the other that it is merged into. */
export const moveEvents = (accountId: number, from: number, to: number): Statement => ({
  text: MOVE,
  values: [accountId, from, to],
});

const REWORD = sql('activity/record.reword')`
  update events set comment = $3, changes = changes || jsonb_build_object(
           'comment', jsonb_build_array(coalesce(changes -> 'comment' -> 0, to_jsonb(comment)), $3::text))
   where account_id = $1 and id = $2`;

/** Says something else from now on. What it said at first stays in its changes. */
export const rewordEvent = (accountId: number, id: number, comment: string): Statement => ({
  text: REWORD,
  values: [accountId, id, comment],
});

const REMOVE = sql('activity/record.remove')`delete from events where account_id = $1 and id = $2`;

export const removeEvent = (accountId: number, id: number): Statement => ({
  text: REMOVE,
  values: [accountId, id],
});
