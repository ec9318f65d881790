import type { CategoryKind } from '../../contract/lists.ts';
import type { Outcome } from '../../contract/leads.ts';
import { STATES, type State } from '../../contract/states.ts';
import { recordLast, type Happening, type Recorded } from '../activity/record.ts';
import type { Actor } from '../platform/actor.ts';
import { databaseNow } from '../platform/clock.ts';
import type { Last, Statement } from '../platform/db.ts';
import { invalid } from '../platform/read.ts';
import { readTime } from '../platform/times.ts';
import type { Work } from '../platform/work.ts';
import { lockLead, refuseForeignClaim, type LockedLead } from './access.ts';
import { isActive } from './claims.ts';
import { countMove } from './counters.ts';
import { saidVector } from './words.ts';

export const OUTCOMES = ['winner', 'call_back', 'loser', 'archive'] as const;
export type OutcomeKind = (typeof OUTCOMES)[number];

const stateAfter = Object.fromEntries(Object.entries(STATES).map(([state, kind]) => [kind, state])) as Record<
  OutcomeKind,
  State
>;

// Whoever gives an outcome lets the lead go.
const UPDATE = `
  update leads set state = $3, category = $4, scheduled_for = $5, exactly = $6, turn_at = coalesce($5, now()),
    skipped = false, last_updated = greatest(last_updated, clock_timestamp()),
         claimed_by = $7, claimed_at = case when claimed_by is not distinct from $7 then claimed_at
           when $7::bigint is not null then now() end,
         held_by = case when held_by = $8 then null else held_by end,
           held_until = case when held_by = $8 then null else held_until end
   where account_id = $1 and id = $2`;

/** From any state. The event has the category and the comment; the claim stays as it is. */
export async function giveOutcome(
  work: Work,
  actor: Actor,
  id: number | undefined,
  kind: OutcomeKind,
  read: () => Outcome,
): Promise<Last<Recorded>> {
  const lead = await lockLead(work, actor, id, 'leads.outcome');
  const given = read();
  const category = readCategory(lead, kind, given.category);
  const scheduled = readSchedule(given);
  refuseForeignClaim(actor, lead, 'leads.outcome');
  const account = actor.account.id;
  const state = stateAfter[kind];
  const comment = given.comment ?? '';
  const exactly = given.exactly ?? true;
  const wanted = claimAfter(actor, lead, kind, scheduled !== null && exactly);
  // Whoever is being disabled meanwhile claims nothing any more.
  const claim = wanted === lead.claimed_by || (await isActive(work, actor, wanted)) ? wanted : null;
  const changes: Happening['changes'] = {
    state: [lead.state, state],
    category: [lead.category, category],
    scheduled_for: [lead.scheduled_for, scheduled],
    ...(claim !== lead.claimed_by && { claimed_by: [lead.claimed_by_email, actor.user!.email] }),
  };
  return recordLast(
    work,
    actor,
    { lead, kind, category, comment, changes },
    [
      { text: UPDATE, values: [account, lead.id, state, category, scheduled, exactly, claim, actor.user?.id ?? null] },
      ...countMove(account, lead, { list_id: lead.list_id, state, category }),
      ...(comment === '' ? [] : [rememberWords(account, lead, comment)]),
    ],
    work.outcomeGiven(actor, lead.id, category),
  );
}

/** The account's switches act at the desk: for whoever has the lead open, on what nobody holds. */
function claimAfter(actor: Actor, lead: LockedLead, kind: OutcomeKind, exact: boolean): number | null {
  const atDesk = actor.via === 'app' && actor.user !== undefined && lead.held_by === actor.user.id;
  if (!atDesk || lead.claimed_by !== null) return lead.claimed_by;
  const claims =
    kind === 'winner'
      ? lead.claim_on_win
      : kind === 'call_back' && (exact ? lead.claim_on_schedule : lead.claim_on_put_off);
  return claims ? actor.user!.id : null;
}

/** Exactly one of the list's for that kind, or none. */
export function readCategory(
  { categories }: LockedLead,
  kind: CategoryKind,
  given: string | null | undefined,
): string | null {
  if (!given) return null;
  const known = categories[kind] ?? [];
  if (known.includes(given)) return given;
  throw invalid({
    category: [
      known.length > 0
        ? `must be one of ${known.join(', ')}`
        : `must be left out: the list has no categories for ${kind}`,
    ],
  });
}

/** When the lead is due, or on other outcomes a reminder. The time goes before the minutes. */
function readSchedule({ scheduled_for, call_back_in }: Outcome): Date | null {
  if (scheduled_for) {
    const time = readTime(scheduled_for);
    if (!time) throw invalid({ scheduled_for: ['must be a time such as 2026-12-01 09:30:00 UTC'] });
    return time;
  }
  return call_back_in === undefined || call_back_in === null
    ? null
    : new Date(databaseNow().getTime() + call_back_in * 60_000);
}

// A lead about which more was said than this is found by what was said first.
const MOST_SAID = 8_000;

const SAY = `
  update lead_data set said = said || $3::tsvector
   where account_id = $1 and lead_id = $2 and length(said) + length($3::tsvector) <= ${MOST_SAID}`;

/** So that search finds the lead by what was said about it. */
export const rememberWords = (accountId: number, lead: LockedLead, comment: string): Statement => ({
  text: SAY,
  values: [accountId, lead.id, saidVector([comment], lead.country)],
});
