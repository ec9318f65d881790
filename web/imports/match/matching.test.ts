import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aim, carryOver, change, freeLabel, join, orderOfDates } from './matching.ts';

const undated = () => undefined;
const TWO = [
  { columns: [0], field: 'mobile_phone', sure: false },
  { columns: [1], field: 'work_office_phone' },
];

test('a column that takes what another has become gives it its own in exchange', () => {
  assert.deepEqual(aim(TWO, 0, { field: 'work_office_phone' }, undated), [
    { columns: [0], field: 'work_office_phone' },
    { columns: [1], field: 'mobile_phone' },
  ]);
  assert.deepEqual(aim(TWO, 2, { field: 'mobile_phone' }, undated), [
    { columns: [1], field: 'work_office_phone' },
    { columns: [2], field: 'mobile_phone' },
  ]);
});

test('a column is left out, and one that was joined leaves the others joined', () => {
  assert.deepEqual(aim(TWO, 1, undefined, undated), [TWO[0]]);
  const joined = join(TWO, 2, 1);
  assert.deepEqual(joined[1], { columns: [1, 2], field: 'work_office_phone' });
  assert.deepEqual(aim(joined, 1, undefined, undated)[1], { columns: [2], field: 'work_office_phone' });
});

const FIELDS = [{ key: 'mobile_phone', label: 'Mobile phone', kind: 'phone' as const, required: false }];

test('a new field has a label that no other has', () => {
  assert.equal(freeLabel('Notes', [], FIELDS), 'Notes');
  assert.equal(freeLabel('mobile phone', [], FIELDS), 'mobile phone 2');
  const notes = { new_field: { label: 'Notes', kind: 'none' as const } };
  assert.equal(freeLabel('Notes', [{ columns: [0], ...notes }], FIELDS), 'Notes 2');
  assert.equal(aim([{ columns: [0], ...notes }], 1, notes, undated).length, 1, 'the second takes it from the first');
});

test('for another list fields of one label are the same, and those that it lacks are made', () => {
  const made = [{ columns: [0], new_field: { label: 'Mobile phone', kind: 'phone' as const } }];
  assert.deepEqual(carryOver([{ columns: [0], field: 'mobile_phone' }], FIELDS, []), made);
  assert.deepEqual(carryOver(made, [], FIELDS), [{ columns: [0], field: 'mobile_phone' }]);
});

test('what someone has looked at is sure', () => {
  assert.deepEqual(change(TWO, 0, {})[0], { columns: [0], field: 'mobile_phone' });
});

test('the order of dates is read from what cannot be a month', () => {
  assert.equal(orderOfDates(['2027-03-31']), 'year_first');
  assert.equal(orderOfDates(['01/02/2027', '31/03/2027']), 'day_first');
  assert.equal(orderOfDates(['01/02/2027', '03/31/2027']), 'month_first');
  assert.equal(orderOfDates(['01/02/2027']), 'day_first');
  assert.equal(orderOfDates(['soon']), 'day_first');
});

test('a target that holds dates says how they are written', () => {
  const matches = aim([], 3, { part: 'due' }, (_, [column]) => (column === 3 ? 'month_first' : undefined));
  assert.deepEqual(matches, [{ columns: [3], part: 'due', dates: 'month_first' }]);
});
