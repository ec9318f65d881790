import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf, whereIs } from './zones.ts';

const HERE = 'Europe/Vilnius';

test('a number says where it is: by the country, or by the city where its clocks differ', () => {
  const told: [written: string, country: string, zone: string, place: string][] = [
    ['020 7946 0118', 'GB', 'Europe/London', 'United Kingdom'],
    ['+44 7700 900221', 'US', 'Europe/London', 'United Kingdom'],
    ['+45 33 11 22 33', 'GB', 'Europe/Copenhagen', 'Denmark'],
    ['0045 33112233', 'LT', 'Europe/Copenhagen', 'Denmark'],
    ['(212) 736-5000', 'US', 'America/New_York', 'New York'],
    ['+1 312 736 5000', 'LT', 'America/Chicago', 'Chicago'],
    ['+34 928 123 456', 'ES', 'Atlantic/Canary', 'Canary'],
  ];
  for (const [written, country, zone, place] of told) {
    assert.deepEqual(whereIs(written, country, HERE), { zone, place, others: [] }, written);
  }
});

test('of several zones with different clocks the likely one comes first, and the others are named', () => {
  assert.deepEqual(whereIs('+351 912 345 678', 'PT', HERE), {
    zone: 'Europe/Lisbon',
    place: 'Lisbon',
    others: ['Atlantic/Azores'],
  });
  assert.deepEqual(whereIs('+351 912 345 678', 'PT', 'Atlantic/Azores')?.zone, 'Atlantic/Azores');
});

test('zones with the same clocks are one', () => {
  assert.deepEqual(whereIs('+44 7400 123456', 'GB', HERE), {
    zone: 'Europe/London',
    place: 'United Kingdom',
    others: [],
  });
});

test('what is no number, or belongs to no place, is nowhere', () => {
  for (const written of ['', 'call me', '12', '+1 800 356 9377', '+881 612 345 678', `+45${'3'.repeat(1_000_000)}`]) {
    assert.equal(whereIs(written, 'DK', HERE), undefined, written.slice(0, 20));
  }
});

test('a time zone that is written down is taken as it is, and nothing else for one', () => {
  assert.deepEqual(placeOf(' America/New_York '), { zone: 'America/New_York', place: 'New York', others: [] });
  for (const written of [null, '', 'GMT+1', 'Mars/Base', 'europe', 'A/'.repeat(1_000_000)])
    assert.equal(placeOf(written), undefined, written?.slice(0, 20));
});
