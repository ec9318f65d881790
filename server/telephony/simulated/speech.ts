import { rename, rm, writeFile } from 'node:fs/promises';

export type Conversation = { seconds: number; voicemail: boolean; seed: number };

const RATE = 8000;
const LOUDEST = 10 ** (-6 / 20);
const LINE_NOISE = 0.0006;
/** How often the mouth moves, in samples: 5 ms. */
const STEP = 40;

type Said = { by: 'agent' | 'called'; sound: Float32Array };
type Chance = () => number;

/** Writes the recording of a call to a file, in pieces, without holding up whoever else needs the processor. */
export async function writeRecording(path: string, conversation: Conversation): Promise<void> {
  const part = `${path}.part`;
  // A phrase is spoken when the one before it is on disk. That wait is where everyone else gets the processor.
  try {
    await writeFile(part, record(conversation), { mode: 0o600 });
    await rename(part, path);
  } catch (error) {
    // Half of it is of no use, and the disk may be full.
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
}

function* record({ seconds, voicemail, seed }: Conversation): Generator<Uint8Array> {
  const chance = createChance(seed);
  const talk = voicemail ? leaveMessage(chance) : converse(chance);
  let left = Math.round(seconds * RATE);
  yield header(left);
  while (left > 0) {
    const { by, sound } = talk.next().value;
    const heard = sound.subarray(0, left);
    yield putOnLine(by, heard, chance);
    left -= heard.length;
  }
}

function header(samples: number): Uint8Array {
  const bytes = Buffer.from('RIFF----WAVEfmt --------------------data----');
  bytes.writeUInt32LE(36 + samples * 4, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(RATE * 4, 28);
  bytes.writeUInt16LE(4, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.writeUInt32LE(samples * 4, 40);
  return bytes;
}

function putOnLine(by: Said['by'], sound: Float32Array, chance: Chance): Uint8Array {
  const stereo = new Int16Array(sound.length * 2);
  const channel = by === 'agent' ? 0 : 1;
  for (let at = 0; at < stereo.length; at++) {
    const noise = (chance() * 2 - 1) * LINE_NOISE;
    stereo[at] = Math.round(32_767 * (at % 2 === channel ? noise + sound[at >> 1]! : noise));
  }
  return new Uint8Array(stereo.buffer);
}

/** Whoever picks up says hello, then they take turns. */
function* converse(chance: Chance): Generator<Said, never> {
  const [agent, called] = createVoices(chance);
  yield say(called, 2, 0.6, chance);
  for (;;) {
    yield* takeTurn(agent, chance);
    yield* takeTurn(called, chance);
  }
}

function* leaveMessage(chance: Chance): Generator<Said, never> {
  const [agent, called] = createVoices(chance);
  yield say(called, 7, 0.2, chance);
  yield say(called, 7, 0.4, chance);
  const beep = new Float32Array(0.4 * RATE).map((_, at) => LOUDEST * Math.sin((2 * Math.PI * 1000 * at) / RATE));
  yield { by: 'called', sound: beep };
  yield { by: 'agent', sound: new Float32Array(0.5 * RATE) };
  for (;;) yield* takeTurn(agent, chance);
}

function* takeTurn(voice: Voice, chance: Chance): Generator<Said> {
  for (let phrases = Math.floor(chance() * 4); phrases >= 0; phrases--) {
    const pause = phrases === 0 ? 0.3 + chance() * 0.6 : 0.1 + chance() * 0.3;
    yield say(voice, 2 + Math.floor(chance() * 8), pause, chance);
  }
}

type Voice = { of: Said['by']; pitch: number; cords: Float32Array };

/** One low, one high, so that nobody takes one for the other. */
function createVoices(chance: Chance): [Voice, Voice] {
  const [low, high] = [95 + chance() * 25, 185 + chance() * 35];
  const [agent, called] = chance() < 0.5 ? [low, high] : [high, low];
  return [createVoice('agent', agent), createVoice('called', called)];
}

const COSINE = new Float32Array(1024).map((_, at) => Math.cos((2 * Math.PI * at) / 1024));

function createVoice(of: Said['by'], pitch: number): Voice {
  const cords = new Float32Array(COSINE.length);
  // Harmonics above half the sampling rate fold back as a rattle, and intonation lifts the pitch by up to a quarter.
  for (let harmonic = 1; harmonic * pitch * 1.25 < RATE / 2; harmonic++) {
    const strength = harmonic ** -0.4;
    for (let at = 0; at < cords.length; at++) cords[at]! += strength * COSINE[(harmonic * at) % COSINE.length]!;
  }
  return { of, pitch, cords };
}

type Phoneme = [formants: number[], voiced: number, breath: number, seconds: number];

const AT_REST = [500, 1500, 2500];
const SHUT: Phoneme = [AT_REST, 0, 0, 0.05];
const CONSONANTS: Phoneme[][] = [
  [[[250, 1100, 2200], 0.4, 0, 0.07]], // m
  [[[250, 1500, 2500], 0.4, 0, 0.06]], // n
  [[[360, 1050, 2750], 0.6, 0, 0.06]], // l
  [[[350, 1100, 1600], 0.6, 0, 0.06]], // r
  [[[320, 1700, 2600], 0, 2, 0.09]], // s
  [SHUT, [[300, 1700, 2600], 0, 4, 0.015]], // t
  [SHUT, [[250, 900, 2200], 0.5, 2, 0.01]], // b
];

/** A phrase, and the pause its speaker makes after it. */
function say(voice: Voice, syllables: number, pause: number, chance: Chance): Said {
  const phonemes: Phoneme[] = [];
  for (let left = syllables; left > 0; left--) {
    const [loud, long] = left === 1 ? [0.7, 0.18] : [0.8 + chance() * 0.2, 0.08 + chance() * 0.07];
    phonemes.push(...CONSONANTS[Math.floor(chance() * CONSONANTS.length)]!, [pickVowel(chance), loud, 0, long]);
  }
  return { by: voice.of, sound: articulate(voice, [...phonemes, [AT_REST, 0, 0, pause]], chance) };
}

/** Anywhere in the triangle between the vowels of bee, boo and bar. */
function pickVowel(chance: Chance): number[] {
  const [open, front] = [chance(), chance()];
  return [270 + 460 * open, 870 + 220 * open + front * (1420 - 900 * open), 2300 + 500 * front];
}

/** Vocal cords through three resonators in a row, after Klatt, 1980. The breath of a consonant goes past them. */
function articulate({ pitch, cords }: Voice, phonemes: Phoneme[], chance: Chance): Float32Array {
  const steps = phonemes.map(([, , , seconds]) => Math.round((seconds * RATE) / STEP));
  const sound = new Float32Array(STEP * steps.reduce((sum, some) => sum + some));
  const spoken = sound.length - STEP * steps.at(-1)!;
  // A high voice comes from a short throat, and a short throat lifts every formant.
  const lift = (pitch / 105) ** 0.2;
  const resonators = [60, 90, 140].map((width, which) => createResonator(AT_REST[which]!, width));
  let [at, phase, tone, voiced, breath, airBefore, loudest] = [0, 0, pitch, 0, 0, 0, 0];
  for (const [index, [formants, voicedNext, breathNext]] of phonemes.entries()) {
    const accent = 0.95 + chance() * 0.15;
    for (let step = 0; step < steps[index]!; step++) {
      // The pitch sinks all through a phrase, and falls at its end.
      const gone = Math.min(1, at / spoken);
      tone += (pitch * accent * (1.12 - 0.2 * gone - Math.max(0, gone - 0.8)) - tone) * 0.15;
      for (let which = 0; which < 3; which++) resonators[which]!.moveTo(formants[which]! * lift);
      for (const end = at + STEP; at < end; at++) {
        voiced += (voicedNext - voiced) * 0.015;
        breath += (breathNext - breath) * 0.03;
        phase = (phase + (tone * cords.length) / RATE) % cords.length;
        const air = chance() - 0.5;
        let wave = voiced * (cords[Math.trunc(phase)]! + air * 0.3);
        for (let which = 0; which < 3; which++) wave = resonators[which]!.pass(wave);
        sound[at] = wave + breath * (air - airBefore);
        loudest = Math.max(loudest, Math.abs(sound[at]!));
        airBefore = air;
      }
    }
  }
  const gain = (LOUDEST * (0.8 + chance() * 0.2)) / loudest;
  return sound.map((sample) => sample * gain);
}

function createResonator(frequency: number, width: number) {
  const fade = Math.exp((-Math.PI * width) / RATE);
  let [turn, now, before] = [0, 0, 0];
  return {
    moveTo(next: number) {
      frequency += (next - frequency) * 0.25;
      turn = 2 * fade * Math.cos((2 * Math.PI * frequency) / RATE);
    },
    pass(wave: number) {
      const out = (1 - turn + fade * fade) * wave + turn * now - fade * fade * before;
      before = now;
      now = out;
      return out;
    },
  };
}

/** Mulberry32: unlike dice that only multiply, it starts neighbouring seeds far apart. */
function createChance(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
