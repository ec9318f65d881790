import type { Right } from '../../contract/roles.ts';
import { recordLast, removeEvent, rewordEvent, type Recorded } from '../activity/record.ts';
import type { Actor } from '../platform/actor.ts';
import { one, query, together, type Last } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { invalid } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import { lockLead, refuseForeignClaim } from './access.ts';
import { touch } from './change.ts';
import { rememberWords } from './outcomes.ts';
import { saidVector } from './words.ts';

const RIGHT: Right = 'leads.outcome';

export async function addComment(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => string,
): Promise<Last<Recorded>> {
  const lead = await lockLead(work, actor, id, RIGHT);
  const comment = refuseEmpty(read());
  refuseForeignClaim(actor, lead, RIGHT);
  const account = actor.account.id;
  return recordLast(work, actor, { lead, kind: 'comment', comment }, [
    touch(account, lead.id),
    rememberWords(account, lead, comment),
  ]);
}

function refuseEmpty(comment: string): string {
  if (comment.trim() === '') throw invalid({ comment: ['must not be empty'] });
  return comment;
}

/** One's own comments only. What it said at first stays in its changes. */
export async function editComment(
  work: Work,
  actor: Actor,
  eventId: number | undefined,
  read: () => string,
): Promise<void> {
  const { account, event, lead } = await findOwn(work, actor, eventId);
  await together(work.db, [touch(account, lead.id), rewordEvent(account, event, refuseEmpty(read()))]);
  await rewordLead(work, account, lead);
}

export async function deleteComment(work: Work, actor: Actor, eventId: number | undefined): Promise<void> {
  const { account, event, lead } = await findOwn(work, actor, eventId);
  await together(work.db, [touch(account, lead.id), removeEvent(account, event)]);
  await rewordLead(work, account, lead);
}

const FIND_OWN = sql('leads/comments.find_own')`
  select id, lead_id from events where account_id = $1 and id = $2 and kind = 'comment' and user_id = $3`;

async function findOwn(work: Work, actor: Actor, eventId: number | undefined) {
  const account = actor.account.id;
  const values = [account, eventId ?? 0, actor.user?.id ?? 0];
  const event = await one<{ id: number; lead_id: number }>(work.db, FIND_OWN, values);
  const lead = await lockLead(work, actor, event.lead_id, RIGHT);
  refuseForeignClaim(actor, lead, RIGHT);
  return { account, event: event.id, lead };
}

// A lead about which more was said is found by what was said first: `saidVector` would not look at the rest.
const MOST_COMMENTS = 10_000;
const MOST_CHARACTERS = 1_000_000;

const SAID = sql('leads/comments.said')`
  select comment from (
    select id, comment, sum(length(comment)) over (order by id) - length(comment) as said_before from events
     where account_id = $1 and lead_id = $2 and comment <> '' order by id limit ${MOST_COMMENTS}) first
   where said_before < ${MOST_CHARACTERS} order by id`;

const REWORD = sql('leads/comments.reword')`
  update lead_data set said = $3 where account_id = $1 and lead_id = $2`;

/** What was said about a lead, from its comments as they are now. */
export async function rewordLead(
  { db }: Work,
  accountId: number,
  lead: { id: number; country: string },
): Promise<void> {
  const comments = await query<{ comment: string }>(db, SAID, [accountId, lead.id]);
  const vector = saidVector(
    comments.map(({ comment }) => comment),
    lead.country,
  );
  await query(db, REWORD, [accountId, lead.id, vector]);
}
