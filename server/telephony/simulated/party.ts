import { FRAME_BYTES, FRAME_MS, RATE, type Party } from '../media/media.ts';
import { createChance, pick, type Chance } from './chance.ts';
import { createEar, type Ear } from './ear.ts';
import { PEOPLE, type Person, type Remark } from './sentences.ts';
import { BEEP, digitSaid, personSays, TONE_FRAME } from './sounds.ts';

/** Who is at the other end of the simulated line. */
export type PartyKind = 'person' | 'machine' | 'echo' | 'tone';

export type PartyOptions = {
  kind: PartyKind;
  /** Voice and line of talk: the same seed is the same person. */
  seed: number;
};

/** Made when they answer: the first frame that is asked of them is the first after that. */
export const createParty = ({ kind, seed }: PartyOptions): Party => PARTIES[kind](createChance(seed));

const PARTIES: Record<PartyKind, (chance: Chance) => Party> = {
  person: createPerson,
  machine: (chance) => ({ hear() {}, speak: speaker(greetAndListen(chance)) }),
  echo: () => sayDigits(createEcho()),
  tone: () => sayDigits({ hear() {}, speak: () => TONE_FRAME }),
};

export const PERSONS = Object.keys(PEOPLE) as Person[];

/** A frame each time it is asked; undefined is silence. */
type Talk = Generator<Uint8Array | undefined>;

const speaker = (talk: Talk) => (): Uint8Array | undefined => talk.next().value as Uint8Array | undefined;

function* say(sound: Uint8Array): Talk {
  for (let at = 0; at < sound.length; at += FRAME_BYTES) yield sound.subarray(at, at + FRAME_BYTES);
}

function* wait(ms: number): Talk {
  for (let waited = 0; waited < ms; waited += FRAME_MS) yield undefined;
}

function createPerson(chance: Chance): Party {
  const ear = createEar();
  return { hear: (frame) => ear.hear(frame), speak: speaker(converse(ear, chance)) };
}

/** How a talk goes, seen from who was called. They do not understand a word, so each fits whatever they are told. */
const LINES_OF_TALK: Remark[][] = [
  ['who', 'listening', 'go_on', 'sites', 'price', 'interested', 'mail', 'yes', 'bye'],
  ['listening', 'yes', 'contract', 'price', 'dear', 'decides', 'later', 'bye'],
  ['who', 'no', 'go_on', 'decides', 'later', 'yes', 'bye'],
  ['listening', 'go_on', 'price', 'interested', 'yes', 'mail', 'later', 'bye'],
];
/** Said by those who have said goodbye and are still talked to. */
const AFTERWARDS: Remark[] = ['go_on', 'yes', 'bye'];

/** After so long without a word they ask whether anybody is there; each time they have more patience, as someone who has put the receiver down. */
const PATIENCE_MS = 4_000;
const MOST_PATIENCE_MS = 60_000;

function* converse(ear: Ear, chance: Chance): Talk {
  const person = pick(PERSONS, chance);
  const line = pick(LINES_OF_TALK, chance);
  yield* wait(400);
  yield* say(personSays(person, 'hello'));
  for (let turn = 0; ; turn++) {
    yield* listen(ear, person, 600 + chance() * 400);
    const remark = line[turn] ?? AFTERWARDS[(turn - line.length) % AFTERWARDS.length]!;
    yield* say(personSays(person, remark));
  }
}

/** Until the agent has spoken, and paused. */
function* listen(ear: Ear, person: Person, pauseMs: number): Talk {
  ear.forget();
  for (let patienceMs = PATIENCE_MS; !ear.hasSpoken() || ear.quietMs() < pauseMs;) {
    yield undefined;
    if (ear.quietMs() < patienceMs) continue;
    yield* say(personSays(person, 'still_there'));
    patienceMs = Math.min(patienceMs * 2, MOST_PATIENCE_MS);
    ear.forget();
  }
}

export const BEFORE_GREETING_MS = 400;
export const BEFORE_BEEP_MS = 300;

function* greetAndListen(chance: Chance): Talk {
  yield* wait(BEFORE_GREETING_MS);
  yield* say(personSays(pick(PERSONS, chance), 'machine'));
  yield* wait(BEFORE_BEEP_MS);
  yield* say(BEEP);
  for (;;) yield undefined;
}

const ECHO_FRAMES = RATE / FRAME_BYTES;

function createEcho(): Party {
  const heard: (Uint8Array | undefined)[] = [];
  return {
    hear(frame) {
      // A copy: whoever brings the frame may use its bytes again.
      heard.push(frame?.slice());
    },
    speak: () => (heard.length > ECHO_FRAMES ? heard.shift() : undefined),
  };
}

/** Whoever presses keys faster than they can be said hears the first of them. */
const MOST_DIGITS = 20;

/** Digits are said back in between, and what would have been heard meanwhile is not. */
function sayDigits(line: Party): Party {
  const sounds: Uint8Array[] = [];
  let saying: Talk | undefined;
  return {
    hear: (frame) => line.hear(frame),
    speak() {
      const usual = line.speak();
      for (;;) {
        const said = saying?.next();
        if (said && !said.done) return said.value;
        const next = sounds.shift();
        saying = next && say(next);
        if (!saying) return usual;
      }
    },
    digit(digit) {
      const sound = digitSaid(digit);
      if (sound && sounds.length < MOST_DIGITS) sounds.push(sound);
    },
  };
}
