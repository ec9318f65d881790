import { useQuery } from '@tanstack/react-query';
import type { LineCall } from '../../contract/calls.ts';
import { useNameOf } from '../colleagues.ts';
import { leadQuery, nameLead, type Lead } from '../leads/queries.ts';

export type Calling = {
  /** Whom one will talk to: a lead, a number, a colleague. */
  who: string;
  lead: Lead | undefined;
  /** Who calls, passes on or asks, where that is a colleague. */
  colleague: string | undefined;
  /** Who calls, or who passes whom on, as a sentence. */
  said: string;
};

/** A call that is for one, in words. */
export function useCalling(call: LineCall): Calling {
  const { data: lead } = useQuery({ ...leadQuery(call.lead_id ?? 0), enabled: call.lead_id !== null });
  const nameOf = useNameOf();
  const isColleague = call.direction === 'local' || call.direction === 'transfer';
  const colleague = isColleague ? nameOf(call.caller_id.name ?? '') : undefined;
  const known = call.direction === 'local' ? colleague : lead && nameLead(lead);
  const who = known || call.number || 'A hidden number';
  if (call.direction !== 'transfer') return { who, lead, colleague, said: `${who} is calling` };
  const said = call.asks ? `${colleague} asks you about ${who}` : `${colleague} passes ${who} on to you`;
  return { who, lead, colleague, said };
}
