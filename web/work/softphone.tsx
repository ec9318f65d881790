import { IconPhone, IconPhoneOff, IconRecordMail } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Call } from '../../contract/calls.ts';
import { useKeys } from '../keys.ts';
import { Key, Timer } from '../ui/parts.tsx';
import type { LineState } from './line.ts';

const STATES: Record<Call['state'], string> = {
  initiated: 'Dialling',
  calling: 'Ringing',
  active: 'Connected',
  completed: 'Over',
};

const ENDED: Record<string, string> = {
  busy: 'The line was busy.',
  no_answer: 'Nobody answered.',
  invalid_number: 'There is no such number.',
  temp_unavail: 'The number cannot be reached just now.',
  failed: 'The line failed.',
  voicemail: 'Voicemail.',
  normal: 'The call is over.',
};

type Props = { line: LineState; lead: { id: number; phone: string | undefined } | undefined; last: Call | undefined };

/** One ink-coloured bar for whatever is live. D dials and answers; Enter never does. */
export function Softphone({ line, lead, last }: Props) {
  const { call, ringing, isBusy } = line;
  const since = useConnectedSince(call);
  const canDial = Boolean(lead?.phone) && !call && !isBusy;
  const dial = () => lead && canDial && line.dial(lead.id);
  useKeys({
    d: () => (ringing ? line.answer(ringing.id) : dial()),
    h: () => (ringing && !call ? line.decline(ringing.id) : void line.hangUp().catch(() => undefined)),
    v: () => call?.state === 'active' && void line.hangUp(true).catch(() => undefined),
  });
  if (ringing && !call) {
    return (
      <section className="phone" aria-label="Telephone">
        <div className="grow" role="alert">
          <div className="said">{ringing.caller_id.number} is calling</div>
          <p>{ringing.lead_id ? 'A lead of this list' : 'Nobody we know'}</p>
        </div>
        <button type="button" className="phone-button" onClick={() => line.decline(ringing.id)}>
          <span>
            Decline <Key>H</Key>
          </span>
        </button>
        <button type="button" className="phone-button phone-wide dial" onClick={() => line.answer(ringing.id)}>
          <IconPhone size={18} stroke={1.75} aria-hidden /> Answer <Key>D</Key>
        </button>
      </section>
    );
  }
  if (!call) {
    const ended = last?.disposition ? ENDED[last.disposition] : undefined;
    return (
      <section className="phone" aria-label="Telephone">
        <div className="grow" role="status">
          <div className="said">{ended ?? 'Ready to call'}</div>
          <p>{lead?.phone ?? 'This lead has no phone number. Add one in its card.'}</p>
        </div>
        <button
          type="button"
          className="phone-button phone-wide dial"
          disabled={!canDial}
          title={lead?.phone ? undefined : 'The lead has no phone number'}
          onClick={dial}
        >
          <IconPhone size={18} stroke={1.75} aria-hidden /> {ended ? 'Dial again' : 'Dial'} <Key>D</Key>
        </button>
      </section>
    );
  }
  return (
    <section className="phone" aria-label="Telephone">
      <div className="grow">
        {since ? <Timer since={since} /> : <div className="said">{call.destination_number}</div>}
        <p role="status">
          {STATES[call.state]}
          {since && line.recorded && (
            <>
              <span className="recording-dot" aria-hidden />
              <span className="wide-only">Recording</span>
            </>
          )}
        </p>
      </div>
      <div className="phone-buttons">
        <button
          type="button"
          className="phone-button"
          disabled={call.state !== 'active'}
          onClick={() => void line.hangUp(true).catch(() => undefined)}
        >
          <IconRecordMail size={17} stroke={1.75} aria-hidden />
          <span>
            Voicemail <Key>V</Key>
          </span>
        </button>
        <button
          type="button"
          className="phone-button phone-wide hang-up"
          onClick={() => void line.hangUp().catch(() => undefined)}
        >
          <IconPhoneOff size={18} stroke={1.75} aria-hidden /> Hang up <Key>H</Key>
        </button>
      </div>
    </section>
  );
}

/** When it was first seen connected; the seconds that count are the service's. */
function useConnectedSince(call: Call | null): number | undefined {
  const seen = useRef<{ id: number; at: number } | undefined>(undefined);
  const [, redraw] = useState(0);
  const id = call?.state === 'active' ? call.id : undefined;
  useEffect(() => {
    if (id !== undefined && seen.current?.id !== id) {
      seen.current = { id, at: Date.now() };
      redraw((times) => times + 1);
    }
  }, [id]);
  return id !== undefined && seen.current?.id === id ? seen.current.at : undefined;
}
