import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME_BYTES } from './media.ts';
import { createReorder } from './reorder.ts';

const frame = (byte: number) => new Uint8Array(FRAME_BYTES).fill(byte & 0xff);

test('Frames come out in their order, past the end of the numbers', () => {
  const reorder = createReorder();
  const out: (number | undefined)[] = [];
  for (let count = 0; count < 40; count += 2) {
    // Two that have overtaken each other.
    for (const each of [count + 1, count]) reorder.push((65_520 + each) & 0xffff, frame(each));
    out.push(reorder.pop()?.[0], reorder.pop()?.[0]);
  }
  const heard = out.filter((each) => each !== undefined);
  assert.deepEqual(
    heard,
    heard.toSorted((one, other) => one - other),
  );
  assert.ok(heard.length >= 38, `${heard.length} of 40`);
});

test('What is lost is missing, what comes twice or too late is not heard', () => {
  const reorder = createReorder();
  reorder.push(1, frame(1));
  assert.equal(reorder.pop()?.[0], 1);
  reorder.push(3, frame(3));
  assert.equal(reorder.pop(), undefined, 'two may still come');
  reorder.push(4, frame(4));
  reorder.push(4, frame(9));
  assert.equal(reorder.pop(), undefined, 'two is lost');
  reorder.push(2, frame(2));
  assert.deepEqual([reorder.pop()?.[0], reorder.pop()?.[0], reorder.pop()], [3, 4, undefined]);
});

test('Who has fallen behind after a bad moment catches up', () => {
  const reorder = createReorder();
  let pushed = 0;
  const push = () => reorder.push(pushed, frame(pushed++));
  for (let count = 0; count < 6; count++) push();
  let last = 0;
  for (let count = 0; count < 1_000; count++) {
    push();
    last = reorder.pop()?.[0] ?? last;
  }
  assert.equal(last, (pushed - 1) & 0xff);
});

test('A speaker who begins anew with other numbers is heard at once', () => {
  const reorder = createReorder();
  reorder.push(1_000, frame(1));
  reorder.pop();
  reorder.push(40_000, frame(2));
  assert.equal(reorder.pop()?.[0], 2);
});

test('Of many that come at once after a stall, the newest are heard one after another', () => {
  const reorder = createReorder();
  for (let sequence = 0; sequence < 50; sequence++) reorder.push(sequence, frame(sequence));
  const heard = Array.from({ length: 8 }, () => reorder.pop()?.[0]);
  assert.deepEqual(heard, [42, 43, 44, 45, 46, 47, 48, 49]);
});
