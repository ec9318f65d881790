const LOUDEST = 0.1;

/** Two tones as a telephone has them, made here: no file has to come when someone calls. Answers with what ends it. */
export function ring(): () => void {
  let context: AudioContext;
  try {
    context = new AudioContext();
  } catch {
    return () => {};
  }
  const volume = context.createGain();
  volume.gain.value = 0;
  volume.connect(context.destination);
  for (const frequency of [400, 450]) {
    const tone = context.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(volume);
    tone.start();
  }
  let loudness = 0;
  const sound = () => {
    const now = context.currentTime;
    // Never loud at once: whoever has a headset on is not to start.
    loudness = Math.min(LOUDEST, loudness + LOUDEST / 4);
    for (const [from, to] of [
      [0, 0.4],
      [0.6, 1],
    ] as const) {
      volume.gain.setTargetAtTime(loudness, now + from, 0.05);
      volume.gain.setTargetAtTime(0, now + to, 0.02);
    }
  };
  // Where nobody has touched the page yet, the browser keeps it silent.
  context.resume().catch(() => undefined);
  sound();
  const again = setInterval(sound, 3_000);
  return () => {
    clearInterval(again);
    context.close().catch(() => undefined);
  };
}

export type Notifying = 'insecure' | 'missing' | NotificationPermission;

/** Whether this browser tells of a call while another window is in front. */
export const notifying = (): Notifying =>
  !isSecureContext ? 'insecure' : 'Notification' in globalThis ? Notification.permission : 'missing';

/** Tells of a call, unless the page is in front anyway. Answers with what takes it back. */
export function notify(title: string, body: string): () => void {
  if (notifying() !== 'granted' || document.hasFocus()) return () => {};
  try {
    const shown = new Notification(title, { body, tag: 'leadline call', requireInteraction: true });
    shown.addEventListener('click', () => {
      focus();
      shown.close();
    });
    return () => shown.close();
  } catch {
    // Some browsers on phones have it and refuse it.
    return () => {};
  }
}
