import type { Disposition } from '../../contract/calls.ts';
import { advanceCall, completeCall, linkCall, startCall } from '../calls/calls.ts';
import { giveOutcome, type OutcomeKind } from '../leads/outcomes.ts';
import type { Actor } from '../platform/actor.ts';
import { query, settle } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { writeTime } from '../platform/times.ts';
import type { Work } from '../platform/work.ts';
import type { Dice } from './dice.ts';
import { CALLER_NUMBER, COMMENTS } from './people.ts';

const DAYS = 30;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Called = { id: number; phone: string };
type Ending = { disposition: Disposition; answered: boolean; outcome: OutcomeKind; categories: readonly string[] };

/** How calls end, each as often as it stands here. */
const ENDINGS: Ending[] = [
  ...times(5, { disposition: 'no_answer', answered: false, outcome: 'call_back', categories: ['No answer'] }),
  ...times(2, { disposition: 'busy', answered: false, outcome: 'call_back', categories: ['No answer', ''] }),
  ...times(2, { disposition: 'voicemail', answered: true, outcome: 'call_back', categories: ['Voicemail'] }),
  ...times(4, {
    disposition: 'normal',
    answered: true,
    outcome: 'call_back',
    categories: ['Bad time', 'Positive', 'Gatekeeper'],
  }),
  ...times(4, {
    disposition: 'normal',
    answered: true,
    outcome: 'loser',
    categories: ['Not interested', 'Has a supplier', 'Too expensive', ''],
  }),
  ...times(2, { disposition: 'normal', answered: true, outcome: 'winner', categories: ['Meeting booked', 'Order'] }),
  ...times(1, {
    disposition: 'invalid_number',
    answered: false,
    outcome: 'archive',
    categories: ['Wrong number', 'Out of business'],
  }),
];

function times(count: number, ending: Ending): Ending[] {
  return Array.from({ length: count }, () => ending);
}

const [NOT_REACHED] = ENDINGS as [Ending, ...Ending[]];

/** Some of those who were not reached had been tried on the days before. */
const triesBefore = ({ disposition }: Ending, { below }: Dice): number =>
  ['no_answer', 'busy', 'voicemail'].includes(disposition) && below(3) === 0 ? 1 + below(3) : 0;

export type Examples = { lead: number; answered: number; unanswered: number };

// They came in during the weeks before.
const PAST = `now() - interval '31 days' - (id % 20) * interval '7 hours'`;

const DATE_LEADS = sql('demo/month.date_leads')`
  update leads set created_at = ${PAST}, last_updated = ${PAST}, turn_at = ${PAST} where account_id = $1`;

const DATE_DATA = sql('demo/month.date_data')`
  update lead_data d set created_at = l.created_at from leads l
   where l.account_id = $1 and d.account_id = $1 and d.lead_id = l.id`;

const CALLED = sql('demo/month.called')`
  select lead_id as id, data ->> 'work_office_phone' as phone from lead_data
   where account_id = $1 and lead_id % 3 = 0 order by 1`;

/** A third of the leads were called, on working days between nine and five. Answers a lead and two calls to look at. */
export async function liveThroughMonth(work: Work, actor: Actor, agents: Actor[], dice: Dice): Promise<Examples> {
  const account = actor.account.id;
  await query(work.db, DATE_LEADS, [account]);
  await query(work.db, DATE_DATA, [account]);
  const examples: Partial<Examples> = {};
  for (const lead of await query<Called>(work.db, CALLED, [account])) {
    const ending = dice.pick(ENDINGS);
    const [agent, at] = [dice.pick(agents), workingHour(dice, -1 - dice.below(DAYS))];
    for (let before = triesBefore(ending, dice); before > 0; before -= 1) {
      const tried = new Date(at.getTime() - before * DAY);
      await makeCall(work, agent, lead, NOT_REACHED, { at: tried, comes: new Date(tried.getTime() + DAY) }, dice);
    }
    const comes = ending.outcome === 'call_back' ? comesBack(dice) : undefined;
    const call = await makeCall(work, agent, lead, ending, { at, comes }, dice);
    if (ending.outcome === 'winner') examples.lead ??= lead.id;
    examples[ending.answered ? 'answered' : 'unanswered'] ??= call;
  }
  return examples as Examples;
}

/** So many days from today; on a weekend one further. */
function workingHour(dice: Dice, days: number): Date {
  const midnight = Math.floor(Date.now() / DAY) * DAY;
  let day = new Date(midnight + days * DAY);
  while (day.getUTCDay() % 6 === 0) day = new Date(day.getTime() + Math.sign(days) * DAY);
  return new Date(day.getTime() + 9 * HOUR + dice.below(8 * 3_600) * 1_000);
}

/** Most call backs are for the days to come, some for later today, and a few are due: people keep up with them. */
function comesBack(dice: Dice): Date | undefined {
  const quarter = HOUR / 4;
  const even = (time: number) => new Date(Math.floor(time / quarter) * quarter);
  const lot = dice.below(16);
  if (lot === 0) return undefined;
  if (lot < 3) return even(Date.now() - (1 + dice.below(20)) * HOUR);
  if (lot < 5) return even(Date.now() + (1 + dice.below(8)) * HOUR);
  return even(workingHour(dice, 1 + dice.below(14)).getTime());
}

const DATE_EVENT = sql('demo/month.date_event')`
  update events set created_at = $3 where account_id = $1 and id = $2`;

const DATE_LEAD = sql('demo/month.date_lead')`
  update leads set last_updated = $3 where account_id = $1 and id = $2`;

type Timing = { at: Date; comes: Date | undefined };

async function makeCall(
  work: Work,
  agent: Actor,
  lead: Called,
  ending: Ending,
  { at, comes }: Timing,
  dice: Dice,
): Promise<number> {
  const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000);
  const call = await startCall(work, agent, {
    direction: 'outbound',
    leadId: lead.id,
    userId: agent.user!.id,
    destination: lead.phone,
    callerId: { number: CALLER_NUMBER, name: agent.account.name },
    startedAt: at,
  });
  const rings = 4 + dice.below(20);
  const ends = rings + (ending.answered ? 20 + dice.below(ending.disposition === 'voicemail' ? 30 : 400) : 0);
  await advanceCall(work, agent, call, 'calling', later(1));
  if (ending.answered) await advanceCall(work, agent, call, 'active', later(rings));
  const cause = ending.disposition === 'normal' ? 'over' : ending.disposition;
  await completeCall(work, agent, call, { cause, at: later(ends) });

  const given = await giveOutcome(work, agent, lead.id, ending.outcome, () => ({
    category: dice.pick(ending.categories),
    comment: dice.pick<string>(COMMENTS[ending.outcome]),
    ...(comes && { scheduled_for: `${writeTime(comes)} UTC`, exactly: dice.below(3) === 0 }),
  }));
  const { id: event } = await settle(work.db, given);
  await linkCall(work, agent, call, event);
  // It happened then, not now.
  const account = agent.account.id;
  const told = later(ends + 5);
  await query(work.db, DATE_EVENT, [account, event, told]);
  await query(work.db, DATE_LEAD, [account, lead.id, told]);
  return call;
}
