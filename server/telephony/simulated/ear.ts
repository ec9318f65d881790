import { FRAME_MS } from '../media/media.ts';
import { SAMPLES } from '../media/g711.ts';

/** Softer than this nobody speaks into a telephone: −46 dB below full scale. */
const SOFTEST = 32_768 * 10 ** (-46 / 20);
/** A voice is so much louder than what is heard around it. */
const ABOVE_NOISE = 3;
/** In 20 ms: noise that goes on is noise after some seconds; the gaps between words say how loud it is at once. */
const RISES = 1.008;
const FALLS = 0.2;
/** Shorter is a click, or a cough, and is forgotten soon. */
const SPOKEN_MS = 180;
const FORGOTTEN_MS = 400;
/** So much of it is one frequency: of 100 frames of speech that is so for four, of tones for all but where one follows another. */
const PURE = 0.9;

export type Ear = ReturnType<typeof createEar>;

/** Tells when someone has spoken, and when they have paused. What is played to those who wait is neither: tones are no words, and no silence. */
export function createEar() {
  let noise = SOFTEST / ABOVE_NOISE;
  let [spokenMs, quietMs] = [0, 0];
  return {
    hear(frame: Uint8Array | undefined) {
      const loudness = frame ? loudnessOf(frame) : 0;
      const heard = loudness > Math.max(SOFTEST, noise * ABOVE_NOISE);
      noise = loudness < noise ? noise + (loudness - noise) * FALLS : noise * RISES;
      noise = Math.max(noise, SOFTEST / ABOVE_NOISE);
      if (heard && !isTone(frame!)) spokenMs += FRAME_MS;
      quietMs = heard ? 0 : quietMs + FRAME_MS;
      if (spokenMs < SPOKEN_MS && quietMs > FORGOTTEN_MS) spokenMs = 0;
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
  for (let at = 0; at < frame.length; at++) energy += SAMPLES[frame[at]!]! ** 2;
  return Math.sqrt(energy / Math.max(1, frame.length));
}

function isTone(frame: Uint8Array): boolean {
  // Of a pure tone, what comes before and after a sample is a multiple of it, and that says which tone it would be.
  let [around, itself, energy] = [0, 0, 0];
  for (let at = 1; at < frame.length - 1; at++) {
    const sample = SAMPLES[frame[at]!]!;
    around += (SAMPLES[frame[at - 1]!]! + SAMPLES[frame[at + 1]!]!) * sample;
    itself += sample * sample;
  }
  const turn = Math.acos(Math.max(-1, Math.min(1, around / (2 * itself))));
  let [cosine, sine] = [0, 0];
  for (let at = 0; at < frame.length; at++) {
    const sample = SAMPLES[frame[at]!]!;
    energy += sample * sample;
    cosine += sample * Math.cos(turn * at);
    sine += sample * Math.sin(turn * at);
  }
  return (2 * (cosine ** 2 + sine ** 2)) / (frame.length * energy) > PURE;
}
