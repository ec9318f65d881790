import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast, sayImport } from './forecast.ts';

const counts = { fresh: 100, here: 20, elsewhere: 10, elsewhere_twice: 3, twice: 5, faulty: 7, reasons: [] };

test('what is in another list counts as a duplicate where the whole account is looked at, and only then', () => {
  const here = forecast(counts, { duplicates: 'skip', within: 'list' });
  assert.deepEqual(here, { made: 107, duplicates: 28, updated: 0, left_out: 28, faulty: 7 });
  const account = forecast(counts, { duplicates: 'skip', within: 'account' });
  assert.deepEqual(account, { made: 100, duplicates: 35, updated: 0, left_out: 35, faulty: 7 });
});

test('duplicates update their lead, or come in as leads of their own', () => {
  assert.equal(forecast(counts, { duplicates: 'fill', within: 'list' }).updated, 28);
  assert.equal(forecast(counts, { duplicates: 'overwrite', within: 'account' }).made, 100);
  assert.equal(forecast(counts, { duplicates: 'add', within: 'account' }).made, 135);
});

test('the button says how many leads come in, and how many change', () => {
  assert.equal(sayImport({ made: 1, updated: 0 }), 'Import 1 lead');
  assert.equal(sayImport({ made: 0, updated: 28 }), 'Update 28 leads');
  assert.equal(sayImport({ made: 1200, updated: 28 }), `Import ${(1200).toLocaleString()} leads, update 28`);
});
