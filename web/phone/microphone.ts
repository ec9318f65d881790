import { findDevice, listDevices, readChosen } from './devices.ts';

/** Why there is no microphone. */
export type MicrophoneFault = 'insecure' | 'blocked' | 'missing' | 'taken' | 'unsupported';

export class NoMicrophone extends Error {
  readonly fault: MicrophoneFault;

  constructor(fault: MicrophoneFault) {
    super(fault);
    this.fault = fault;
  }
}

/** As browsers name it. */
const FAULTS: Record<string, MicrophoneFault> = {
  NotAllowedError: 'blocked',
  SecurityError: 'blocked',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'taken',
  AbortError: 'taken',
};

const WANTED: MediaTrackConstraints = {
  echoCancellation: true,
  autoGainControl: true,
  noiseSuppression: true,
  channelCount: 1,
};

/** The one that was chosen, else the system's. */
export async function openMicrophone(): Promise<MediaStream> {
  const { mediaDevices } = navigator as Partial<Navigator>;
  if (!mediaDevices) throw new NoMicrophone(isSecureContext ? 'unsupported' : 'insecure');
  const chosen = findDevice(await listDevices('microphone'), readChosen().microphone);
  try {
    if (!chosen) return await mediaDevices.getUserMedia({ audio: WANTED });
    return await mediaDevices
      .getUserMedia({ audio: { ...WANTED, deviceId: { exact: chosen.id } } })
      // It may have been pulled out meanwhile, or be another program's.
      .catch(() => mediaDevices.getUserMedia({ audio: WANTED }));
  } catch (error) {
    throw new NoMicrophone(FAULTS[(error as DOMException).name] ?? 'taken');
  }
}

export const closeStream = (stream: MediaStream | undefined): void => {
  for (const track of stream?.getTracks() ?? []) track.stop();
};

/** What happened, what it means, and what to do. */
export const MICROPHONE_FAULTS: Record<MicrophoneFault, { title: string; advice: string }> = {
  blocked: { title: 'Microphone is blocked', advice: 'Allow it in the address bar, then try again.' },
  missing: { title: 'No microphone', advice: 'Plug one in, and it is used.' },
  taken: { title: 'Another program has the microphone', advice: 'Close it there, then try again.' },
  insecure: { title: 'No microphone without HTTPS', advice: 'Open this page at its https address.' },
  unsupported: { title: 'This browser gives no microphone', advice: 'Use a current Chrome, Edge, Firefox or Safari.' },
};
