import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readTime } from '../../contract/times.ts';
import { onNextDay, writeIso, writeTime } from './times.ts';

const time = fc
  .date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000));

test('every second that can be written is read again, in each of the forms', () => {
  fc.assert(
    fc.property(time, (date) => {
      const written = writeTime(date);
      for (const form of [
        written,
        `${written} UTC`,
        `${written}Z`,
        date.toISOString(),
        `${written} +00:00`,
        ` ${written.replace(' ', 'T')}-0000 `,
      ])
        assert.equal(readTime(form)?.getTime(), date.getTime(), form);
    }),
  );
});

test('a zone moves the time to UTC', () => {
  fc.assert(
    fc.property(time, fc.integer({ min: -23 * 60, max: 23 * 60 }), (date, east) => {
      const digits = (minutes: number) => String(minutes).padStart(2, '0');
      const zone = `${east < 0 ? '-' : '+'}${digits(Math.floor(Math.abs(east) / 60))}:${digits(Math.abs(east) % 60)}`;
      const there = new Date(date.getTime() + east * 60_000);
      if (there.getUTCFullYear() < 1 || there.getUTCFullYear() > 9999) return;
      assert.equal(readTime(`${writeTime(there)}${zone}`)?.getTime(), date.getTime());
    }),
  );
});

test('a bare date is midnight; what is no time is none', () => {
  assert.equal(readTime('2026-01-31')?.toISOString(), '2026-01-31T00:00:00.000Z');
  assert.equal(readTime('2028-02-29 12:30')?.toISOString(), '2028-02-29T12:30:00.000Z');
  for (const text of [
    '',
    'tomorrow',
    '2026-02-30',
    '2027-02-29',
    '2026-13-01',
    '2026-01-31 24:00:00',
    '2026-01-31 12:60:00',
    '0000-01-01',
    '26-01-31',
    '31.01.2026',
    '2026-01-31 12:00:00 CET',
    '2026-01-31T12:00:00+25:00',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
  ])
    assert.equal(readTime(text), undefined, text);
});

test('every moment is written as toISOString writes it', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => assert.equal(writeIso(date), date.toISOString())),
    { numRuns: 2_000 },
  );
});

test('nothing makes it fall over', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readTime(text)));
});

test('the next day at nine is that of the clocks there, also when they change that night', () => {
  for (const [now, zone, nine] of [
    ['2026-11-16T22:30:00Z', 'Europe/Copenhagen', '2026-11-17T08:00:00.000Z'],
    ['2026-11-16T23:30:00Z', 'Europe/Copenhagen', '2026-11-18T08:00:00.000Z'],
    ['2026-11-16T04:59:00Z', 'America/New_York', '2026-11-16T14:00:00.000Z'],
    ['2026-03-28T12:00:00Z', 'Europe/Copenhagen', '2026-03-29T07:00:00.000Z'],
    ['2026-10-24T12:00:00Z', 'Europe/Copenhagen', '2026-10-25T08:00:00.000Z'],
    ['2026-12-31T12:00:00Z', 'Pacific/Auckland', '2027-01-01T20:00:00.000Z'],
  ] as const)
    assert.equal(onNextDay(new Date(now), zone, 9).toISOString(), nine, `${now} ${zone}`);
});
