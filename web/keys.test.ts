import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameKey } from './keys.ts';

const press = (key: string, ...held: string[]) =>
  nameKey({ key, getModifierState: (modifier: string) => held.includes(modifier) });

test('a key is named by what it writes, whatever it takes to write it on this keyboard', () => {
  assert.equal(press('/'), '/');
  assert.equal(press('/', 'Shift'), '/', 'German: Shift and 7');
  assert.equal(press('?', 'Shift'), '?');
  assert.equal(press('[', 'Control', 'Alt', 'AltGraph'), '[', 'German on Windows: AltGr and 8');
});

test('letters are the same with caps lock, and others with Shift or Control', () => {
  assert.equal(press('W'), 'w');
  assert.equal(press('W', 'Shift'), 'Shift+w');
  assert.equal(press('k', 'Control'), 'Control+k');
  assert.equal(press('Enter', 'Control'), 'Control+Enter');
  assert.equal(press(' '), 'Space');
});
