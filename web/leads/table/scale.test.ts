import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_HEIGHT, scaleFor } from './scale.ts';

const ROWS = 1_100_000 * 41;
const VIEW = 700;

test('a table that fits is as high as its rows', () => {
  const { height, most, toTop, toScroll } = scaleFor(20_000 * 41, VIEW);
  assert.equal(height, 820_000);
  assert.equal(most, 820_000 - VIEW);
  assert.equal(toTop(12_345), 12_345);
  assert.equal(toScroll(12_345), 12_345);
});

test('a high table reaches its first and its last row, and its middle is in the middle', () => {
  const { height, most, toTop } = scaleFor(ROWS, VIEW);
  assert.equal(height, MOST_HEIGHT);
  assert.equal(toTop(0), 0);
  assert.equal(toTop(height - VIEW), most);
  assert.ok(Math.abs(toTop((height - VIEW) / 2) - most / 2) < 10);
});

test('near both ends a pixel is a pixel', () => {
  const { height, most, toTop } = scaleFor(ROWS, VIEW);
  assert.equal(toTop(41), 41);
  assert.equal(toTop(height - VIEW - 41), most - 41);
});

test('there and back is where one was, up to the pixels of one step of the bar', () => {
  const { most, toTop, toScroll } = scaleFor(ROWS, VIEW);
  for (let top = 0; top <= most; top += 987_654) assert.ok(Math.abs(toTop(toScroll(top)) - top) <= 6, String(top));
});

test('fewer rows than the view are not scrolled', () => {
  assert.equal(scaleFor(410, VIEW).most, 0);
});
