import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writePhone } from './phones.ts';

test('a number is written with its country; one of a range that nobody has is that of the country whose code it has', () => {
  assert.deepEqual(writePhone('33112233', 'DK'), { number: '+45 33 11 22 33', country: 'DK' });
  assert.deepEqual(writePhone('+44 7700 900221', 'DK'), { number: '+44 7700 900221', country: 'GB' });
  for (const none of ['12', 'call me', '+44 7']) assert.equal(writePhone(none, 'DK'), undefined, none);
});
