import type { LineCall } from '../../contract/calls.ts';
import { sayCall, type LineState } from '../line.ts';
import { useConnected } from '../live.ts';
import { sayDuration, useNow } from '../times.ts';
import { FAULTS } from './quality.ts';
import type { Seen } from './seen.ts';
import { usePhone } from './use-phone.ts';
import './standing.css';

/** How the call stands, in words. */
export function Standing({ line, call }: { line: LineState; call: LineCall }) {
  const phone = usePhone();
  const isConnected = useConnected();
  if (!isConnected) return <p role="status">The call is kept for ten seconds. Notes are safe here.</p>;
  return (
    <p role="status">
      {sayStanding(line, call, phone)}
      {line.heldSince !== undefined && !line.consultation && <HeldFor since={line.heldSince} />}
      {phone.isMuted && ', muted'}
    </p>
  );
}

function sayStanding({ isOnHold, consultation }: LineState, call: LineCall, { sound, fault }: Seen): string {
  if (consultation) return consultation.state === 'active' ? `With ${consultation.number}` : sayCall(consultation);
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
