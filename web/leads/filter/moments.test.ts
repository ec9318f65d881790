import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMoment } from './moments.ts';

const NOON = new Date(2026, 10, 16, 12, 0); // a Monday

test('a time in a filter is a day, or a moment where a clock is said', () => {
  assert.equal(readMoment('today', false, NOON), '2026-11-16');
  assert.equal(readMoment('7 days ago', false, NOON), '2026-11-09');
  assert.equal(readMoment('in 2 weeks', false, NOON), '2026-11-30');
  assert.equal(readMoment('2026-12-01', false, NOON), '2026-12-01');
  assert.equal(readMoment('18 nov', false, NOON), '2026-11-18');
  assert.equal(readMoment('Thu 9', false, NOON), new Date(2026, 10, 19, 9, 0).toISOString());
  assert.equal(readMoment('18 nov 14:30', false, NOON), new Date(2026, 10, 18, 14, 30).toISOString());
  assert.equal(readMoment('18 nov 14:30', false, NOON, true), '2026-11-18T14:30');
  assert.equal(readMoment('18 nov', false, NOON, true), '2026-11-18');
  assert.equal(readMoment('some day', false, NOON), undefined);
  assert.equal(readMoment('', false, NOON), undefined);
});

test('of what has happened the last such day is meant, unless a year is said', () => {
  assert.equal(readMoment('thu', true, NOON), '2026-11-12');
  assert.equal(readMoment('12 nov', true, NOON), '2026-11-12');
  assert.equal(readMoment('18 nov', true, NOON), '2025-11-18');
  assert.equal(readMoment('2027-01-02', true, NOON), '2027-01-02');
  assert.equal(readMoment('14:30', true, NOON), new Date(2026, 10, 15, 14, 30).toISOString());
});

test('today is meant by its own name, at whatever time of the day it is asked', () => {
  for (const hour of [0, 8, 12, 23]) {
    const now = new Date(2026, 10, 16, hour, 30);
    for (const isPast of [true, false]) assert.equal(readMoment('16 nov', isPast, now), '2026-11-16', `${hour}`);
    assert.equal(readMoment('mon', true, now), '2026-11-16', `${hour}`);
    assert.equal(readMoment('thu', true, now), '2026-11-12', `${hour}`);
  }
  const early = new Date(2026, 10, 16, 8, 0);
  assert.equal(readMoment('mon 9', true, early), new Date(2026, 10, 9, 9, 0).toISOString());
});
