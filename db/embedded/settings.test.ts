import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeSettings } from './settings.ts';

const GB = 1024 ** 3;

test('settings grow with the memory of the machine, within bounds', () => {
  assert.equal(sizeSettings(GB / 4).shared_buffers, '64MB');
  assert.equal(sizeSettings(2 * GB).shared_buffers, '410MB');
  assert.equal(sizeSettings(256 * GB).shared_buffers, '8192MB');
  assert.equal(sizeSettings(2 * GB).work_mem, '4MB');
});

test("where /dev/shm is small, as in a container, PostgreSQL's shared memory goes to files", () => {
  assert.equal(sizeSettings(GB, 64 * 1024 ** 2).dynamic_shared_memory_type, 'mmap');
  assert.equal(sizeSettings(GB, GB).dynamic_shared_memory_type, 'posix');
});
