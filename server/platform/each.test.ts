import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doEach } from './each.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('what goes wrong with one holds up no other, and is told at the end', async () => {
  const done: number[] = [];
  const act = async (one: number) => {
    if (one % 10 === 2) throw new Error(`${one} is odd`);
    done.push(one);
  };
  await assert.rejects(doEach(numbers(20), act), /^AggregateError: 2 is odd; 12 is odd$/);
  assert.equal(done.length, 18);
  await doEach([1], act);
});

test('where nothing succeeds for one reason it is soon given up; what fails each for its own is passed', async () => {
  let tried = 0;
  const fail = async () => {
    tried += 1;
    throw new Error('away');
  };
  await assert.rejects(doEach(numbers(1_000), fail), /away/);
  assert.equal(tried, 10);
  const refuse = async (one: number) => {
    tried += 1;
    throw new Error(`file ${one} cannot be removed`);
  };
  await assert.rejects(doEach(numbers(50), refuse), /file 19/);
  assert.equal(tried, 60);
});
