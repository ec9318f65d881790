/** The states of a lead, in the order in which figures name them, and the kind of event that leads there (none to `new`). */
export const STATES = { new: null, call_back: 'call_back', won: 'winner', lost: 'loser', archived: 'archive' } as const;
export type State = keyof typeof STATES;
