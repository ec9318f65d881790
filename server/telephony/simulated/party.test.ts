import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME_BYTES, type Party } from '../media/media.ts';
import { SAMPLES, toByte, SILENT } from '../media/g711.ts';
import { createChance } from './chance.ts';
import { createParty, PERSONS, type PartyKind } from './party.ts';
import { PEOPLE, type Remark } from './sentences.ts';
import { agentSays, BEEP, digitSaid, personSays, TONE_FRAME } from './sounds.ts';

type Frame = Uint8Array | undefined;

const party = (kind: PartyKind, seed = 1): Party => createParty({ kind, seed });
const frames = (seconds: number): number => Math.round(seconds * 50);

/** What they say while the agent is silent, or says this. */
function say(to: Party, agent: Frame[]): Frame[] {
  return agent.map((frame) => {
    to.hear(frame);
    return to.speak();
  });
}
const silence = (seconds: number): Frame[] => Array.from({ length: frames(seconds) });
const listen = (to: Party, seconds: number): Frame[] => say(to, silence(seconds));

const framesOf = (sound: Uint8Array): Uint8Array[] =>
  Array.from({ length: sound.length / FRAME_BYTES }, (_, at) =>
    sound.subarray(at * FRAME_BYTES, (at + 1) * FRAME_BYTES),
  );
const sentence = framesOf(agentSays('ben', 'offers'));

/** Rushing and humming as loud as this all the time, as from a bad microphone. */
function noise(seconds: number, loudness: number, chance = createChance(9)): Uint8Array[] {
  return Array.from({ length: frames(seconds) }, () =>
    Uint8Array.from({ length: FRAME_BYTES }, () => toByte(32_767 * loudness * Math.sqrt(3) * (chance() * 2 - 1))),
  );
}
const mix = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  one.map((byte, at) => toByte(SAMPLES[byte]! + SAMPLES[other[at]!]!));

/** Stretches without a pause, as their bytes. */
function sentences(heard: Frame[]): Buffer[] {
  const said: Buffer[][] = [[]];
  for (const frame of heard) {
    if (frame) said.at(-1)!.push(Buffer.from(frame));
    else if (said.at(-1)!.length > 0) said.push([]);
  }
  return said.filter((some) => some.length > 0).map((some) => Buffer.concat(some));
}

const REMARKS = Object.keys(PEOPLE.ruth) as Remark[];
const KNOWN = PERSONS.flatMap((person) =>
  REMARKS.map((remark) => ({ person, remark, sound: Buffer.from(personSays(person, remark)) })),
);
const remarks = (heard: Frame[]) =>
  sentences(heard).map(
    (bytes) => KNOWN.find(({ sound }) => sound.equals(bytes)) ?? assert.fail('not a whole sentence'),
  );
const told = (heard: Frame[]): Remark[] => remarks(heard).map(({ remark }) => remark);

test('a person says hello when they have answered', () => {
  const heard = listen(party('person'), 3);
  assert.deepEqual(told(heard), ['hello']);
  assert.equal(heard.findIndex(Boolean), frames(0.4));
});

test('what a person says comes in whole frames', () => {
  for (const frame of listen(party('person'), 10)) assert.ok(!frame || frame.length === FRAME_BYTES);
});

test('a person waits until the agent has spoken and paused, then says the next sentence', () => {
  const person = party('person');
  listen(person, 2);
  assert.deepEqual(told(say(person, sentence)), [], 'nobody is interrupted');
  const heard = listen(person, 4);
  assert.equal(told(heard).length, 1);
  assert.ok(!['hello', 'still_there'].includes(told(heard)[0]!));
  const began = heard.findIndex(Boolean);
  assert.ok(began >= frames(0.5) && began <= frames(1.2), `after ${began / 50} s`);
});

test('a talk goes from turn to turn to a goodbye, and on when it is still talked to', () => {
  const person = party('person', 3);
  const heard = listen(person, 2);
  for (let turn = 0; turn < 14; turn++) heard.push(...say(person, sentence), ...listen(person, 5));
  const [first, ...rest] = told(heard);
  assert.equal(first, 'hello');
  assert.equal(rest.length, 14, 'one sentence a turn');
  assert.ok(rest.indexOf('bye') >= 5);
  assert.ok(!rest.includes('machine') && !rest.includes('still_there'));
  assert.equal(new Set(remarks(heard).map((known) => known.person)).size, 1, 'in one voice');
});

test('a person who hears nothing for four seconds asks whether anybody is there, later and later', () => {
  const heard = listen(party('person'), 40);
  assert.deepEqual(told(heard), ['hello', 'still_there', 'still_there', 'still_there']);
  const silences = heard
    .map((frame) => (frame ? '|' : '.'))
    .join('')
    .match(/\.{50,}/g)!
    .map((some) => Math.round(some.length / 50));
  assert.deepEqual(silences.slice(0, 3), [4, 8, 16]);
});

test('a person who was asked something again goes on where they were', () => {
  const person = party('person', 2);
  const before = told([...listen(person, 7), ...say(person, sentence), ...listen(person, 3)]);
  assert.equal(before.length, 3);
  assert.deepEqual(before.slice(0, 2), ['hello', 'still_there']);
  assert.notEqual(before[2], 'still_there');
});

test('a click is not a sentence', () => {
  const person = party('person');
  listen(person, 2);
  assert.deepEqual(told([...say(person, noise(0.06, 0.3)), ...listen(person, 3)]), []);
});

test('one short word is answered', () => {
  const person = party('person');
  listen(person, 2);
  assert.equal(told([...say(person, framesOf(digitSaid('1')!)), ...listen(person, 3)]).length, 1);
});

