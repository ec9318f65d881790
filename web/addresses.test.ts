import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSearch, writeSearch } from './addresses.ts';

test('an address says a name as often as it has values, and reads back the same', () => {
  const asked = { lists: '1,2', f: ['state:is:new', 'field.city:in:Ghent,Bruges \\, both & more+'], q: '0123' };
  const text = writeSearch(asked);
  assert.match(text, /^\?lists=1,2&f=state:is:new&f=field\.city:in:Ghent,/);
  assert.deepEqual(readSearch(text), asked);
});

test('what says nothing is left out', () => {
  assert.equal(writeSearch({ q: '', order: undefined, f: [] }), '');
  assert.deepEqual(readSearch(''), {});
});
