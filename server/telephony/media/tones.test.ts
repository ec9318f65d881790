import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureTone } from '../../../test/sound.ts';
import { SAMPLES } from './g711.ts';
import { FRAME_BYTES } from './media.ts';
import { ANNOUNCEMENT, digitTone, TONES, WAITING, type Loop } from './tones.ts';

const samplesOf = (frames: Loop) => frames.flatMap((frame) => Array.from(frame, (byte) => SAMPLES[byte]!));

test('Tones are loops of whole frames, loud and silent in their rhythm', () => {
  for (const loop of [...Object.values(TONES), WAITING])
    for (const frame of loop) assert.equal(frame.length, FRAME_BYTES);
  const ringing = samplesOf(TONES.ringing);
  assert.equal(ringing.length, 5 * 8_000);
  assert.ok(measureTone(ringing.slice(0, 8_000), 425) > 5_000);
  assert.ok(ringing.slice(8_000).every((sample) => sample === 0));
});

test('Before a recording a note is heard, then a voice as loud as speech, then nothing for a moment', () => {
  for (const frame of ANNOUNCEMENT) assert.equal(frame.length, FRAME_BYTES);
  const all = samplesOf(ANNOUNCEMENT);
  assert.ok(measureTone(all.slice(0, 1_600), 880) > 5_000);
  const voice = all.slice(3_200, -2_400);
  const loud = Math.sqrt(voice.reduce((sum, sample) => sum + sample ** 2, 0) / voice.length);
  assert.ok(voice.length > 8_000 && loud > 2_000 && loud < 8_000, `${voice.length} samples, ${Math.round(loud)}`);
  assert.ok(all.slice(-2_400).every((sample) => sample === 0));
});

test('A digit is the two tones of its row and column, followed by a pause', () => {
  const seven = samplesOf(digitTone('7')!);
  const tone = seven.slice(0, 960);
  for (const hertz of [852, 1_209]) assert.ok(measureTone(tone, hertz) > 2_000, `${hertz} Hz`);
  for (const hertz of [697, 770, 941, 1_336, 1_477]) assert.ok(measureTone(tone, hertz) < 700, `${hertz} Hz`);
  assert.ok(seven.slice(960).every((sample) => sample === 0));
  assert.equal(digitTone('x'), undefined);
});
