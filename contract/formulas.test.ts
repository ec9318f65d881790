import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { guard, guardText, unguard } from './formulas.ts';

/** Made of what matters, so that it is met often. */
const hostile = fc.string({
  unit: fc.constantFrom(`'`, '=', '+', '-', '@', '\t', '\r', '\n', ';', '＝', '1', '.', ' ', 'a'),
});
const anyText = fc.oneof(fc.string({ unit: 'binary' }), hostile);

test('whatever is guarded comes back as it was', () => {
  fc.assert(fc.property(anyText, (text) => unguard(guard(text)) === text && unguard(guardText(text)) === text));
});

test('nothing that is written begins like a formula, but numbers', () => {
  fc.assert(fc.property(anyText, (text) => /^(?![=+\-@\t\r\n＝＋－＠])|^[+-][\d .,()/+-]*$/.test(guard(text))));
  for (const text of ['=1+1', '+SUM(A1)', '-2+cmd|x', '@A1', '\tA1', '\rA1', '\nA1', '＝1+1', '+', '-', '--1', '+1+1'])
    assert.equal(guard(text), `'${text}`);
});

test('nor does any piece of it, where semicolons divide what is in a file', () => {
  fc.assert(
    fc.property(anyText, (text) =>
      guard(text)
        .split(/[;\t\r\n]/)
        .every((piece) => /^(?!\s*[=+\-@＝＋－＠])|^\s*[+-][\d .,()/+-]*$/.test(piece)),
    ),
  );
  assert.equal(guard(`a;=WEBSERVICE("http://evil")`), `a;'=WEBSERVICE("http://evil")`);
  assert.equal(guard('a\r\n =1'), `a\r\n '=1`);
  for (const text of ['Ann; +45 33 12 34 56;-12', 'a;b', 'a; b = c', 'a-b;c']) assert.equal(guard(text), text);
  assert.equal(unguard(`a;'tis`), `a;'tis`);
});

test('numbers, those of telephones too, and all other texts stay as they are', () => {
  for (const text of [
    '+45 33 12 34 56',
    '+1 (555) 010-9999',
    '+44/20.7946',
    '-12',
    '+3.5',
    '-1,234.50',
    '',
    'Ann',
    `'tis`,
    `''`,
  ])
    assert.equal(guard(text), text);
});

test('what has an apostrophe of its own before a formula keeps it', () => {
  assert.equal(guard(`'=1`), `''=1`);
  assert.equal(unguard(`''=1`), `'=1`);
  assert.equal(unguard(`'tis`), `'tis`);
});

test('spaces at an end are kept, by an apostrophe', () => {
  for (const text of [' =1', ' Ann', 'Ann ', ' ', '\u00a0x']) {
    assert.equal(guard(text), `'${text}`);
    assert.equal(guardText(text), `'${text}`);
    assert.equal(unguard(`'${text}`), text);
  }
});
