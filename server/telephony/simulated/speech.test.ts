import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SAMPLES, SILENT } from '../media/g711.ts';
import { createParty } from './party.ts';
import { type Conversation, writeRecording } from './speech.ts';

const folder = await mkdtemp(join(tmpdir(), 'leadline-speech-'));
after(() => rm(folder, { recursive: true }));

async function record(conversation: Conversation): Promise<Buffer> {
  const path = join(folder, 'call.wav');
  await writeRecording(path, conversation);
  return await readFile(path);
}

type Channel = 'left' | 'right';

function samples(recording: Buffer, channel: Channel): number[] {
  const count = (recording.length - 44) / 4;
  const offset = channel === 'left' ? 44 : 46;
  return Array.from({ length: count }, (_, at) => recording.readInt16LE(offset + at * 4) / 32_768);
}

/** Each tenth of a second. */
function windows(sound: number[]): number[][] {
  return Array.from({ length: Math.floor(sound.length / 800) }, (_, at) => sound.slice(at * 800, at * 800 + 800));
}

const loudness = (sound: number[]): number =>
  Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length);

const isLoud = (sound: number[]): boolean => loudness(sound) > 0.01;

/** Goertzel: how much of the sound's energy is at one frequency, 0 to 1. */
function share(sound: number[], frequency: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * frequency) / 8000);
  let [now, before] = [0, 0];
  for (const sample of sound) [now, before] = [sample + turn * now - before, now];
  const power = now * now + before * before - turn * now * before;
  return (2 * power) / (sound.length ** 2 * loudness(sound) ** 2);
}

const isBeep = (sound: number[]): boolean => isLoud(sound) && share(sound, 1000) > 0.95;

for (const seconds of [0, 0.00013, 1, 12.3457]) {
  test(`a call of ${seconds} seconds is a stereo WAV file of as many samples`, async () => {
    const wav = await record({ seconds, voicemail: false, seed: 1 });
    const count = Math.round(seconds * 8000);
    assert.equal(wav.length, 44 + count * 4);
    assert.equal(wav.toString('latin1', 0, 4), 'RIFF');
    assert.equal(wav.readUInt32LE(4), wav.length - 8);
    assert.equal(wav.toString('latin1', 8, 16), 'WAVEfmt ');
    assert.equal(wav.readUInt32LE(16), 16);
    assert.equal(wav.readUInt16LE(20), 1, 'PCM');
    assert.equal(wav.readUInt16LE(22), 2, 'channels');
    assert.equal(wav.readUInt32LE(24), 8000, 'samples a second');
    assert.equal(wav.readUInt32LE(28), 32_000, 'bytes a second');
    assert.equal(wav.readUInt16LE(32), 4, 'block align');
    assert.equal(wav.readUInt16LE(34), 16, 'bits a sample');
    assert.equal(wav.toString('latin1', 36, 40), 'data');
    assert.equal(wav.readUInt32LE(40), count * 4);
  });
}

test('nothing half written is left beside the recording', async () => {
  await record({ seconds: 2, voicemail: false, seed: 1 });
  assert.deepEqual(await readdir(folder), ['call.wav']);
});

test('the two take turns: when one speaks the other listens, and neither is ever silent for long', async () => {
  const wav = await record({ seconds: 120, voicemail: false, seed: 2 });
  const agent = windows(samples(wav, 'left')).map(isLoud);
  const called = windows(samples(wav, 'right')).map(isLoud);
  const count = (is: (agent: boolean, called: boolean) => boolean) =>
    agent.filter((speaks, at) => is(speaks, called[at]!)).length;
  assert.ok(count((agentSpeaks) => agentSpeaks) > agent.length / 5);
  assert.ok(count((_, calledSpeaks) => calledSpeaks) > agent.length / 5);
  assert.ok(count((agentSpeaks, calledSpeaks) => agentSpeaks && calledSpeaks) < agent.length / 20);
  const spoken = agent.map((speaks, at) => (speaks || called[at] ? '|' : '.')).join('');
  assert.doesNotMatch(spoken, /\.{20}/);
});

test('a talk that has the time for it ends with the goodbye of who was called, in full', async () => {
  for (const [at, seconds] of [20, 33.3, 61, 90].entries()) {
    const wav = await record({ seconds, voicemail: false, seed: at });
    const [agent, called] = (['left', 'right'] as const).map((channel) => windows(samples(wav, channel)).map(isLoud));
    assert.ok(called!.lastIndexOf(true) > agent!.lastIndexOf(true));
    assert.ok(called!.lastIndexOf(true) < called!.length - 1, 'there is a moment of silence after it');
    assert.ok(called!.lastIndexOf(true) > called!.length - 15);
  }
});

test('speech is as loud as it may be without clipping', async () => {
  for (const voicemail of [false, true]) {
    const wav = await record({ seconds: 60, voicemail, seed: 3 });
    for (const channel of ['left', 'right'] as const) {
      const peak = samples(wav, channel).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      assert.ok(peak > 0.4 && peak < 0.7, `${channel} ${peak}`);
    }
  }
});

test('voicemail greets, beeps, and then only listens while the agent speaks', async () => {
  const wav = await record({ seconds: 30, voicemail: true, seed: 4 });
  const [agent, called] = [windows(samples(wav, 'left')), windows(samples(wav, 'right'))];
  const [first, last] = [called.findIndex(isBeep), called.findLastIndex(isBeep)];
  assert.ok(first > 20 && first < 60, `the beep comes at ${first / 10} s`);
  assert.ok(last - first >= 2 && last - first <= 3);
  assert.ok(called.slice(0, first).filter(isLoud).length > first / 2);
  assert.ok(!agent.slice(0, last).some(isLoud));
  assert.ok(!called.slice(last + 2).some(isLoud));
  assert.ok(agent.slice(last).filter(isLoud).length > (agent.length - last) / 2);
});

test('a machine sounds on the recording as it does on the line', async () => {
  const wav = await record({ seconds: 6, voicemail: true, seed: 7 });
  const machine = createParty({ kind: 'machine', seed: 7 });
  const live = Array.from({ length: 300 }, () => machine.speak() ?? new Uint8Array(160).fill(SILENT)).flatMap((frame) =>
    Array.from(frame, (byte) => SAMPLES[byte]! / 32_768),
  );
  assert.deepEqual(samples(wav, 'right'), live);
});

test('nobody beeps in a conversation', async () => {
  const wav = await record({ seconds: 30, voicemail: false, seed: 4 });
  for (const channel of ['left', 'right'] as const) assert.ok(!windows(samples(wav, channel)).some(isBeep));
});

test('the same seed gives the same recording, another seed another', async () => {
  const [one, again, other] = [
    await record({ seconds: 5, voicemail: false, seed: 5 }),
    await record({ seconds: 5, voicemail: false, seed: 5 }),
    await record({ seconds: 5, voicemail: false, seed: 6 }),
  ];
  assert.ok(one.equals(again));
  assert.ok(!one.equals(other));
});
