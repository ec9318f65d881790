import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fold } from './fold.ts';

test('names of every script fold to ASCII and do not vanish', () => {
  const cases: [string, string][] = [
    ['Įmonė', 'imone'],
    ['Telefonas (1)', 'telefonas_1'],
    ['E-mail', 'e_mail'],
    ['Work/Office phone', 'work_office_phone'],
    ['Straße', 'strasse'],
    ['Æble', 'aeble'],
    ['Bad time', 'bad_time'],
    ['  --  ', ''],
  ];
  for (const [name, key] of cases) assert.equal(fold(name), key);
  for (const name of ['Позже', '电话', '電話番号', 'هاتف', 'Ωραίο']) assert.match(fold(name), /^[a-z0-9_]+$/, name);
});

test('folding yields only letters, digits and single inner underscores, and folding again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const key = fold(name);
      assert.match(key, /^([a-z0-9]+(_[a-z0-9]+)*)?$/);
      assert.equal(fold(key), key);
    }),
    { seed: 4711 },
  );
});
