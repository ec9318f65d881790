import { NativeSelect } from '@mantine/core';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import {
  findDevice,
  keepChosen,
  listDevices,
  readChosen,
  watchChosen,
  type Chosen,
  type Device,
  type DeviceKind,
} from './devices.ts';
import { openContext, openMeter } from './levels.ts';
import { closeStream, MICROPHONE_FAULTS, NoMicrophone, openMicrophone, type MicrophoneFault } from './microphone.ts';
import { canChooseLoudspeaker, playBack, playSound, recordFor } from './trying.ts';
import './sound-check.css';

const SECONDS = 3;
const NONE: Chosen = {};
let chosenBefore = NONE;
/** The same object for as long as the same is chosen. */
function readSame(): Chosen {
  const chosen = readChosen();
  if (JSON.stringify(chosen) !== JSON.stringify(chosenBefore)) chosenBefore = chosen;
  return chosenBefore;
}

/** Which microphone and which loudspeaker, and whether they work. `isBegun`: the microphone is tried at once, not at the press of a button. */
export function SoundCheck({ isBegun }: { isBegun: boolean }) {
  const chosen = useSyncExternalStore(watchChosen, readSame);
  const [isTrying, setTrying] = useState(isBegun);
  const { stream, fault, again } = useTrial(isTrying, chosen.microphone?.id);
  const devices = useDevices(stream !== undefined);
  const [doing, setDoing] = useState<'recording' | 'playing'>();
  const recordAndPlay = async () => {
    if (!stream || doing) return;
    try {
      setDoing('recording');
      const sound = await recordFor(stream, SECONDS);
      setDoing('playing');
      await playBack(sound);
    } finally {
      setDoing(undefined);
    }
  };
  return (
    <div className="stack sound-check">
      <div className="side-by-side">
        <Choice kind="microphone" label="Microphone" devices={devices.microphone} chosen={chosen} />
        {canChooseLoudspeaker() ? (
          <Choice kind="loudspeaker" label="Loudspeaker" devices={devices.loudspeaker} chosen={chosen} />
        ) : (
          <p className="meta">This browser plays where the system plays: choose the loudspeaker there.</p>
        )}
      </div>
      {isTrying && !fault && <Loudness stream={stream} />}
      {isTrying && fault && (
        <p className="sound-fault" role="alert">
          <strong>{MICROPHONE_FAULTS[fault].title}.</strong> {MICROPHONE_FAULTS[fault].advice}
        </p>
      )}
      <div className="tags">
        {!isTrying && (
          <Button size="xs" variant="default" onClick={() => setTrying(true)}>
            Try the microphone
          </Button>
        )}
        {isTrying && fault && (
          <Button size="xs" variant="default" onClick={again}>
            Try again
          </Button>
        )}
        {isTrying && stream && (
          <Button size="xs" variant="default" loading={doing !== undefined} onClick={() => void recordAndPlay()}>
            {doing === 'recording'
              ? 'Say something'
              : doing === 'playing'
                ? 'That is how you sound'
                : `Record ${SECONDS} seconds and play it back`}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => void playSound()}>
          Play a sound
        </Button>
      </div>
      <p className="meta">Kept in this browser. What is not there is the system’s choice until it is back.</p>
    </div>
  );
}

const SYSTEM = 'As the system';

type ChoiceProps = { kind: DeviceKind; label: string; devices: Device[]; chosen: Chosen };

function Choice({ kind, label, devices, chosen }: ChoiceProps) {
  const own = chosen[kind];
  const found = findDevice(devices, own);
  const named = devices.map(({ id, label: name }, place) => ({ value: id, label: name || `${label} ${place + 1}` }));
  // One that is not there stays chosen.
  const missing = own && !found ? [{ value: own.id, label: `${own.label || label}, not there` }] : [];
  return (
    <NativeSelect
      label={label}
      data={[{ value: '', label: SYSTEM }, ...named, ...missing]}
      value={found?.id ?? own?.id ?? ''}
      onChange={({ currentTarget: { value } }) => {
        const device = devices.find(({ id }) => id === value);
        keepChosen({ ...chosen, [kind]: device });
      }}
    />
  );
}

/** A microphone of its own, for as long as it is tried. */
function useTrial(isTrying: boolean, chosen: string | undefined) {
  const [stream, setStream] = useState<MediaStream>();
  const [fault, setFault] = useState<MicrophoneFault>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!isTrying) return undefined;
    let isLeft = false;
    let own: MediaStream | undefined;
    openMicrophone().then(
      (opened) => {
        own = opened;
        if (isLeft) return closeStream(opened);
        setStream(opened);
        return setFault(undefined);
      },
      (error: unknown) => !isLeft && setFault(error instanceof NoMicrophone ? error.fault : 'taken'),
    );
    return () => {
      isLeft = true;
      closeStream(own);
      setStream(undefined);
    };
  }, [isTrying, chosen, tries]);
  return { stream, fault, again: () => setTries((before) => before + 1) };
}

/** Those that there are now; `isAllowed`: and by their names. */
function useDevices(isAllowed: boolean): Record<DeviceKind, Device[]> {
  const [devices, setDevices] = useState<Record<DeviceKind, Device[]>>({ microphone: [], loudspeaker: [] });
  useEffect(() => {
    const look = async () =>
      setDevices({ microphone: await listDevices('microphone'), loudspeaker: await listDevices('loudspeaker') });
    void look();
    const { mediaDevices } = navigator as Partial<Navigator>;
    mediaDevices?.addEventListener('devicechange', look);
    return () => mediaDevices?.removeEventListener('devicechange', look);
  }, [isAllowed]);
  return devices;
}

function Loudness({ stream }: { stream: MediaStream | undefined }) {
  const bar = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!stream) return undefined;
    const context = openContext();
    const meter = openMeter(context, stream);
    const moving = setInterval(() => bar.current?.style.setProperty('--level', String(meter.read())), 60);
    return () => {
      clearInterval(moving);
      meter.stop();
      void context.close();
    };
  }, [stream]);
  return (
    <div className="sound-level">
      <span className="meta">Say something: the bar moves.</span>
      <span className="sound-bar" aria-hidden>
        <span ref={bar} />
      </span>
    </div>
  );
}
