import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLanes } from './lanes.ts';

/** Everybody in turn, and who is under way. */
function openRoad(most: number, each: number) {
  const lanes = openLanes(most, each);
  const under: { person: string; leave: () => void }[] = [];
  const enter = (person: string) => void lanes.enter(person).then((leave) => under.push({ person, leave }));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { lanes, under, enter, settle };
}

test('one person has so many at once, whoever comes after them passes', async () => {
  const { under, enter, settle } = openRoad(10, 2);
  for (let turn = 0; turn < 50; turn += 1) enter('ann');
  enter('bob');
  await settle();
  assert.deepEqual(
    under.map(({ person }) => person),
    ['ann', 'ann', 'bob'],
  );
});

test('when all places are taken, those who wait have them in turn, a place each', async () => {
  const { under, enter, settle } = openRoad(1, 1);
  for (const person of ['ann', 'ann', 'ann', 'bob', 'cleo', 'bob']) enter(person);
  const order: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    await settle();
    const { person, leave } = under.pop()!;
    order.push(person);
    leave();
    // Leaving twice gives no second place away.
    leave();
  }
  assert.deepEqual(order, ['ann', 'bob', 'cleo', 'ann', 'bob', 'ann']);
});

test('who has nothing under way leaves nothing behind', async () => {
  const { lanes, under, enter, settle } = openRoad(2, 1);
  enter('ann');
  enter('ann');
  await settle();
  assert.equal(lanes.count('ann'), 2);
  under.pop()!.leave();
  await settle();
  under.pop()!.leave();
  assert.equal(lanes.count('ann'), 0);
});
