import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLanes, type Leave } from './lanes.ts';

const tooMany = () => new Error('Too many wait.');
const settle = () => new Promise(setImmediate);

/** Everyone who gets a turn is noted, and has it until `next`. */
function openRoad(rules: { most: number; each: number; eachQuick?: number; waiting?: number }) {
  const lanes = openLanes({ waiting: 100, tooMany, ...rules });
  const order: string[] = [];
  const under: Leave[] = [];
  const come = async (person: string) => {
    under.push(await lanes.enter(person));
    order.push(person);
  };
  const next = async () => {
    const leave = under.shift()!;
    leave();
    // Leaving twice gives no second place away.
    leave();
    await settle();
  };
  return { come, next, order, under };
}

test('one person has so many at once, and whoever comes after them passes', async () => {
  const { come, order } = openRoad({ most: 10, each: 2 });
  for (const person of [...Array<string>(50).fill('ann'), 'bob']) void come(person);
  await settle();
  assert.deepEqual(order, ['ann', 'ann', 'bob']);
});

test('when all are busy, those who wait take turns: who sends many waits behind themselves', async () => {
  const { come, next, order, under } = openRoad({ most: 1, each: 1 });
  for (const person of ['ann', 'ann', 'ann', 'bob', 'cleo', 'bob']) void come(person);
  await settle();
  while (under.length > 0) await next();
  assert.deepEqual(order, ['ann', 'bob', 'cleo', 'ann', 'bob', 'ann']);
});

test('where all places to wait are taken, one with fewer gets the last of whoever has most, and nobody else does', async () => {
  const { come, next, order, under } = openRoad({ most: 1, each: 1, waiting: 4 });
  const told: string[] = [];
  const all = ['many', 'many', 'many', 'many', 'many', 'many', 'one', 'other', 'third', 'one'].map((person, number) =>
    come(person).catch(() => told.push(`${person} ${number}`)),
  );
  await settle();
  // One works, four wait, the sixth is refused; three then give way, until nobody has more waiting than another.
  assert.deepEqual(told.toSorted(), ['many 2', 'many 3', 'many 4', 'many 5', 'one 9']);
  while (under.length > 0) await next();
  await Promise.all(all);
  assert.deepEqual(order, ['many', 'one', 'other', 'third', 'many']);
});

test('who rests after a turn lets the others pass, and comes again by themselves', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { come, order, under } = openRoad({ most: 1, each: 1 });
  for (const person of ['ann', 'ann', 'bob']) void come(person);
  await settle();
  under.shift()!(500);
  await settle();
  assert.deepEqual(order, ['ann', 'bob']);
  under.shift()!();
  await settle();
  assert.deepEqual(order, ['ann', 'bob'], 'ann rests');
  context.mock.timers.tick(500);
  await settle();
  assert.deepEqual(order, ['ann', 'bob', 'ann']);
});

test('who is quick has more at once than who is not, and never the last place', async (context) => {
  context.mock.timers.enable({ apis: ['Date'] });
  const { come, next, order, under } = openRoad({ most: 3, each: 1, eachQuick: 2 });
  for (const person of Array<string>(8).fill('ann')) void come(person);
  await settle();
  assert.equal(under.length, 1, 'nothing is known of them yet');
  context.mock.timers.tick(19);
  await next();
  assert.equal(under.length, 2, 'the first was quick');
  void come('bob');
  await settle();
  assert.equal(order.at(-1), 'bob');
  context.mock.timers.tick(20);
  await next();
  assert.equal(under.length, 2, 'the second was not, so none follows while the third goes on');
  assert.deepEqual(order, ['ann', 'ann', 'ann', 'bob']);
  await next();
  assert.deepEqual(order.slice(4), ['ann']);
});
