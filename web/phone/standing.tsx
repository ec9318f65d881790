import type { LineCall } from '../../contract/calls.ts';
import { useNameOf } from '../colleagues.ts';
import { sayCall, type LineState } from '../line.ts';
import { useConnected } from '../live.ts';
import { useSession } from '../session.ts';
import { sayDuration, useNow } from '../times.ts';
import { FAULTS } from './quality.ts';
import type { Seen } from './seen.ts';
import { usePhone } from './use-phone.ts';
import './standing.css';

/** How the call stands, in words. */
export function Standing({ line, call }: { line: LineState; call: LineCall }) {
  const phone = usePhone();
  const isConnected = useConnected();
  const colleague = useColleagueIn(call);
  if (!isConnected) return <p role="status">The call is kept for ten seconds. Notes are safe here.</p>;
  return (
    <p role="status">
      {sayStanding(line, call, phone, colleague)}
      {line.heldSince !== undefined && !line.consultation && <HeldFor since={line.heldSince} />}
      {phone.isMuted && ', muted'}
    </p>
  );
}

/** The other one, where both are colleagues. */
function useColleagueIn({ direction, caller_id, destination_number }: LineCall): string {
  const { user } = useSession();
  const nameOf = useNameOf();
  if (direction !== 'local') return 'They';
  return nameOf(destination_number === user.email ? (caller_id.name ?? '') : destination_number);
}

function sayStanding(line: LineState, call: LineCall, { sound, fault }: Seen, colleague: string): string {
  const { isOnHold, isOnHoldByOther, consultation } = line;
  if (consultation) return consultation.state === 'active' ? `With ${consultation.number}` : sayCall(consultation);
  if (isOnHoldByOther) return isOnHold ? `On hold, and by ${colleague} too` : `${colleague} put you on hold`;
  if (isOnHold) return 'On hold';
  if (sound === 'lost') return 'Reconnecting sound';
  return fault ? FAULTS[fault] : sayCall(call);
}

/** Not told aloud with every second. */
const HeldFor = ({ since }: { since: number }) => (
  <span className="figures" aria-hidden>
    {' '}
    {sayDuration((useNow(250) - since) / 1_000)}
  </span>
);

/** Says that it is recorded, and pauses that while card numbers are told. */
export function RecordingMark({ line, call }: { line: LineState; call: LineCall }) {
  const isConnected = useConnected();
  const { isRecordingPaused: isPaused } = line;
  if (!line.recorded || call.state !== 'active' || !isConnected) return null;
  return (
    <button
      type="button"
      className="recording-mark"
      aria-pressed={isPaused}
      title={isPaused ? 'Record again (O)' : 'Leave out of the recording what is said now (O)'}
      onClick={() => line.pauseRecording(!isPaused)}
    >
      <span className={isPaused ? 'recording-dot paused' : 'recording-dot'} aria-hidden />
      <span className="long">{isPaused ? 'Not recorded' : 'Recording'}</span>
      <span className="short">{isPaused ? 'Not rec' : 'Rec'}</span>
    </button>
  );
}
