import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDevice } from './devices.ts';

const HEADSET = { id: 'a1', label: 'Headset' };
const CAMERA = { id: 'b2', label: 'Camera' };

test('a device is found by its id, else by its name; one that is gone is not found', () => {
  assert.equal(findDevice([HEADSET, CAMERA], { id: 'b2', label: 'Camera' }), CAMERA);
  assert.equal(findDevice([HEADSET, CAMERA], { id: 'of another day', label: 'Headset' }), HEADSET);
  assert.equal(findDevice([CAMERA], HEADSET), undefined);
  assert.equal(findDevice([CAMERA], undefined), undefined);
  assert.equal(
    findDevice([{ id: 'c3', label: '' }], { id: 'd4', label: '' }),
    undefined,
    'without names nothing tells',
  );
});
