import type { Disposition } from '../../contract/calls.ts';
import { advanceCall, completeCall, linkCall, startCall } from '../calls/calls.ts';
import { giveOutcome, type OutcomeKind } from '../leads/outcomes.ts';
import type { Actor } from '../platform/actor.ts';
import { query, settle } from '../platform/db.ts';
import { writeTime } from '../platform/times.ts';
import type { Transact, Work } from '../platform/work.ts';
import type { Dice } from './dice.ts';
import { CALLER_ID, COMMENTS } from './people.ts';

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

export type Examples = { lead: number; answered: number; unanswered: number };

/** A third of the leads were called, on working days between nine and five. Answers a lead and two calls to look at. */
export async function liveThroughMonth(
  transact: Transact,
  actor: Actor,
  agents: Actor[],
  dice: Dice,
): Promise<Examples> {
  const account = actor.account.id;
  const leads = await transact(async (work) => {
    // They came in during the weeks before.
    const past = `now() - interval '31 days' - (id % 20) * interval '7 hours'`;
    await query(
      work.db,
      `update leads set created_at = ${past}, last_updated = ${past}, turn_at = ${past} where account_id = $1`,
      [account],
    );
    await query(
      work.db,
      `update lead_data d set created_at = l.created_at from leads l
        where l.account_id = $1 and d.account_id = $1 and d.lead_id = l.id`,
      [account],
    );
    return query<Called>(
      work.db,
      `select lead_id as id, data ->> 'work_office_phone' as phone from lead_data
        where account_id = $1 and lead_id % 3 = 0 order by 1`,
      [account],
    );
  });
  const examples: Partial<Examples> = {};
  for (let from = 0; from < leads.length; from += 100) {
    await transact(async (work) => {
      for (const lead of leads.slice(from, from + 100)) {
        const ending = dice.pick(ENDINGS);
        const call = await makeCall(work, dice.pick(agents), lead, ending, workingHour(dice), dice);
        if (ending.outcome === 'winner') examples.lead ??= lead.id;
        examples[ending.answered ? 'answered' : 'unanswered'] ??= call;
      }
    });
  }
  return examples as Examples;
}

function workingHour(dice: Dice): Date {
  const midnight = Math.floor(Date.now() / DAY) * DAY;
  let day = new Date(midnight - (1 + dice.below(DAYS)) * DAY);
  while (day.getUTCDay() % 6 === 0) day = new Date(day.getTime() - DAY);
  return new Date(day.getTime() + 9 * HOUR + dice.below(8 * 3_600) * 1_000);
}

async function makeCall(work: Work, agent: Actor, lead: Called, ending: Ending, at: Date, dice: Dice): Promise<number> {
  const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000);
  const call = await startCall(work, agent, {
    direction: 'outbound',
    leadId: lead.id,
    userId: agent.user!.id,
    destination: lead.phone,
    callerId: CALLER_ID,
    startedAt: at,
  });
  const rings = 4 + dice.below(20);
  const ends = rings + (ending.answered ? 20 + dice.below(ending.disposition === 'voicemail' ? 30 : 400) : 0);
  await advanceCall(work, agent, call, 'calling', later(1));
  if (ending.answered) await advanceCall(work, agent, call, 'active', later(rings));
  const cause = ending.disposition === 'normal' ? 'over' : ending.disposition;
  await completeCall(work, agent, call, { cause, at: later(ends) });

  const scheduled_for =
    ending.outcome === 'call_back' && dice.below(3) > 0
      ? `${writeTime(later((1 + dice.below(20)) * 86_400))} UTC`
      : undefined;
  const given = await giveOutcome(work, agent, lead.id, ending.outcome, () => ({
    category: dice.pick(ending.categories),
    comment: dice.pick<string>(COMMENTS[ending.outcome]),
    ...(scheduled_for && { scheduled_for }),
  }));
  const { id: event } = await settle(work.db, given);
  await linkCall(work, agent, call, event);
  // It happened then, not now.
  const account = agent.account.id;
  const told = later(ends + 5);
  await query(work.db, 'update events set created_at = $3 where account_id = $1 and id = $2', [account, event, told]);
  await query(work.db, 'update leads set last_updated = $3 where account_id = $1 and id = $2', [
    account,
    lead.id,
    told,
  ]);
  return call;
}