test('a person who is played music neither answers it nor asks whether anybody is there', () => {
  const person = party('person');
  listen(person, 2);
  const note = (hertz: number) =>
    framesOf(
      Uint8Array.from({ length: 3_200 }, (_, at) => toByte(1_500 * Math.sin((2 * Math.PI * hertz * at) / 8_000))),
    );
  for (let time = 0; time < 10; time++)
    assert.deepEqual(told(say(person, [...[523.25, 659.25, 783.99].flatMap(note), ...silence(3)])), []);
  assert.equal(told([...say(person, sentence), ...listen(person, 3)]).length, 1, 'but the agent is answered');
});

for (const loudness of [0.002, 0.01]) {
  test(`the agent's sentence is told from noise of ${loudness} around it, before and after`, () => {
    const person = party('person');
    const around = (some: Uint8Array[]) => {
      const rushing = noise(some.length / 50, loudness, createChance(some.length));
      return some.map((frame, at) => mix(frame, rushing[at]!));
    };
    const still = Array.from({ length: frames(4) }, () => new Uint8Array(FRAME_BYTES).fill(SILENT));
    // Noise that nobody knows yet may be taken for a voice, once.
    say(person, Array.from({ length: 5 }, () => around(still)).flat());
    for (let turn = 0; turn < 5; turn++) {
      assert.deepEqual(told(say(person, around(sentence))), [], 'nobody is interrupted');
      assert.equal(told(say(person, around(still))).length, 1);
    }
  });
}

test('noise that never ends is not listened to for ever', () => {
  const person = party('person');
  const heard = told(say(person, noise(30, 0.05)));
  assert.ok(heard.includes('still_there'));
});

test('the same seed is the same person; others have other voices and lines of talk', () => {
  const talk = (seed: number) => {
    const person = party('person', seed);
    const heard = listen(person, 2);
    for (let turn = 0; turn < 5; turn++) heard.push(...say(person, sentence), ...listen(person, 5));
    return remarks(heard).map(({ person: voice, remark }) => `${voice} ${remark}`);
  };
  assert.deepEqual(talk(5), talk(5));
  const talks = Array.from({ length: 40 }, (_, seed) => talk(seed));
  assert.equal(new Set(talks.map(([hello]) => hello)).size, 4);
  assert.ok(new Set(talks.map(String)).size > 8);
});

test('a machine greets, beeps, and then listens whatever is said', () => {
  const machine = party('machine');
  const heard = [...listen(machine, 6), ...say(machine, sentence), ...listen(machine, 20)];
  const [greeting, beep, ...rest] = sentences(heard);
  assert.equal(KNOWN.find(({ sound }) => sound.equals(greeting!))?.remark, 'machine');
  assert.ok(beep!.equals(BEEP));
  assert.deepEqual(rest, []);
});

test('machines have several voices', () => {
  const greetings = Array.from({ length: 20 }, (_, seed) => sentences(listen(party('machine', seed), 6))[0]!);
  assert.equal(new Set(greetings.map((greeting) => greeting.toString('latin1'))).size, 4);
});

test('the echo line says what it hears one second later, with its gaps', () => {
  const echo = party('echo');
  const said = [...sentence.slice(0, 20), ...silence(0.2), ...sentence.slice(20, 40)];
  const heard = [...say(echo, said), ...listen(echo, 2)];
  assert.deepEqual(heard.slice(0, 50), silence(1));
  assert.deepEqual(heard.slice(50, 50 + said.length), said);
  assert.ok(!heard.slice(50 + said.length).some(Boolean));
});

test('the echo line keeps what it heard when the frame is used again by who brought it', () => {
  const echo = party('echo');
  const frame = Uint8Array.from(sentence[10]!);
  const said = frame.slice();
  echo.hear(frame);
  echo.speak();
  frame.fill(0);
  assert.deepEqual(listen(echo, 2).find(Boolean), said);
});

test('the tone line plays 1,000 Hz and nothing else, without a seam', () => {
  const heard = Buffer.concat(listen(party('tone'), 1).map((frame) => frame!));
  assert.equal(heard.length, 8_000);
  const wave = Array.from(heard, (byte) => SAMPLES[byte]! / 32_768);
  const loudness = Math.sqrt(wave.reduce((sum, sample) => sum + sample ** 2, 0) / wave.length);
  const at = (turn: (angle: number) => number) =>
    wave.reduce((sum, sample, index) => sum + sample * turn((2 * Math.PI * 1_000 * index) / 8_000), 0) / wave.length;
  const share = (2 * (at(Math.cos) ** 2 + at(Math.sin) ** 2)) / loudness ** 2;
  assert.ok(share > 0.999, `${share}`);
  assert.ok(loudness > 0.15 && loudness < 0.17, `${loudness}`);
});

for (const kind of ['tone', 'echo'] as const) {
  test(`a digit that is sent to the ${kind} line is said back, and then it goes on`, () => {
    const line = party(kind);
    listen(line, 2);
    for (const digit of ['1', '*', '#']) line.digit!(digit);
    const said = Buffer.concat(['1', '*', '#'].map((digit) => digitSaid(digit)!));
    const heard = listen(line, said.length / 8_000);
    assert.ok(Buffer.concat(heard.map((frame) => frame!)).equals(said));
    assert.deepEqual(listen(line, 0.02), [kind === 'tone' ? TONE_FRAME : undefined]);
  });
}

test('what is no digit is not said, and thousands of digits are not said one after the other', () => {
  const line = party('echo');
  for (const digit of ['A', '', '12', 'constructor']) line.digit!(digit);
  assert.ok(!listen(line, 1).some(Boolean));
  for (let digit = 0; digit < 10_000; digit++) line.digit!('7');
  assert.ok(listen(line, 60).filter(Boolean).length < frames(20));
});
