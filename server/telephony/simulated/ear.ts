import { FRAME_MS } from '../media/media.ts';
import { DECODED } from '../media/mulaw.ts';

/** Softer than this nobody speaks into a telephone: −46 dB below full scale. */
const SOFTEST = 32_768 * 10 ** (-46 / 20);
/** A voice is so much louder than what is heard around it. */
const ABOVE_NOISE = 3;
/** In 20 ms: noise that goes on is noise after some seconds; the gaps between words say how loud it is at once. */
const RISES = 1.008;
const FALLS = 0.2;
/** Shorter is a click, or a cough. */
const SPOKEN_MS = 160;

export type Ear = ReturnType<typeof createEar>;

/** Tells when someone has spoken, and when they have paused. */
export function createEar() {
  let noise = SOFTEST / ABOVE_NOISE;
  let [spokenMs, quietMs] = [0, 0];
  return {
    hear(frame: Uint8Array | undefined) {
      const loudness = frame ? loudnessOf(frame) : 0;
      const speaks = loudness > Math.max(SOFTEST, noise * ABOVE_NOISE);
      noise = loudness < noise ? noise + (loudness - noise) * FALLS : noise * RISES;
      noise = Math.max(noise, SOFTEST / ABOVE_NOISE);
      if (speaks) spokenMs += FRAME_MS;
      quietMs = speaks ? 0 : quietMs + FRAME_MS;
    },
    hasSpoken: () => spokenMs >= SPOKEN_MS,
    quietMs: () => quietMs,
    /** What was heard so far is answered. */
    forget() {
      [spokenMs, quietMs] = [0, 0];
    },
  };
}

function loudnessOf(frame: Uint8Array): number {
  let energy = 0;
  for (let at = 0; at < frame.length; at++) energy += DECODED[frame[at]!]! ** 2;
  return Math.sqrt(energy / Math.max(1, frame.length));
}
