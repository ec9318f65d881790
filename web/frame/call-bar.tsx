import { IconArrowLeft, IconPhoneOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '../../contract/paths.ts';
import { useKeys } from '../keys.ts';
import { leadQuery, nameLead } from '../leads/queries.ts';
import { useSignsOfLife } from '../leads/signs-of-life.ts';
import { sayCall, sayEnder, useLine } from '../line.ts';
import { useConnected } from '../live.ts';
import { sayDuration } from '../times.ts';
import { Key, Timer } from '../ui/parts.tsx';
import './call-bar.css';

/** A call goes on over every page: who it is with, and the two things one may want of it. Over, it waits for its outcome. */
export function CallBar() {
  const { call: going, isTalking, wrappingUp, connectedAt, recorded, hangUp } = useLine();
  const call = isTalking ? going : wrappingUp;
  const connected = useConnected();
  const leadId = call?.lead_id ?? 0;
  const { data: lead } = useQuery({ ...leadQuery(leadId), enabled: leadId !== 0 });
  // Off the desk nobody else says that the lead is still open with whoever talks about it.
  useSignsOfLife(leadId);
  const end = () => void hangUp().catch(() => undefined);
  useKeys({ h: () => (isTalking ? end() : false) });
  if (!call) return null;
  const isActive = call.state === 'active';
  const said = isTalking ? sayCall(call) : `${sayEnder(call) ?? 'Ended'}. The lead waits for its outcome.`;
  return (
    <section className="call-bar" aria-label="Telephone">
      {!isTalking ? (
        <span className="timer">{sayDuration(call.duration)}</span>
      ) : connected ? (
        <Timer since={(isActive && connectedAt) || call.started_at} />
      ) : null}
      <div className="grow">
        <p className="call-bar-who">
          <strong>{lead ? nameLead(lead) : call.number}</strong>
          {lead?.secondary_identifier && `, ${lead.secondary_identifier}`}
        </p>
        <p role="status">
          {connected ? said : 'Reconnecting. The call is kept for ten seconds.'}
          {connected && isTalking && isActive && recorded && (
            <>
              <span className="recording-dot" aria-hidden /> Recording
            </>
          )}
        </p>
      </div>
      <Link to={paths.work} className="ink-button">
        <IconArrowLeft size={18} stroke={1.75} aria-hidden /> {leadId ? 'Back to the lead' : 'Back to work'}
      </Link>
      {isTalking && (
        <button type="button" className="ink-button hang-up" onClick={end}>
          <IconPhoneOff size={18} stroke={1.75} aria-hidden /> {isActive ? 'Hang up' : 'Cancel'} <Key>H</Key>
        </button>
      )}
    </section>
  );
}
