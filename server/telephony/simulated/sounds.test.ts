import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { FRAME_BYTES } from '../media/media.ts';
import { SAMPLES } from '../media/g711.ts';
import { SPOKEN_HEADER_BYTES } from '../media/wav.ts';
import { AGENTS, DIGITS, PEOPLE } from './sentences.ts';
import { SOUNDS } from './sounds.ts';

const files = readdirSync(SOUNDS, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(SOUNDS, join(entry.parentPath, entry.name)));

test('every sentence was spoken, and nothing else', () => {
  const spoken = Object.entries({ ...PEOPLE, ...AGENTS }).flatMap(([who, sentences]) =>
    Object.keys(sentences).map((name) => join(who, `${name}.wav`)),
  );
  const digits = Object.values(DIGITS).map((word) => join('digits', `${word}.wav`));
  assert.deepEqual(files.toSorted(), [...spoken, ...digits].toSorted());
});

test('all of it is small', () => {
  assert.ok(files.reduce((sum, file) => sum + readFileSync(join(SOUNDS, file)).length, 0) < 1_500_000);
});

for (const file of files) {
  test(`${file} is μ-law in whole frames, as loud as the others, and clips nowhere`, () => {
    const wav = readFileSync(join(SOUNDS, file));
    const sound = wav.subarray(SPOKEN_HEADER_BYTES);
    assert.equal(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16), 'RIFFWAVEfmt ');
    assert.equal(wav.readUInt16LE(20), 7, 'μ-law');
    assert.equal(wav.readUInt16LE(22), 1, 'channels');
    assert.equal(wav.readUInt32LE(24), 8_000, 'samples a second');
    assert.equal(wav.readUInt32LE(54), sound.length);
    assert.equal(sound.length % FRAME_BYTES, 0);
    assert.ok(sound.length > 0.2 * 8_000 && sound.length < 5 * 8_000, `${sound.length / 8_000} s`);

    const wave = Array.from(sound, (byte) => SAMPLES[byte]! / 32_768);
    const peak = wave.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    assert.ok(peak < 0.72, `peak ${peak}`);
    const energies = Array.from(
      { length: wave.length / FRAME_BYTES },
      (_, frame) =>
        wave.slice(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES).reduce((sum, sample) => sum + sample ** 2, 0) /
        FRAME_BYTES,
    );
    const loud = energies.filter((energy) => energy > Math.max(...energies) / 1_000);
    const decibels = 10 * Math.log10(loud.reduce((sum, energy) => sum + energy, 0) / loud.length);
    assert.ok(Math.abs(decibels + 16) < 1, `${decibels} dB`);
    // No silence at either end but what keeps it from clicking.
    const [first, last] = [
      energies.findIndex((energy) => energy > 1e-5),
      energies.findLastIndex((energy) => energy > 1e-5),
    ];
    assert.ok(first <= 3 && last >= energies.length - 4, `${first} ${last} of ${energies.length}`);
  });
}
