import type { Call, Ender, Silence, Sound } from '../../contract/calls.ts';
import type { Actor } from '../platform/actor.ts';
import { one } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import type { Reading } from '../platform/work.ts';
import { MOMENTS } from '../recordings/peaks.ts';
import { listRecordings, type KeptRecording } from '../recordings/recordings.ts';
import { readCall } from './calls.ts';

// What was kept of a call is told after its end; that nothing was, by `recorded`. It is waited for no longer than a minute.
const ENDED = sql('calls/sound.ended')`
  select ended_by, recorded and ended_at > now() - interval '1 minute' as is_awaited
    from calls where account_id = $1 and id = $2`;

type Ended = { ended_by: Ender | null; is_awaited: boolean };

/** For whoever may hear the call, what it looks like; for others, why they hear nothing. */
export async function readSound(reading: Reading, actor: Actor, id: number | undefined): Promise<Sound> {
  const call = await readCall(reading, actor, id);
  const [all, { ended_by, is_awaited }] = await Promise.all([
    listRecordings(reading, actor.account.id, call.id),
    one<Ended>(reading.db, ENDED, [actor.account.id, call.id]),
  ]);
  if (call.recordings.length === 0) return { silence: silenceOf(call, all, is_awaited), ended_by, recordings: [] };
  const recordings = all
    .filter(({ stored, removed }) => stored && !removed)
    .map(({ seconds, peaks, gaps }) => ({ seconds, channels: channelsOf(peaks ?? Buffer.alloc(0)), gaps }));
  return { silence: null, ended_by, recordings };
}

const channelsOf = (peaks: Buffer): string[] =>
  Array.from({ length: peaks.length / MOMENTS }, (_, channel) =>
    peaks.subarray(channel * MOMENTS, (channel + 1) * MOMENTS).toString('base64'),
  );

function silenceOf({ state, disposition }: Call, all: KeptRecording[], isAwaited: boolean): Silence {
  if (state !== 'completed') return 'under_way';
  if (disposition !== 'normal' && disposition !== 'voicemail') return 'not_answered';
  if (all.some(({ stored, removed }) => stored && !removed)) return 'no_right';
  if (all.some(({ removed }) => !removed)) return 'not_stored_yet';
  if (all.some(({ stored }) => stored)) return 'removed';
  if (all.length > 0) return 'lost';
  return isAwaited ? 'not_stored_yet' : 'not_recorded';
}
