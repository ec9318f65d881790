import { setTimeout as sleep } from 'node:timers/promises';
import { one, type Db } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';

const AT_DESKS = sql('leads/give-way.at_desks')`
  select exists (select from leads where held_by is not null and held_until > now()) as at_desks`;

const ASKED_EVERY_MS = 1_000;
/** For each moment of work. */
const RESTS = 2;

export type GiveWay = {
  /** Whether anyone has a lead open, on whatever node, when that was last looked at. */
  isAsked(): boolean;
  /** After each bit of work. */
  rest(workedMs: number): Promise<void>;
};

/**
 * For work in the background: while anyone has a lead open it rests for twice as long as it worked, so that those who talk to people hardly
 * wait for it.
 */
export function openGiveWay(db: Db): GiveWay {
  let [askedAt, atDesks] = [-Infinity, false];
  return {
    isAsked: () => atDesks,
    async rest(workedMs) {
      if (performance.now() - askedAt > ASKED_EVERY_MS) {
        askedAt = performance.now();
        atDesks = (await one<{ at_desks: boolean }>(db, AT_DESKS, [])).at_desks;
      }
      if (atDesks) await sleep(workedMs * RESTS);
    },
  };
}
