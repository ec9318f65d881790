import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sayWeekday, sayWhen } from '../times.ts';
import { isMonthFirst } from './calendar-words.ts';
import { readWhen, suggestTimes } from './when.ts';

const now = new Date(2026, 10, 15, 10, 42); // a Sunday
const said = (typed: string, monthFirst = false) => {
  const at = readWhen(typed, now, monthFirst);
  const two = (number: number) => String(number).padStart(2, '0');
  const year = at && at.getFullYear() !== 2026 ? `${at.getFullYear()}-` : '';
  return at && `${year}${at.getMonth() + 1}-${at.getDate()} ${two(at.getHours())}:${two(at.getMinutes())}`;
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
    ['2026-11-19 10:00', '11-19 10:00'],
    ['2026-12-01T09:00', '12-1 09:00'],
    // Days.
    ['22 nov', '11-22 09:00'],
    ['nov 22', '11-22 09:00'],
    ['22nd of November', '11-22 09:00'],
    ['22. nov. 14:30', '11-22 14:30'],
    ['thu 19 nov, 9:00', '11-19 09:00'],
    ['nov 22 9', '11-22 09:00'],
    ['9am 22 nov', '11-22 09:00'],
    ['22 nov 9.30', '11-22 09:30'],
    ['22 nov 10.10', '11-22 10:10'],
    ['22 nov 2027 9:00', '2027-11-22 09:00'],
    ['15 nov 11:00', '11-15 11:00'],
    ['15 nov', '2027-11-15 09:00'],
    ['3 march', '2027-3-3 09:00'],
    ['29 feb', '2028-2-29 09:00'],
    ['18/11', '11-18 09:00'],
    ['18/11 10', '11-18 10:00'],
    ['18/11/2026', '11-18 09:00'],
    ['18/11/26 15:00', '11-18 15:00'],
    ['18-11', '11-18 09:00'],
    ['18.11.', '11-18 09:00'],
    ['18.11', '11-18 09:00'],
    ['18.11. 14:30', '11-18 14:30'],
    ['10.12 9', '12-10 09:00'],
    ['11/18', '11-18 09:00'],
    ['monday', '11-16 09:00'],
    ['next monday', '11-16 09:00'],
    ['next thu 10', '11-19 10:00'],
    ['next week', '11-16 09:00'],
    ['next week friday 14:30', '11-20 14:30'],
    ['thurs', '11-19 09:00'],
    ['sun 15', '11-22 15:00'],
    ['day after tomorrow', '11-17 09:00'],
    ['tom 9', '11-16 09:00'],
    ['today', '11-15 11:00'],
    // Times of the day.
    ['1', '11-15 13:00'],
    ['2:30', '11-15 14:30'],
    ['thu 2', '11-19 14:00'],
    ['7', '11-16 07:00'],
    ['03:00', '11-16 03:00'],
    ['3am', '11-16 03:00'],
    ['9.30', '11-16 09:30'],
    ['10.45', '11-15 10:45'],
    ['9:30pm', '11-15 21:30'],
    ['9:30 p.m.', '11-15 21:30'],
    ['12 pm', '11-15 12:00'],
    ['noon', '11-15 12:00'],
    ['tomorrow noon', '11-16 12:00'],
    ['midnight', '11-16 00:00'],
    ['tomorrow morning', '11-16 09:00'],
    ['thu afternoon', '11-19 14:00'],
    ['tonight', '11-15 19:00'],
    ['tomorrow at 9 o’clock', '11-16 09:00'],
    // From now.
    ['in 90 min', '11-15 12:12'],
    ['in 1h 30', '11-15 12:12'],
    ['in 1.5 hours', '11-15 12:12'],
    ['in half an hour', '11-15 11:12'],
    ['in an hour', '11-15 11:42'],
    ['in 2 weeks', '11-29 10:42'],
    ['90 min', '11-15 12:12'],
  ] as const) {
    test(`${typed} is ${expected}`, () => assert.equal(said(typed), expected));
  }
  const none = [
    'soon',
    '25:00',
    'thu 9:75',
    '2026-02-31 9:00',
    'in h',
    'in 30',
    '31 nov',
    '32/11',
    '18/13',
    'tomorrow thu',
  ];
  for (const typed of [
    '',
    ...none,
    'nov',
    '9 30',
    'thu fri',
    '<9>',
    '9+1',
    'next month',
    `9${' '.repeat(100)}`,
    '9'.repeat(1_000_000),
  ])
    test(`“${typed.slice(0, 20)}” is none`, () => assert.equal(said(typed), undefined));
});

test('day and month come in the order of the country', () => {
  for (const country of ['US', 'JP', 'LT', 'CA']) assert.equal(isMonthFirst(country), true, country);
  for (const country of ['GB', 'DE', 'DK', 'FR', 'SE', 'AU', 'BR', 'IE'])
    assert.equal(isMonthFirst(country), false, country);
  assert.deepEqual([said('2/12'), said('2/12', true)], ['12-2 09:00', '2027-2-12 09:00']);
  assert.equal(said('22/11', true), '11-22 09:00', 'what can only be a day is one');
  assert.equal(said('2.12.', true), '12-2 09:00', 'with dots the day comes first');
});

test('whatever the pages write can be read again', (t) => {
  // The pages ask what day it is each time, and it must not become another one in between.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const today = new Date();
  const { region } = new Intl.Locale(new Intl.DateTimeFormat().resolvedOptions().locale).maximize();
  const monthFirst = isMonthFirst(region!);
  for (const days of [0, 1, 2, 5, 6, 7, 30, 200, 299, 301, 365, 700])
    for (let hour = 0; hour < 24; hour += 1) {
      const time = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hour, 30);
      if (time <= today) continue;
      assert.deepEqual(readWhen(sayWhen(time), today, monthFirst), time, sayWhen(time));
      if (days > 0 && days < 7) assert.deepEqual(readWhen(sayWeekday(time), today), time, sayWeekday(time));
    }
  for (const { label, at } of suggestTimes(today)) {
    const read = readWhen(label, today)!;
    assert.ok(Math.abs(read.getTime() - at.getTime()) < 60_000, label);
  }
});

test('the suggestions lie ahead, in their order', () => {
  const times = suggestTimes(now).map(({ at }) => at.getTime());
  assert.ok(times.length >= 3);
  assert.deepEqual(
    times.slice(2),
    times.slice(2).toSorted((a, b) => a - b),
  );
});
