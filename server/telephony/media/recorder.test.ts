import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as breathe } from 'node:timers/promises';
import { readRecording } from '../../../test/sound.ts';
import { SAMPLES, SILENT, toByte } from './g711.ts';
import { FRAME_BYTES, RATE } from './media.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { countWritten, repairRecording } from './repair.ts';
import { UNRECORDED } from './wav.ts';

const folder = mkdtempSync(join(tmpdir(), 'leadline-recorder-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const LOUD = new Uint8Array(FRAME_BYTES).fill(toByte(10_000));
const fail = (error: unknown) => assert.fail(String(error));

/** The same numbers in every run. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Packet = { at: number; sequence: number };

/** Someone who clicks once a second by the true time, and counts samples by a clock of their own that runs at `pace`. */
function* speak(
  seconds: number,
  pace: number,
  chance: () => number,
): Generator<Packet & { timestamp: number; frame: Uint8Array }> {
  const frameSeconds = FRAME_BYTES / (RATE * pace);
  let clicked = 0;
  const packets: (Packet & { timestamp: number; frame: Uint8Array })[] = [];
  for (let sequence = 0; sequence * frameSeconds < seconds; sequence++) {
    const begins = sequence * frameSeconds;
    const frame = new Uint8Array(FRAME_BYTES).fill(SILENT);
    const click = clicked + 1;
    if (click < begins + frameSeconds) {
      frame[Math.min(FRAME_BYTES - 1, Math.floor((click - begins) * RATE * pace))] = toByte(20_000);
      clicked = click;
    }
    const timestamp = (4_294_000_000 + sequence * FRAME_BYTES) >>> 0;
    // Some never come; the others are under way for 20 ms and more, so that they overtake each other.
    if (chance() < 0.02 && frame.every((byte) => byte === SILENT)) continue;
    const late = chance() < 0.1 ? chance() * 60 : chance() * 8;
    packets.push({ at: (begins + frameSeconds) * 1_000 + 20 + late, sequence, timestamp, frame });
    if (packets.length < 8) continue;
    packets.sort((one, other) => one.at - other.at);
    yield packets.shift()!;
  }
  yield* packets.toSorted((one, other) => one.at - other.at);
}

test('After an hour at 100 ppm of drift, with loss and reordering, the channels are within 40 ms of each other', async () => {
  const file = join(folder, 'hour.wav');
  let now = 0;
  const recorder = createRecorder(file, { now: () => now, fail });
  const speakers = [speak(3_600, 1 + 100e-6, createChance(1)), speak(3_600, 1 - 100e-6, createChance(2))];
  const next = speakers.map((speaker) => speaker.next());
  const sources = [{}, {}];
  for (let count = 0; next.some(({ done }) => !done); count++) {
    const times = next.map(({ done, value }) => (done ? Number.POSITIVE_INFINITY : (value as Packet).at));
    const channel = times[0]! <= times[1]! ? 0 : 1;
    const { at, timestamp, frame } = next[channel]!.value as { at: number; timestamp: number; frame: Uint8Array };
    now = Math.max(now, at);
    recorder.hear(channel, sources[channel]!, timestamp, frame);
    recorder.flush();
    next[channel] = speakers[channel]!.next();
    // No disk is as fast as this clock.
    if (count % 500 === 0) while (written(file) < (now / 1_000 - 5) * RATE * 4) await breathe();
  }
  const recorded = await recorder.end();
  assert.ok(Math.abs(recorded!.seconds - 3_600) < 1);
  const { left, right } = readRecording(file);
  const [lefts, rights] = [clicksOf(left), clicksOf(right)];
  assert.ok(lefts.length > 3_590 && rights.length > 3_590, `${lefts.length} and ${rights.length} clicks`);
  let worst = 0;
  for (const at of lefts) {
    const nearest = Math.min(
      ...rights
        .slice(Math.max(0, Math.floor(at / RATE) - 5), Math.floor(at / RATE) + 5)
        .map((other) => Math.abs(other - at)),
    );
    worst = Math.max(worst, nearest);
  }
  assert.ok(worst / RATE < 0.04, `the channels are ${(worst * 1_000) / RATE} ms apart`);
});

const written = (file: string) => statSync(`${file}.part`, { throwIfNoEntry: false })?.size ?? -Infinity;

function clicksOf(channel: Int16Array): number[] {
  const clicks: number[] = [];
  let last = -RATE;
  for (let at = 0; at < channel.length; at++) {
    if (Math.abs(channel[at]!) <= 10_000 || at - last < RATE / 4) continue;
    clicks.push(at);
    last = at;
  }
  return clicks;
}

/** Frames one after another, as from a leg that loses nothing. */
async function talk(recorder: Recorder, clock: { now: number }, seconds: number, source: object): Promise<void> {
  for (const end = clock.now + seconds * 1_000; clock.now < end;) {
    clock.now += 20;
    recorder.hear(0, source, clock.now * 8, LOUD);
    recorder.flush();
    await breathe();
  }
}

test('What is said while it is paused is not on it, and its samples say so on both sides', async () => {
  const clock = { now: 0 };
  const source = {};
  const recorder = createRecorder(join(folder, 'paused.wav'), { now: () => clock.now, fail });
  await talk(recorder, clock, 2, source);
  recorder.pause(true);
  await talk(recorder, clock, 3, source);
  recorder.pause(false);
  await talk(recorder, clock, 1, source);
  const recorded = await recorder.end();
  const { left, right } = readRecording(recorded!.file);
  for (const side of [left, right]) {
    assert.ok(side.subarray(2 * RATE, 5 * RATE).every((sample) => sample === UNRECORDED));
    assert.ok(side[2 * RATE - 1] !== UNRECORDED && side[5 * RATE] !== UNRECORDED);
  }
  for (const at of [RATE, 5.5 * RATE]) assert.ok(left[at]! > 9_000);
});

test('No sound is taken for a pause', () => assert.ok(!SAMPLES.includes(UNRECORDED)));

test('What another has begun to write is gone on with: as long as the call, and what nobody wrote is a gap', async () => {
  const clock = { now: 0 };
  const file = join(folder, 'begun.wav');
  const begun = createRecorder(file, { now: () => clock.now, fail });
  await talk(begun, clock, 3, {});
  while ((await countWritten(file)) < 2 * RATE) await breathe();
  const there = await countWritten(file);
  clock.now += 7_000;
  const recorder = createRecorder(file, { now: () => clock.now, fail }, 0, there);
  await talk(recorder, clock, 2, {});
  assert.equal((await recorder.end())?.seconds, 12);
  const { left } = readRecording(file);
  assert.ok(left.subarray(RATE, there).every((sample) => sample > 9_000));
  assert.ok(left.subarray(there, 10 * RATE).every((sample) => sample === UNRECORDED));
  assert.ok(left.subarray(10 * RATE + FRAME_BYTES, 12 * RATE).every((sample) => sample > 9_000));
});

test('A process that was frozen for minutes goes on recording; what nobody could hear is a gap', async () => {
  const clock = { now: 0 };
  const recorder = createRecorder(join(folder, 'frozen.wav'), { now: () => clock.now, fail });
  await talk(recorder, clock, 3, {});
  clock.now += 300_000;
  await talk(recorder, clock, 2, {});
  assert.equal((await recorder.end())?.seconds, 305);
  const { left, right } = readRecording(join(folder, 'frozen.wav'));
  assert.ok(left.subarray(RATE, 2.9 * RATE).every((sample) => sample > 9_000));
  // Up to its window it is silence, and so is what came before anyone looked again.
  for (const side of [left, right])
    assert.ok(side.subarray(7 * RATE, 302.5 * RATE).every((sample) => sample === UNRECORDED));
  assert.ok(left.subarray(303.1 * RATE, 305 * RATE).every((sample) => sample > 9_000));
});

test('What a killed process has written is a recording up to the last second', async () => {
  const clock = { now: 0 };
  const killed = createRecorder(join(folder, 'killed.wav'), { now: () => clock.now, fail });
  await talk(killed, clock, 10, {});
  const part = join(folder, 'killed.wav.part');
  const spoken = 44 + 9 * RATE * 4;
  while (statSync(part).size < spoken) await breathe();
  writeFileSync(join(folder, 'empty.wav.part'), '');
  writeFileSync(
    join(folder, 'other.txt.part'),
    'This is no recording, and none of our business whatever its name may be.',
  );
  const names = ['killed.wav', 'empty.wav', 'other.txt'];
  const repaired = await Promise.all(names.map((name) => repairRecording(join(folder, name))));
  assert.deepEqual(
    repaired.map((one) => one?.file),
    [join(folder, 'killed.wav'), undefined, undefined],
  );
  const { left, seconds } = readRecording(join(folder, 'killed.wav'));
  assert.ok(seconds >= 9 && left.at(-FRAME_BYTES)! > 9_000);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    ['empty.wav.part', 'other.txt.part'],
  );
});

test('A folder that takes nothing is told, and the conversation goes on', async () => {
  const clock = { now: 0 };
  const errors: unknown[] = [];
  const nowhere = join(folder, 'nowhere');
  const recorder = createRecorder(join(nowhere, 'call.wav'), {
    now: () => clock.now,
    fail: (error) => errors.push(error),
  });
  await talk(recorder, clock, 2, {});
  assert.equal(await recorder.end(), undefined);
  assert.equal((errors[0] as NodeJS.ErrnoException).code, 'ENOENT');
  assert.equal(errors.length, 1);
});

test('a recording that was to begin a moment ago is as long as the call: until now there is silence', async () => {
  const file = join(folder, 'late.wav');
  let now = 5_000;
  const recorder = createRecorder(file, { now: () => now, fail }, 2_000);
  for (let sequence = 0; sequence < 50; sequence++) {
    recorder.hear(0, LOUD, sequence * FRAME_BYTES, LOUD);
    now += 20;
    recorder.flush();
  }
  assert.equal((await recorder.end())?.seconds, 4);
  const { left } = readRecording(file);
  const [silent, loud] = [left.subarray(0, 3 * RATE), left.subarray(3 * RATE)];
  assert.ok(silent.every((sample) => sample === 0) && loud.every((sample) => sample > 9_000));
});
