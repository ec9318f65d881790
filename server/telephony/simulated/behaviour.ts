import type { Cause } from '../carrier.ts';
import type { PartyKind } from './party.ts';

/** What a number does when it is called. */
export type Behaviour = {
  ringsMs: number;
  /** Unset: nobody answers, and `cause` says why. */
  answers?: {
    machine: boolean;
    /** Who is heard. */
    party: PartyKind;
    /** Unset: talks until the agent hangs up. */
    hangsUpMs?: number;
  };
  cause: Cause;
};

const talks = (hangsUpMs?: number, party: PartyKind = 'person'): Behaviour => ({
  ringsMs: 1_000,
  answers: { machine: false, party, ...(hangsUpMs !== undefined && { hangsUpMs }) },
  cause: 'over',
});
const refuses = (cause: Cause, ringsMs = 300): Behaviour => ({ ringsMs, cause });
const VOICEMAIL: Behaviour = {
  ringsMs: 1_500,
  answers: { machine: true, party: 'machine', hangsUpMs: 60_000 },
  cause: 'over',
};

/** By the last two digits; every other number answers and talks until the agent hangs up. */
const BY_ENDING: Record<string, Behaviour> = {
  ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`1${index + 1}`, talks((index + 1) * 1_000)])),
  10: talks(10_000),
  20: VOICEMAIL,
  30: refuses('busy'),
  40: refuses('no_answer', 5_000),
  50: refuses('invalid_number', 100),
  60: refuses('temp_unavail'),
  70: refuses('failed', 100),
  80: talks(undefined, 'tone'),
  90: talks(undefined, 'echo'),
};

export const behaviourOf = (number: string): Behaviour => BY_ENDING[number.replaceAll(/\D/g, '').slice(-2)] ?? talks();

/** As a day in a call centre goes: each as often as its share says. */
const SHARES: [share: number, behaviour: (chance: () => number) => Behaviour][] = [
  [0.42, (chance) => ({ ...talks(8_000 + chance() ** 3 * 300_000), ringsMs: 2_000 + chance() * 12_000 })],
  [0.14, () => VOICEMAIL],
  [0.28, (chance) => refuses('no_answer', 20_000 + chance() * 10_000)],
  [0.1, (chance) => refuses('busy', 500 + chance() * 1_500)],
  [0.03, () => refuses('invalid_number', 400)],
  [0.02, () => refuses('temp_unavail', 800)],
  [0.01, () => refuses('failed', 200)],
];

export function anyBehaviour(chance = Math.random): Behaviour {
  let rest = chance();
  for (const [share, behaviour] of SHARES) {
    rest -= share;
    if (rest < 0) return behaviour(chance);
  }
  return talks();
}
