import type { CategoryKind } from '../../contract/lists.ts';
import type { Outcome } from '../../contract/leads.ts';
import { STATES, type State } from '../../contract/states.ts';
import { recordingOf, type Happening, type Recorded } from '../activity/record.ts';
import { boundOf, serviceActor, type Actor } from '../platform/actor.ts';
import { databaseNow } from '../platform/clock.ts';
import { lastly, type Last, type Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { invalid, readMoment } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import { lockLead, refuseForeignClaim, type LockedLead } from './access.ts';
import { mayClaim } from './claims.ts';
import { countMove } from './counters.ts';
import { appointmentOf, comeBack, lockTriedLead, type TriedLead } from './tries.ts';
import { saidVector } from './words.ts';

export const OUTCOMES = ['winner', 'call_back', 'loser', 'archive'] as const;
export type OutcomeKind = (typeof OUTCOMES)[number];

/** Whether an event is one of them. */
export const isOutcome = (event: string) => `${event}.kind in (${OUTCOMES.map((kind) => `'${kind}'`).join(', ')})`;

const stateAfter = Object.fromEntries(Object.entries(STATES).map(([state, kind]) => [kind, state])) as Record<
  OutcomeKind,
  State
>;

// Whoever gives an outcome lets the lead go.
const UPDATE = sql('leads/outcomes.update')`
  update leads set state = $3, category = $4, scheduled_for = $5, exactly = $6, turn_at = coalesce($5, now()),
    skipped = false, last_updated = greatest(last_updated, clock_timestamp()),
         claimed_by = $7, claimed_at = case when claimed_by is not distinct from $7 then claimed_at
           when $7::bigint is not null then now() end,
         held_by = case when held_by = $8 then null else held_by end,
           held_until = case when held_by = $8 then null else held_until end
   where account_id = $1 and id = $2`;

/**
 * From any state; `read` is told the lead as it was. The event has the category and the comment. Where the service archives the lead right after
 * it, the outcome's own event is answered.
 */
export async function giveOutcome(
  work: Work,
  actor: Actor,
  id: number | undefined,
  kind: OutcomeKind,
  read: (lead: LockedLead) => Outcome,
): Promise<Last<Recorded>> {
  const comesBack = kind === 'call_back' && actor.via === 'app';
  const lead = await (comesBack ? lockTriedLead(work, actor, id) : lockLead(work, actor, id, 'leads.outcome'));
  const given = read(lead);
  const category = readCategory(lead, kind, given.category);
  const { claims, archivedFor, ...when } = readWhen(actor, lead, category, given);
  refuseForeignClaim(actor, lead, 'leads.outcome');
  const wanted = claims ? claimAfter(actor, lead, kind, when.scheduled_for !== null && when.exactly) : lead.claimed_by;
  // Whoever is disabled meanwhile, or was taken off the list and finishes what they have open, claims nothing any more.
  const seesAll = boundOf(actor, 'leads.outcome') === null;
  const keeps = wanted === lead.claimed_by || (await mayClaim(work, actor, wanted, lead.list_id, seesAll));
  const claimed_by = keeps ? wanted : null;
  const after = { state: stateAfter[kind], category, claimed_by, ...when };
  const outcome = { kind, comment: given.comment ?? '', after };
  const statements = [recordOutcome(work, actor, lead, outcome, work.outcomeGiven(actor, lead.id, category))];
  if (archivedFor) statements.push(archiveToo(work, actor, { ...lead, ...after }, archivedFor));
  return lastly<Recorded, Recorded[][]>(work.db, statements, ([recorded]) => recorded![0]!);
}

type After = Pick<LockedLead, 'category' | 'scheduled_for' | 'exactly' | 'claimed_by'> & { state: State };
type Given = { kind: OutcomeKind; comment: string; after: After };

/** What makes it so, with the event of it. */
function recordOutcome(
  work: Work,
  actor: Actor,
  lead: LockedLead,
  { kind, comment, after }: Given,
  following: Statement[] = [],
) {
  const account = actor.account.id;
  const { state, category, scheduled_for, exactly, claimed_by } = after;
  const changes: Happening['changes'] = {
    state: [lead.state, state],
    category: [lead.category, category],
    scheduled_for: [lead.scheduled_for, scheduled_for],
    ...(claimed_by !== lead.claimed_by && { claimed_by: [lead.claimed_by_email, actor.user!.email] }),
  };
  const values = [account, lead.id, state, category, scheduled_for, exactly, claimed_by, actor.user?.id ?? null];
  return recordingOf(
    work,
    actor,
    { lead, kind, category, comment, changes },
    [
      { text: UPDATE, values },
      ...countMove(account, lead, { list_id: lead.list_id, state, category }),
      ...(comment === '' ? [] : [rememberWords(account, lead, comment)]),
    ],
    following,
  );
}

/** An event of the service's own, after that of the outcome, which stays that of the call. */
const archiveToo = (work: Work, { account }: Actor, lead: LockedLead, comment: string) =>
  recordOutcome(work, serviceActor(account, 'tried often enough'), lead, {
    kind: 'archive',
    comment,
    after: { state: 'archived', category: null, scheduled_for: null, exactly: true, claimed_by: lead.claimed_by },
  });

const isAtDesk = ({ via, user }: Actor, lead: LockedLead): boolean =>
  via === 'app' && user !== undefined && lead.opened_by === user.id;

/** The switches of list and account act at the desk: for whoever has the lead open, on what nobody holds. */
function claimAfter(actor: Actor, lead: LockedLead, kind: OutcomeKind, exact: boolean): number | null {
  if (!isAtDesk(actor, lead) || lead.claimed_by !== null) return lead.claimed_by;
  const claims =
    kind === 'winner'
      ? lead.claim_on_win
      : kind === 'call_back' && (exact ? lead.claim_on_schedule : lead.claim_on_put_off);
  return claims ? actor.user!.id : null;
}

/** `claims`: whether it was chosen, so that the switches act on it. `archivedFor`: why the service archives the lead after it. */
type When = Pick<LockedLead, 'scheduled_for' | 'exactly'> & { claims: boolean; archivedFor?: string };

/**
 * Without a time a call back of the pages keeps an appointment that is still ahead, and at the desk the list says when the lead comes back. What
 * comes by the API is taken as it is given.
 */
function readWhen(actor: Actor, lead: LockedLead | TriedLead, category: string | null, given: Outcome): When {
  const scheduled_for = readSchedule(given);
  const exactly = given.exactly ?? true;
  if (scheduled_for || !('calls' in lead)) return { scheduled_for, exactly, claims: true };
  const appointment = appointmentOf(lead);
  if (appointment) return { scheduled_for: appointment, exactly: true, claims: false };
  if (!isAtDesk(actor, lead)) return { scheduled_for, exactly, claims: true };
  const { at, attempt, archives } = comeBack(lead, category);
  const tries = `${attempt} ${attempt === 1 ? 'try' : 'tries'}`;
  return {
    scheduled_for: new Date(at),
    exactly: false,
    claims: false,
    ...(archives && { archivedFor: `${category}, ${tries}` }),
  };
}

export type CategoryNames = Pick<LockedLead, 'categories' | 'former_categories'>;

/** The name that a category of the list has now, of one that was renamed not long ago, too. */
export function nameNow(
  { categories, former_categories }: CategoryNames,
  kind: CategoryKind,
  given: string,
): string | undefined {
  const known = categories[kind] ?? [];
  const former = former_categories.filter((one) => one.kind === kind && new Date(one.until) > databaseNow());
  // A name may have been renamed again, and back; no more steps than there are names.
  let name: string | undefined = given;
  for (let step = 0; name !== undefined && step <= former.length; step += 1) {
    if (known.includes(name)) return name;
    name = former.findLast(({ from }) => from === name)?.to;
  }
  return undefined;
}

/** Exactly one of the list's for that kind, or none. One that was renamed not long ago is recorded by the name it has now. */
export function readCategory(list: CategoryNames, kind: CategoryKind, given: string | null | undefined): string | null {
  if (!given) return null;
  const name = nameNow(list, kind, given);
  if (name !== undefined) return name;
  const known = list.categories[kind] ?? [];
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
  if (scheduled_for) return readMoment('scheduled_for', scheduled_for);
  return call_back_in === undefined || call_back_in === null
    ? null
    : new Date(databaseNow().getTime() + call_back_in * 60_000);
}

// A lead about which more was said than this is found by what was said first.
const MOST_SAID = 8_000;

const SAY = sql('leads/outcomes.say')`
  update lead_data set said = said || $3::tsvector
   where account_id = $1 and lead_id = $2 and length(said) + length($3::tsvector) <= ${MOST_SAID}`;

/** So that search finds the lead by what was said about it. */
export const rememberWords = (accountId: number, lead: LockedLead, comment: string): Statement => ({
  text: SAY,
  values: [accountId, lead.id, saidVector([comment], lead.country)],
});
