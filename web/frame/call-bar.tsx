import { IconArrowLeft, IconMicrophone, IconMicrophoneOff, IconPhoneOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '../../contract/paths.ts';
import { useKeys } from '../keys.ts';
import { leadQuery, nameLead } from '../leads/queries.ts';
import { useSignsOfLife } from '../leads/signs-of-life.ts';
import { sayEnder, useLine } from '../line.ts';
import { useConnected } from '../live.ts';
import { Level } from '../phone/level.tsx';
import { Note } from '../phone/note.tsx';
import { RecordingMark, Standing } from '../phone/standing.tsx';
import { toggleMute, usePhone } from '../phone/use-phone.ts';
import { sayDuration } from '../times.ts';
import { Key, Timer } from '../ui/parts.tsx';
import './call-bar.css';

/** A call goes on over every page: who it is with, and what one may want of it there. Over, it waits for its outcome. */
export function CallBar() {
  const line = useLine();
  const { call: going, isTalking, wrappingUp, connectedAt, hasSound, hangUp } = line;
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
  return (
    <section className="call-bar" aria-label="Telephone">
      {isTalking && hasSound && <Level isFlat={(line.isOnHold || line.isOnHoldByOther) && !line.consultation} />}
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
        {isTalking ? (
          <div className="call-bar-state">
            <Standing line={line} call={call} />
            <RecordingMark line={line} call={call} />
          </div>
        ) : (
          <p role="status">{`${sayEnder(call) ?? 'Ended'}. The lead waits for its outcome.`}</p>
        )}
      </div>
      <Link to={paths.work} className="ink-button">
        <IconArrowLeft size={18} stroke={1.75} aria-hidden /> {leadId ? 'Back to the lead' : 'Back to work'}
      </Link>
      {isTalking && hasSound && isActive && <Mute />}
      {isTalking && (
        <button type="button" className="ink-button hang-up" onClick={end}>
          <IconPhoneOff size={18} stroke={1.75} aria-hidden /> {isActive ? 'Hang up' : 'Cancel'} <Key>H</Key>
        </button>
      )}
      {isTalking && hasSound && <Note />}
    </section>
  );
}

function Mute() {
  const { isMuted, whose } = usePhone();
  useKeys({ m: toggleMute });
  const Icon = isMuted ? IconMicrophoneOff : IconMicrophone;
  return (
    <button
      type="button"
      className={isMuted ? 'ink-button on' : 'ink-button'}
      disabled={whose === 'another’s'}
      onClick={toggleMute}
    >
      <Icon size={18} stroke={1.75} aria-hidden /> {isMuted ? 'Muted' : 'Mute'} <Key>M</Key>
    </button>
  );
}
