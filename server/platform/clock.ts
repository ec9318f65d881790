/**
 * The database's clock, as far as it can be told without asking: what it said last, and how long ago that was. The clock of a machine may be
 * off by hours; how much time has passed, every machine knows.
 */
let last = { said: Date.now(), heard: performance.now() };
let jumped = -Infinity;

const JUMP_MS = 5_000;

export const databaseNow = (): Date => new Date(last.said + performance.now() - last.heard);

/** The database has said what time it is. */
export function setClock(now: Date): void {
  const heard = performance.now();
  if (Math.abs(now.getTime() - databaseNow().getTime()) > JUMP_MS) jumped = heard;
  last = { said: now.getTime(), heard };
}

/** When it was last found to have been set, by the time that passes here. */
export const lastJump = (): number => jumped;

/** A clock that only goes forward, from now on, whatever becomes of the database's: how long something took is never negative. */
export function startClock(): () => Date {
  const [began, since] = [databaseNow().getTime(), performance.now()];
  return () => new Date(began + performance.now() - since);
}
