import type { LineCall } from '../../contract/calls.ts';
import { useNameOf } from '../colleagues.ts';
import { sayCall, type LineState } from '../line.ts';
import { useConnected } from '../live.ts';
import { useSession } from '../session.ts';
import { sayDuration, useNow } from '../times.ts';
import { FAULTS } from './quality.ts';
import { useCalling } from './calling.ts';
import type { Seen } from './seen.ts';
import { usePhone } from './use-phone.ts';
import './standing.css';

/** How the call stands, in words. */
export function Standing({ line, call }: { line: LineState; call: LineCall }) {
  const phone = usePhone();
  const isConnected = useConnected();
  const others = useOthers(line, call);
  if (!isConnected) return <p role="status">The call is kept for ten seconds. Notes are safe here.</p>;
  return (
    <p role="status">
      {sayStanding(line, call, phone, others)}
      {line.heldSince !== undefined && !line.consultation && !line.isPassing && <HeldFor since={line.heldSince} />}
      {phone.isMuted && ', muted'}
    </p>
  );
}

type Others = { colleague: string; taker: string; said: string };

/** The other one, where both are colleagues; whom the call is passed on to; and what one is asked. */
function useOthers({ passedOn, consultation }: LineState, call: LineCall): Others {
  const { user } = useSession();
  const nameOf = useNameOf();
  const { said } = useCalling(call);
  const { direction, caller_id, destination_number } = call;
  const isForOne = destination_number === user.email;
  return {
    colleague:
      direction === 'local' || isForOne ? nameOf((isForOne ? caller_id.name : destination_number) ?? '') : 'They',
    taker: passedOn ? nameOf(passedOn.destination_number) : (consultation?.number ?? ''),
    said,
  };
}

function sayStanding(line: LineState, call: LineCall, { sound, fault }: Seen, others: Others): string {
  const { isOnHold, isOnHoldByOther, consultation, isPassing } = line;
  const { colleague, taker, said } = others;
  if (isPassing) return `Ringing ${taker}, who gets the call`;
  if (consultation) return consultation.state === 'active' ? `With ${taker}` : `Ringing ${taker}`;
  if (isOnHoldByOther) return isOnHold ? `On hold, and by ${colleague} too` : `${colleague} put you on hold`;
  if (isOnHold) return 'On hold';
  if (call.asks && call.state === 'active' && sound !== 'lost' && !fault) return said;
  if (sound === 'lost') return 'Reconnecting sound';
  if (call.direction === 'local' && call.state !== 'active') return `Ringing ${colleague}`;
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
