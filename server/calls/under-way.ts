import { CALL_STATES } from '../../contract/calls.ts';
import type { Measure } from '../platform/measures.ts';

const STATES = CALL_STATES.filter((state) => state !== 'completed').map((state) => `('${state}')`);

export const CALLS: Measure[] = [
  {
    name: 'leadline_calls',
    help: 'Calls that are not over, by state',
    labels: ['state'],
    text: `select s.state, count(c.id) as value
             from (values ${STATES.join(', ')}) s (state)
             left join calls c on c.state = s.state and c.state <> 'completed' group by 1`,
  },
];
