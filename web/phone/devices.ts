/** A microphone or loudspeaker, as it was chosen: browsers give their devices other ids from time to time, and then the name tells. */
export type Device = { id: string; label: string };
export type Chosen = { microphone?: Device | undefined; loudspeaker?: Device | undefined };
export type DeviceKind = keyof Chosen;

const KEPT = 'leadline sound';
const KINDS = { microphone: 'audioinput', loudspeaker: 'audiooutput' } as const;

/** What was chosen in this browser; what was not is the system's. */
export function readChosen(): Chosen {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as unknown;
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

const listeners = new Set<() => void>();

export function keepChosen(chosen: Chosen): void {
  localStorage.setItem(KEPT, JSON.stringify(chosen));
  for (const hear of listeners) hear();
}

/** Calls whenever another one is chosen; what it returns ends that. */
export function watchChosen(hear: () => void): () => void {
  listeners.add(hear);
  return () => void listeners.delete(hear);
}

/** Those that there are, without the browser's own words for the system's choice. Their names come once a microphone was allowed. */
export async function listDevices(kind: DeviceKind): Promise<Device[]> {
  const { mediaDevices } = navigator as Partial<Navigator>;
  const all = (await mediaDevices?.enumerateDevices().catch(() => [])) ?? [];
  return all
    .filter(({ kind: own, deviceId }) => own === KINDS[kind] && !['', 'default', 'communications'].includes(deviceId))
    .map(({ deviceId, label }) => ({ id: deviceId, label }));
}

/** The chosen one, if it is there: by its id, else by its name. */
export const findDevice = (devices: Device[], chosen: Device | undefined): Device | undefined =>
  chosen &&
  (devices.find(({ id }) => id === chosen.id) ?? devices.find(({ label }) => label !== '' && label === chosen.label));
