import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misfit } from './fits.ts';
import type { ColumnKind } from './lists.ts';

test('a value that does not fit its kind says why in a few words; what fits, or is empty, says nothing', () => {
  const cases: [ColumnKind, string, string | undefined][] = [
    ['integer', ' -12 ', undefined],
    ['integer', '1.5', 'Not a whole number'],
    ['boolean', 'TRUE', undefined],
    ['boolean', 'yes', 'Neither true nor false'],
    ['date', '2026-01-31', undefined],
    ['date', '2026-02-30', 'Not a date'],
    ['options', 'Red', undefined],
    ['options', 'red', 'Not one of the options'],
    ['email', 'ann@example.com', undefined],
    ['email', 'ann', 'No @'],
    ['email', 'ann@bo@example.com', 'More than one @'],
    ['email', 'ann @example.com', 'A space in it'],
    ['email', 'ann@example', 'Not an e-mail address'],
    ['email', '.ann@example.com', 'Not an e-mail address'],
    ['url', 'https://example.com/a?b#c', undefined],
    ['url', 'www.example.com', undefined],
    ['url', 'example', 'Not a web address'],
    ['url', 'ftp://example.com', 'Not a web address'],
    ['url', 'see below', 'A space in it'],
    ['phone', '+45 33 11 22 33', undefined],
    ['phone', 'reception', 'No digits'],
    ['phone', '112', 'Too few digits'],
    ['phone', '1'.repeat(20), 'Too many digits'],
    ['none', 'anything', undefined],
    ['text', 'anything', undefined],
    ['address', 'anything', undefined],
    ['integer', '', undefined],
    ['phone', '  ', undefined],
  ];
  for (const [kind, text, reason] of cases)
    assert.equal(misfit(kind, ['Red', 'Blue'], text), reason, `${kind} ${text}`);
  assert.equal(misfit('options', [], 'anything'), undefined, 'a field without options takes everything');
});
