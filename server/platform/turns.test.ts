import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './turns.ts';

const tooMany = () => new Error('Too many wait.');

/** Everyone who gets a turn is noted, and has it until `next`. */
function open(atOnce: number, most: number) {
  const inTurn = createTurns(atOnce, most, tooMany);
  const order: string[] = [];
  const under: (() => void)[] = [];
  const come = (from: string) =>
    inTurn(from, () => {
      order.push(from);
      return new Promise<void>((resolve) => under.push(resolve));
    });
  const next = async () => {
    under.shift()!();
    await new Promise(setImmediate);
  };
  return { come, next, order, under };
}

test('the lines of different places take turns: who sends many waits behind themselves', async () => {
  const { come, next, order, under } = open(2, 100);
  const all = [...Array<string>(6).fill('many'), 'one', 'other'].map(come);
  while (under.length > 0) await next();
  await Promise.all(all);
  assert.deepEqual(order, ['many', 'many', 'many', 'one', 'other', 'many', 'many', 'many']);
});

test('where all places are taken, one of a shorter line gets the last of the longest, and nobody else does', async () => {
  const { come, next, order, under } = open(1, 4);
  const told: string[] = [];
  const all = ['many', 'many', 'many', 'many', 'many', 'many', 'one', 'other', 'third', 'one'].map((from, number) =>
    come(from).catch(() => told.push(`${from} ${number}`)),
  );
  await new Promise(setImmediate);
  // One works, four wait, the sixth is refused; three then give way, until all lines are as long as each other.
  assert.deepEqual(told.toSorted(), ['many 2', 'many 3', 'many 4', 'many 5', 'one 9']);
  while (under.length > 0) await next();
  await Promise.all(all);
  assert.deepEqual(order, ['many', 'many', 'one', 'other', 'third']);
});

test('a turn that fails lets the next one in', async () => {
  const inTurn = createTurns(1, 1, tooMany);
  const failing = inTurn('a', () => Promise.reject(new Error('broken')));
  const after = inTurn('a', () => Promise.resolve('served'));
  await assert.rejects(failing, /broken/);
  assert.equal(await after, 'served');
});
