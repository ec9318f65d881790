/** How loud a stream is just now, from 0 to 1. */
export type Meter = { read: () => number; stop: () => void };

const QUIETEST_DB = -55;
const LOUDEST_DB = -12;

export function openMeter(context: AudioContext, stream: MediaStream): Meter {
  const source = context.createMediaStreamSource(stream);
  const analyser = context.createAnalyser();
  analyser.fftSize = 1_024;
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    read: () => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      const decibels = 10 * Math.log10(power || 1e-12);
      return Math.min(1, Math.max(0, (decibels - QUIETEST_DB) / (LOUDEST_DB - QUIETEST_DB)));
    },
    stop: () => {
      source.disconnect();
      analyser.disconnect();
    },
  };
}

/** Where nobody has touched the page yet it is not allowed to run, and starts with the first touch. */
export function openContext(): AudioContext {
  const context = new AudioContext();
  const wake = () => void context.resume().catch(() => undefined);
  const touched = new AbortController();
  for (const name of ['pointerdown', 'keydown'])
    addEventListener(name, wake, { capture: true, passive: true, signal: touched.signal });
  context.addEventListener('statechange', () => {
    if (context.state === 'closed') touched.abort();
  });
  return context;
}
