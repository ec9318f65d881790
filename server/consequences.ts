import { linkToOutcome, moveCalls } from './calls/link.ts';
import { freeClaimsOf } from './leads/claims.ts';
import type { Consequences } from './platform/work.ts';
import { moveTexts } from './texts/texts.ts';
import { fanOut } from './webhooks/fan-out.ts';

/** What nouns set off in others above them, which they do not know. */
export const consequences: Consequences = {
  tell: fanOut,
  outcomeGiven: linkToOutcome,
  leadMerged: (...leads) => [moveCalls(...leads), moveTexts(...leads)],
  userLeft: freeClaimsOf,
};
