import { useEffect } from 'react';
import type { Became, Line } from '../../contract/calls.ts';
import { useNameOf } from '../colleagues.ts';
import { nameOpen } from '../leads/queries.ts';
import { notice } from '../ui/notices.ts';

const told = new Set<number>();

const BACK: Partial<Record<Became, string>> = {
  declined: 'declined',
  not_answered: 'did not answer',
  hung_up: 'hung up',
};

type Props = { passedOn: NonNullable<Line['passed_on']>; isTalking: boolean };

/** Says what became of a call that was passed on to a colleague: they have it, or it is back. */
export function PassedOn({ passedOn, isTalking }: Props) {
  const nameOf = useNameOf();
  useEffect(() => {
    const { id, became, lead_id, caller_id, destination_number } = passedOn;
    const whom = nameOf(destination_number);
    const who = lead_id === null ? (caller_id.number ?? 'the call') : nameOpen(lead_id);
    const back = BACK[became];
    // The line takes a moment to let go.
    const isFree = became === 'taken' && !isTalking;
    if (told.has(id) || (!isFree && !back)) return;
    told.add(id);
    notice(back ? `${whom} ${back}. You are with ${who} again.` : `${whom} has ${who} now. You are free.`);
  }, [passedOn.id, passedOn.became, isTalking]);
  return null;
}
