import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldOf, nameOfField } from './changes.ts';

test('a field keeps its name in an event unless a part has it, and is found again by either', () => {
  assert.deepEqual(
    ['city', 'state', 'field.city', '__proto__'].map((key) => [nameOfField(key), fieldOf(nameOfField(key))]),
    [
      ['city', 'city'],
      ['field.state', 'state'],
      ['field.city', 'field.city'],
      ['field.__proto__', '__proto__'],
    ],
  );
  assert.equal(fieldOf('state'), undefined);
});
