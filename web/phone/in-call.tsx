import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconDotsVertical,
  IconHeadset,
  IconMicrophone,
  IconMicrophoneOff,
  IconPhoneOff,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlayerRecord,
  IconRecordMail,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState, type ReactNode } from 'react';
import type { LineCall } from '../../contract/calls.ts';
import { useKeys } from '../keys.ts';
import { leadQuery } from '../leads/queries.ts';
import type { LineState } from '../line.ts';
import { useConnected } from '../live.ts';
import { Menu } from '../ui/menu.tsx';
import { NotLoaded } from '../ui/not-loaded.tsx';
import { Key, Timer } from '../ui/parts.tsx';
import { withKit } from '../ui/with-kit.tsx';
import { Keypad } from './keypad.tsx';
import { Level } from './level.tsx';
import { Note } from './note.tsx';
import { RecordingMark, Standing } from './standing.tsx';
import { toggleMute, usePhone } from './use-phone.ts';
import './in-call.css';

const missing = ({ close }: { close: () => void }) => (
  <NotLoaded isOver close={close}>
    This part of the telephone could not be loaded. Your call goes on.
  </NotLoaded>
);
const PassOnDialog = withKit(async () => (await import('./pass-on-dialog.tsx')).PassOnDialog, missing);
const SoundDialog = withKit(async () => (await import('./sound-dialog.tsx')).SoundDialog, missing);

type Props = { line: LineState; call: LineCall };

/** What the bar holds while one talks. */
export function InCall({ line, call }: Props) {
  const [opened, open] = useState<'pass on' | 'sound'>();
  const isConnected = useConnected();
  const isActive = call.state === 'active';
  const isPassedOn = line.consultation !== null || line.isPassing;
  const close = () => open(undefined);
  useKeys({ o: () => (isActive && line.recorded ? line.pauseRecording(!line.isRecordingPaused) : false) });
  return (
    <>
      {line.hasSound && <Level isFlat={(line.isOnHold || line.isOnHoldByOther) && !line.consultation} />}
      <div className="grow">
        <div className="phone-time">
          {isConnected ? (
            <Timer since={line.consultation?.connected_at ?? ((isActive && line.connectedAt) || call.started_at)} />
          ) : (
            <div className="said">Reconnecting</div>
          )}
          <RecordingMark line={line} call={call} />
        </div>
        <Standing line={line} call={call} />
      </div>
      {line.hasSound && isActive && !isPassedOn && <More line={line} call={call} open={open} />}
      <div className="phone-buttons">
        {line.hasSound && isActive && <Mute />}
        {isPassedOn ? <Asking line={line} call={call} /> : isActive && <Talking line={line} call={call} />}
        <HangUp line={line} isActive={isActive} />
      </div>
      {line.hasSound && <Note />}
      <Suspense>
        {opened === 'pass on' && <PassOnDialog line={line} call={call} close={close} />}
        {opened === 'sound' && <SoundDialog close={close} />}
      </Suspense>
    </>
  );
}

type SwitchProps = { isOn: boolean; icon: ReactNode; word: string; hint: string; act: () => void; disabled?: boolean };

/** Inverted while it is on. */
const Switch = ({ isOn, icon, word, hint, act, disabled = false }: SwitchProps) => (
  <button
    type="button"
    className={isOn ? 'phone-button on' : 'phone-button'}
    title={word}
    disabled={disabled}
    onClick={act}
  >
    {icon}
    <span>
      <span className="phone-word">{word}</span> <Key>{hint}</Key>
    </span>
  </button>
);

const ICON = { size: 17, stroke: 1.75, 'aria-hidden': true };

function Mute() {
  const { isMuted, whose } = usePhone();
  useKeys({ m: toggleMute });
  return (
    <Switch
      disabled={whose === 'another’s'}
      isOn={isMuted}
      icon={isMuted ? <IconMicrophoneOff {...ICON} /> : <IconMicrophone {...ICON} />}
      word={isMuted ? 'Muted' : 'Mute'}
      hint="M"
      act={toggleMute}
    />
  );
}

function Talking({ line, call }: Props) {
  const { isOnHold, hasSound } = line;
  const hold = () => line.hold(!isOnHold);
  const leave = () => void line.hangUp(true).catch(() => undefined);
  // No machine is at the other end, and nothing that listens for digits.
  const isColleague = call.direction === 'local' || call.asks;
  useKeys({ ...(!isColleague && { v: leave }), ...(hasSound && { p: hold }) });
  return (
    <>
      {hasSound && (
        <>
          <Switch
            isOn={isOnHold}
            icon={isOnHold ? <IconPlayerPlay {...ICON} /> : <IconPlayerPause {...ICON} />}
            word={isOnHold ? 'Resume' : 'Hold'}
            hint="P"
            act={hold}
          />
          {!isColleague && <Keypad press={line.press} isActive={!isOnHold} />}
        </>
      )}
      {!isColleague && (
        <button type="button" className="phone-button" onClick={leave}>
          <IconRecordMail {...ICON} />
          <span>
            <span className="phone-word">Voicemail</span> <Key>V</Key>
          </span>
        </button>
      )}
    </>
  );
}

/** Someone else is asked, or rung to get the call, while the one whom it is about waits. */
function Asking({ line, call }: Props) {
  const { data: lead } = useQuery({ ...leadQuery(call.lead_id ?? 0), enabled: call.lead_id !== null });
  const who = (lead?.secondary_identifier || lead?.primary_identifier || '').split(' ', 1)[0] || 'the call';
  return (
    <>
      <button type="button" className="phone-button" onClick={line.goBack}>
        <IconArrowBackUp {...ICON} />
        <span className="phone-name">Back to {who}</span>
      </button>
      {line.consultation && (
        <button type="button" className="phone-button connect" onClick={line.connectThem}>
          <IconPlugConnected {...ICON} />
          <span>Connect them</span>
        </button>
      )}
    </>
  );
}

function HangUp({ line, isActive }: { line: LineState; isActive: boolean }) {
  const end = () => void line.hangUp().catch(() => undefined);
  useKeys({ h: end });
  return (
    <button type="button" className="phone-button phone-wide hang-up" onClick={end}>
      <IconPhoneOff size={18} stroke={1.75} aria-hidden /> {isActive ? 'Hang up' : 'Cancel'} <Key>H</Key>
    </button>
  );
}

type MoreProps = Props & { open: (dialog: 'pass on' | 'sound') => void };

function More({ line, call, open }: MoreProps) {
  const icon = { size: 16, stroke: 1.75, 'aria-hidden': true };
  const { isRecordingPaused } = line;
  return (
    <Menu
      place="below-end"
      className="phone-button phone-more"
      aria-label="More of the telephone"
      label="Telephone"
      groups={[
        {
          items: [
            ...(call.direction === 'local' || call.asks
              ? []
              : [
                  {
                    name: 'Pass the call on',
                    icon: <IconArrowForwardUp {...icon} />,
                    act: () => open('pass on'),
                  },
                ]),
            ...(line.recorded
              ? [
                  {
                    name: isRecordingPaused ? 'Record again' : 'Pause the recording',
                    icon: <IconPlayerRecord {...icon} />,
                    end: <Key>O</Key>,
                    act: () => line.pauseRecording(!isRecordingPaused),
                  },
                ]
              : []),
            { name: 'Microphone and loudspeaker', icon: <IconHeadset {...icon} />, act: () => open('sound') },
          ],
        },
      ]}
    >
      <IconDotsVertical size={17} stroke={1.75} aria-hidden />
    </Menu>
  );
}
