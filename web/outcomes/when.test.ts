import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readWhen, suggestTimes } from './when.ts';

const now = new Date(2026, 10, 15, 10, 42); // a Sunday
const said = (typed: string) => {
  const at = readWhen(typed, now);
  const two = (number: number) => String(number).padStart(2, '0');
  return at && `${at.getMonth() + 1}-${at.getDate()} ${two(at.getHours())}:${two(at.getMinutes())}`;
};

describe('a time that is typed', () => {
  for (const [typed, expected] of [
    ['thu 9', '11-19 09:00'],
    ['Thursday 14:30', '11-19 14:30'],
    ['sun', '11-22 09:00'],
    ['tomorrow', '11-16 09:00'],
    ['tomorrow 2pm', '11-16 14:00'],
    ['today 15', '11-15 15:00'],
    ['in 2h', '11-15 12:42'],
    ['in 15 min', '11-15 10:57'],
    ['in 3 days', '11-18 10:42'],
    ['11:00', '11-15 11:00'],
    ['9', '11-16 09:00'],
    ['12 am', '11-16 00:00'],
    ['2026-12-01 9:00', '12-1 09:00'],
    ['2026-12-01', '12-1 09:00'],
  ] as const) {
    test(`${typed} is ${expected}`, () => assert.equal(said(typed), expected));
  }
  for (const typed of ['', 'soon', '25:00', 'thu 9:75', '2026-02-31 9:00', 'in h'])
    test(`“${typed}” is none`, () => assert.equal(said(typed), undefined));
});

test('the suggestions lie ahead, in their order', () => {
  const times = suggestTimes(now).map(({ at }) => at.getTime());
  assert.ok(times.length >= 3);
  assert.deepEqual(
    times.slice(2),
    times.slice(2).toSorted((a, b) => a - b),
  );
});
