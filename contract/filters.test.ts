import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readToken, writeToken, type Token } from './filters.ts';

test('what is written of a token is read as the same one, whatever its values hold', () => {
  const tokens: Token[] = [
    { name: 'state', operator: 'is', values: ['new'] },
    { name: 'field.city', operator: 'in', values: ['Ghent', 'Bruges, old town', 'back\\slash', 'a:b', ''] },
    { name: 'due', operator: 'between', values: ['2026-11-16T09:00:00Z', '2026-11-17T09:00:00Z'] },
    { name: 'claimed_by', operator: 'is_set', values: [] },
    { name: 'field.note', operator: 'contains', values: [''] },
  ];
  for (const token of tokens) assert.deepEqual(readToken(writeToken(token)), token);
  assert.equal(writeToken(tokens[1]!), 'field.city:in:Ghent,Bruges\\, old town,back\\\\slash,a:b,');
});

test('what has no name or no operator that there is, is no token', () => {
  for (const text of ['', 'state', 'state:dances:new', ':is:new']) assert.equal(readToken(text), undefined);
});
