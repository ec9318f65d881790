import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureTone } from '../../../test/sound.ts';
import { SAMPLES } from './g711.ts';
import { FRAME_BYTES } from './media.ts';
import { digitTone, TONES, WAITING, type Loop } from './tones.ts';

const samplesOf = (frames: Loop) => frames.flatMap((frame) => Array.from(frame, (byte) => SAMPLES[byte]!));

test('Tones are loops of whole frames, loud and silent in their rhythm', () => {
  for (const loop of [...Object.values(TONES), WAITING])
    for (const frame of loop) assert.equal(frame.length, FRAME_BYTES);
  const ringing = samplesOf(TONES.ringing);
  assert.equal(ringing.length, 5 * 8_000);
  assert.ok(measureTone(ringing.slice(0, 8_000), 425) > 5_000);
  assert.ok(ringing.slice(8_000).every((sample) => sample === 0));
});

test('A digit is the two tones of its row and column, followed by a pause', () => {
  const seven = samplesOf(digitTone('7')!);
  const tone = seven.slice(0, 960);
  for (const hertz of [852, 1_209]) assert.ok(measureTone(tone, hertz) > 2_000, `${hertz} Hz`);
  for (const hertz of [697, 770, 941, 1_336, 1_477]) assert.ok(measureTone(tone, hertz) < 700, `${hertz} Hz`);
  assert.ok(seven.slice(960).every((sample) => sample === 0));
  assert.equal(digitTone('x'), undefined);
});
