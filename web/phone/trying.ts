import { findDevice, listDevices, readChosen } from './devices.ts';

/** Not every browser lets pages choose where they are heard. */
export const canChooseLoudspeaker = (): boolean => 'setSinkId' in HTMLMediaElement.prototype;

/** Plays what `make` makes, through the loudspeaker that was chosen, until it ends. */
async function playThrough(loudness: number, make: (context: AudioContext) => AudioScheduledSourceNode): Promise<void> {
  const context = new AudioContext();
  const out = context.createMediaStreamDestination();
  const speaker = new Audio();
  try {
    const { loudspeaker } = readChosen();
    const device = findDevice(loudspeaker ? await listDevices('loudspeaker') : [], loudspeaker);
    if (device && canChooseLoudspeaker()) await speaker.setSinkId(device.id).catch(() => undefined);
    speaker.srcObject = out.stream;
    const source = make(context);
    // Never loud at once.
    const volume = context.createGain();
    volume.gain.setValueAtTime(0, context.currentTime);
    volume.gain.linearRampToValueAtTime(loudness, context.currentTime + 0.1);
    source.connect(volume).connect(out);
    const ended = new Promise((resolve) => source.addEventListener('ended', resolve));
    source.start();
    await context.resume();
    await speaker.play();
    await ended;
  } catch {
    // Nothing was heard, which is what one wanted to know.
  } finally {
    speaker.srcObject = null;
    await context.close();
  }
}

/** Three notes, as a telephone in a good mood has them. */
export const playSound = (): Promise<void> =>
  playThrough(0.15, (context) => {
    const tone = context.createOscillator();
    const now = context.currentTime;
    tone.frequency.setValueAtTime(523, now);
    tone.frequency.setValueAtTime(659, now + 0.3);
    tone.frequency.setValueAtTime(784, now + 0.6);
    tone.stop(now + 1.1);
    return tone;
  });

/** What a microphone hears for so many seconds. */
export async function recordFor(stream: MediaStream, seconds: number): Promise<Blob> {
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve));
  recorder.start();
  setTimeout(() => recorder.state !== 'inactive' && recorder.stop(), seconds * 1_000);
  await stopped;
  return new Blob(parts);
}

export async function playBack(sound: Blob): Promise<void> {
  const decoder = new OfflineAudioContext(1, 1, 48_000);
  const buffer = await decoder.decodeAudioData(await sound.arrayBuffer());
  await playThrough(1, (context) => Object.assign(context.createBufferSource(), { buffer }));
}
