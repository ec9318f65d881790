import { useEffect, useState } from 'react';
import type { LineCall } from '../../contract/calls.ts';
import { sayCall, type LineState } from '../line.ts';
import { useConnected } from '../live.ts';
import { sayDuration, useNow } from '../times.ts';
import { FAULTS } from './quality.ts';
import type { Seen } from './seen.ts';
import { usePhone } from './use-phone.ts';
import './standing.css';

/** How the call stands, in words, and whether it is recorded. */
export function Standing({ line, call }: { line: LineState; call: LineCall }) {
  const phone = usePhone();
  const isConnected = useConnected();
  const isActive = call.state === 'active';
  if (!isConnected)
    return (
      <div className="phone-state">
        <p role="status">The call is kept for ten seconds. Notes are safe here.</p>
      </div>
    );
  return (
    <div className="phone-state">
      <p role="status">
        {sayStanding(line, call, phone)}
        {line.isOnHold && !line.consultation && <HeldFor callId={call.id} />}
        {phone.isMuted && ', muted'}
      </p>
      {isActive && line.recorded && <RecordingMark line={line} />}
    </div>
  );
}

function sayStanding({ isOnHold, consultation }: LineState, call: LineCall, { sound, fault }: Seen): string {
  if (consultation)
    return consultation.state === 'active' ? `Talking to ${consultation.number}` : sayCall(consultation);
  if (isOnHold) return 'On hold';
  if (sound === 'lost') return 'Reconnecting sound';
  return fault ? FAULTS[fault] : sayCall(call);
}

/** Counted here; not told aloud with every second. */
function HeldFor({ callId }: { callId: number }) {
  const [since, setSince] = useState(Date.now);
  useEffect(() => setSince(Date.now()), [callId]);
  const now = useNow(250);
  return (
    <span className="figures" aria-hidden>
      {' '}
      {sayDuration((now - since) / 1_000)}
    </span>
  );
}

/** Says that it is recorded, and pauses that while card numbers are told. */
function RecordingMark({ line }: { line: LineState }) {
  const { isRecordingPaused: isPaused } = line;
  return (
    <button
      type="button"
      className="recording-mark"
      aria-pressed={isPaused}
      title={isPaused ? 'Record again (O)' : 'Leave out of the recording what is said now (O)'}
      onClick={() => line.pauseRecording(!isPaused)}
    >
      <span className={isPaused ? 'recording-dot paused' : 'recording-dot'} aria-hidden />
      {isPaused ? (
        'Not recorded'
      ) : (
        <>
          <span className="wide-only">Recording</span>
          <span className="short-only">Rec</span>
        </>
      )}
    </button>
  );
}
