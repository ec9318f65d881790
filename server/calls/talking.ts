import type { Actor } from '../platform/actor.ts';
import { query, type Db } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { isHeldBy } from '../platform/lease.ts';
import type { Node } from '../platform/nodes.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { LINE } from '../telephony/carrier.ts';

/** What is wanted of a call while one talks. It is written down; the node that holds the line does it. */

const notActive = () => conflict('not_active', 'Only a call that is going on can do that.');

const HOLD = sql('calls/talking.hold')`
  update calls set on_hold = case when user_id = $4 then $3 else on_hold end,
         on_hold_by_other = case when user_id = $4 then on_hold_by_other else $3 end
   where account_id = $1 and id = $2 and state = 'active' and hang_up_at is null returning id`;

/** Each lets the other wait, and ends their own alone: of colleagues both may at once. */
export async function holdCall(work: Work, actor: Actor, id: number, on: boolean): Promise<void> {
  if ((await query(work.db, HOLD, [actor.account.id, id, on, actor.user?.id ?? 0])).length === 0) throw notActive();
  work.nudge('line');
}

const PAUSE = sql('calls/talking.pause')`
  update calls set recording_paused = $3 and recorded
   where account_id = $1 and id = $2 and state = 'active' and hang_up_at is null returning recorded`;

/** While a card number is told, say. */
export async function pauseRecording(work: Work, actor: Actor, id: number, paused: boolean): Promise<void> {
  const [call] = await query<{ recorded: boolean }>(work.db, PAUSE, [actor.account.id, id, paused]);
  if (!call) throw notActive();
  if (!call.recorded) throw conflict('not_recorded', 'This call is not recorded.');
  work.nudge('line');
}

/** Of those that were not sent yet. */
const MOST_DIGITS = 64;

const PRESS = sql('calls/talking.press')`
  update calls set digits = coalesce(digits, '') || $3
   where account_id = $1 and id = $2 and state = 'active' and hang_up_at is null
     and length(coalesce(digits, '')) + length($3) <= ${MOST_DIGITS} returning id`;

const GOES_ON = sql('calls/talking.goes_on')`
  select id from calls where account_id = $1 and id = $2 and state = 'active' and hang_up_at is null`;

/** They are kept until they are sent, and nowhere else. */
export async function pressDigits(work: Work, actor: Actor, id: number, digits: string): Promise<void> {
  if ((await query(work.db, PRESS, [actor.account.id, id, digits])).length === 0) {
    const goesOn = (await query(work.db, GOES_ON, [actor.account.id, id])).length > 0;
    throw goesOn ? conflict('too_many_digits', 'The digits before are still being sent.') : notActive();
  }
  work.nudge('line');
}

const TAKE_DIGITS = sql('calls/talking.take_digits')`
  with pressed as (
    select account_id, id, digits from calls
     where state <> 'completed' and digits is not null and ${isHeldBy(LINE, '$1')} for update)
  update calls c set digits = null from pressed
   where c.account_id = pressed.account_id and c.id = pressed.id returning c.account_id, c.id, pressed.digits`;

/** What is to be sent now, once. */
export const takeDigits = (db: Db, node: Node): Promise<{ account_id: number; id: number; digits: string | null }[]> =>
  query(db, TAKE_DIGITS, [node.id]);
