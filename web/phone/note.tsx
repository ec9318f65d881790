import { IconAlertTriangle, IconDeviceTablet, IconVolumeOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { MICROPHONE_FAULTS } from './microphone.ts';
import { hearTelephone, takeTelephone, tryAgain, usePhone } from './use-phone.ts';
import type { Seen } from './seen.ts';
import './note.css';

type Said = { icon?: ReactNode; title: string; advice: string; act?: { verb: string; act: () => void } };

const ICON = { size: 16, stroke: 1.75, 'aria-hidden': true };
const AGAIN = { verb: 'Try again', act: tryAgain };

/** What keeps one from hearing or being heard, the worst alone: what happened, and what to do. */
function sayTrouble({ whose, refusal, isMissing, isSilenced, microphone }: Seen): Said | undefined {
  if (isMissing)
    return {
      title: 'The telephone could not be loaded.',
      advice: 'The call goes on.',
      act: { ...AGAIN, verb: 'Reload' },
    };
  if (whose === 'another’s')
    return {
      icon: <IconDeviceTablet {...ICON} />,
      title: 'The telephone is in another tab.',
      advice: 'You are heard there.',
      act: { verb: 'Use it here', act: takeTelephone },
    };
  if (refusal) return { title: 'No sound.', advice: refusal, act: AGAIN };
  if (isSilenced)
    return {
      icon: <IconVolumeOff {...ICON} />,
      title: 'The browser keeps the call silent until you click.',
      advice: '',
      act: { verb: 'Click to hear', act: hearTelephone },
    };
  if (microphone === 'mute there')
    return {
      title: 'The microphone is switched off.',
      advice: 'They cannot hear you. Switch it on at the headset or in the system.',
    };
  if (microphone === undefined || microphone === 'live') return undefined;
  const { title, advice } = MICROPHONE_FAULTS[microphone];
  const canTry = microphone !== 'insecure' && microphone !== 'unsupported';
  return { title: `${title}.`, advice: `They cannot hear you. ${advice}`, ...(canTry && { act: AGAIN }) };
}

/** One quiet line under the telephone, while something is wrong with the sound. The call goes on. */
export function Note() {
  const said = sayTrouble(usePhone());
  return (
    <div className="phone-note" role="status">
      {said && (
        <>
          {said.icon ?? <IconAlertTriangle {...ICON} />}
          <p>
            <strong>{said.title}</strong> {said.advice}
          </p>
          {said.act && (
            <button type="button" className="phone-note-act" onClick={said.act.act}>
              {said.act.verb}
            </button>
          )}
        </>
      )}
    </div>
  );
}
