import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FRAME_BYTES, RATE } from '../server/telephony/media/media.ts';
import { toByte, SILENT } from '../server/telephony/media/g711.ts';
import { ANNOUNCED, ANNOUNCED_FILE } from '../server/telephony/media/tones.ts';
import { SPOKEN_HEADER_BYTES as HEADER_BYTES } from '../server/telephony/media/wav.ts';
import { AGENTS, DIGITS, PEOPLE, type Agent, type Person } from '../server/telephony/simulated/sentences.ts';
import { LOUDNESS, SOUNDS } from '../server/telephony/simulated/sounds.ts';

/** Speaks the sentences of the simulated line, and what is said before a call is recorded, into files, with `flite` (Debian: `apt-get install flite`), which nobody needs who only listens. */

type Speaker = Person | Agent | 'digits' | 'service';

/**
 * Flite has one woman and two men who sound like people. A throat shorter than theirs lifts pitch and formants together, and makes another person of them;
 * `pitch` is what is heard in the end, and `pace` below 1 is faster.
 */
const SPEAKERS: Record<Speaker, { voice: string; throat: number; pitch: number; pace: number }> = {
  ruth: { voice: 'slt', throat: 1, pitch: 175, pace: 0.95 },
  ines: { voice: 'slt', throat: 1.08, pitch: 215, pace: 0.96 },
  paul: { voice: 'rms', throat: 1, pitch: 100, pace: 0.82 },
  alan: { voice: 'awb', throat: 1, pitch: 125, pace: 0.92 },
  amara: { voice: 'slt', throat: 0.93, pitch: 165, pace: 0.92 },
  ben: { voice: 'rms', throat: 1.1, pitch: 125, pace: 0.78 },
  digits: { voice: 'slt', throat: 1, pitch: 175, pace: 1.2 },
  service: { voice: 'slt', throat: 1, pitch: 175, pace: 1.05 },
};

const SAID: Record<Exclude<Speaker, 'service'>, Record<string, string>> = {
  ...PEOPLE,
  ...AGENTS,
  digits: Object.fromEntries(Object.values(DIGITS).map((word) => [word, word])),
};

const folder = mkdtempSync(join(tmpdir(), 'leadline-speak-'));
try {
  rmSync(SOUNDS, { recursive: true, force: true });
  let bytes = 0;
  for (const speaker of Object.keys(SAID) as (keyof typeof SAID)[]) {
    mkdirSync(join(SOUNDS, speaker), { recursive: true });
    for (const [name, sentence] of Object.entries(SAID[speaker])) {
      bytes += write(join(SOUNDS, speaker, `${name}.wav`), speaker, sentence);
    }
  }
  bytes += write(ANNOUNCED_FILE, 'service', ANNOUNCED);
  console.log(`${bytes} bytes in ${SOUNDS} and ${ANNOUNCED_FILE}`);
} finally {
  rmSync(folder, { recursive: true });
}

function write(file: string, speaker: Speaker, sentence: string): number {
  const wav = toWav(level(trim(speak(speaker, sentence))));
  writeFileSync(file, wav);
  return wav.length;
}

/** −1 to 1, at 8 kHz. */
function speak(speaker: Speaker, sentence: string): Float64Array {
  const { voice, throat, pitch, pace } = SPEAKERS[speaker];
  const file = join(folder, 'said.wav');
  const settings = [`int_f0_target_mean=${pitch / throat}`, `duration_stretch=${pace * throat}`];
  execFileSync('flite', ['-voice', voice, ...settings.flatMap((one) => ['--setf', one]), '-t', sentence, '-o', file]);
  const spoken = readFileSync(file);
  const samples = Float64Array.from(
    { length: (spoken.length - 44) / 2 },
    (_, at) => spoken.readInt16LE(44 + at * 2) / 32_768,
  );
  return resample(samples, (spoken.readUInt32LE(24) * throat) / RATE);
}

/** Every `step`th sample, with what a telephone does not carry (above 3.4 kHz) taken out first. */
function resample(samples: Float64Array, step: number): Float64Array {
  const cutoff = 3_400 / (RATE * step);
  const reach = Math.ceil(24 * step);
  return Float64Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    const middle = index * step;
    let sum = 0;
    for (let at = Math.ceil(middle - reach); at <= middle + reach; at++) {
      const away = at - middle;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * away) / reach);
      const wave = away === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * away) / (Math.PI * away);
      sum += (samples[at] ?? 0) * wave * window;
    }
    return sum;
  });
}

/** From the first to the last that can be heard, and 20 ms around it, faded so that nothing clicks. */
function trim(sound: Float64Array): Float64Array {
  const audible = 0.02 * sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const first = sound.findIndex((sample) => Math.abs(sample) > audible);
  const last = sound.findLastIndex((sample) => Math.abs(sample) > audible);
  const margin = 0.02 * RATE;
  const kept = sound.slice(Math.max(0, first - margin), last + margin);
  const fade = margin / 2;
  return kept.map((sample, at) => sample * Math.min(1, at / fade, (kept.length - 1 - at) / fade));
}

/** As loud as the others while speaking, with peaks pressed together below 0.7. */
function level(sound: Float64Array): Float64Array {
  let levelled = sound;
  for (let turn = 0; turn < 4; turn++) {
    const gain = LOUDNESS / activeLoudness(levelled);
    levelled = levelled.map((sample) => press(sample * gain));
  }
  return levelled;
}

function press(sample: number): number {
  const over = Math.abs(sample) - 0.5;
  return over <= 0 ? sample : Math.sign(sample) * (0.5 + 0.2 * Math.tanh(over / 0.2));
}

/** Without the pauses between words. */
function activeLoudness(sound: Float64Array): number {
  const energies = Array.from({ length: Math.floor(sound.length / FRAME_BYTES) }, (_, frame) =>
    sound
      .subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES)
      .reduce((sum, sample) => sum + sample ** 2 / FRAME_BYTES, 0),
  );
  const loudest = Math.max(...energies);
  const active = energies.filter((energy) => energy > loudest / 1_000);
  return Math.sqrt(active.reduce((sum, energy) => sum + energy, 0) / active.length);
}

function toWav(sound: Float64Array): Uint8Array {
  const length = Math.ceil(sound.length / FRAME_BYTES) * FRAME_BYTES;
  const wav = Buffer.alloc(HEADER_BYTES + length, SILENT);
  wav.write('RIFF----WAVEfmt ', 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.writeUInt32LE(18, 16);
  // 7 is μ-law.
  wav.writeUInt16LE(7, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.writeUInt16LE(0, 36);
  wav.write('fact', 38, 'latin1');
  wav.writeUInt32LE(4, 42);
  wav.writeUInt32LE(length, 46);
  wav.write('data', 50, 'latin1');
  wav.writeUInt32LE(length, 54);
  wav.set(
    Uint8Array.from(sound, (sample) => toByte(sample * 32_767)),
    HEADER_BYTES,
  );
  return wav;
}
