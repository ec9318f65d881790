import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLES, SILENT, toByte } from './g711.ts';

test('Every byte stands for a sample that is written as that byte again', () => {
  for (const [byte, sample] of SAMPLES.entries()) {
    // There are two bytes for nothing.
    if (byte !== 0x7f) assert.equal(toByte(sample), byte);
  }
  assert.equal(SAMPLES[SILENT], 0);
});

test('No sample is further from what is heard than a step of its loudness', () => {
  for (let sample = -32_768; sample <= 32_767; sample++) {
    const error = Math.abs(SAMPLES[toByte(sample)]! - sample);
    assert.ok(error <= Math.max(4, (Math.abs(sample) + 132) / 31), `${sample} is off by ${error}`);
  }
});
