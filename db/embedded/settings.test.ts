import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeSettings } from './settings.ts';

const GB = 1024 ** 3;

const machine = { memory: 2 * GB, sharedMemory: GB, disk: 100 * GB };

test('settings grow with the memory of the machine, within bounds', () => {
  assert.equal(sizeSettings({ ...machine, memory: GB / 4 }).shared_buffers, '64MB');
  assert.equal(sizeSettings(machine).shared_buffers, '410MB');
  assert.equal(sizeSettings({ ...machine, memory: 256 * GB }).shared_buffers, '8192MB');
  assert.equal(sizeSettings(machine).work_mem, '4MB');
});

test("where /dev/shm is small, as in a container, PostgreSQL's shared memory goes to files", () => {
  assert.equal(sizeSettings({ ...machine, sharedMemory: 64 * 1024 ** 2 }).dynamic_shared_memory_type, 'mmap');
  assert.equal(sizeSettings(machine).dynamic_shared_memory_type, 'posix');
});

test('the log that is kept for a backup takes a quarter of what is free on the disk, within bounds', () => {
  assert.equal(sizeSettings(machine).max_slot_wal_keep_size, '25600MB');
  assert.equal(sizeSettings({ ...machine, disk: GB }).max_slot_wal_keep_size, '1024MB');
  assert.equal(sizeSettings({ ...machine, disk: 4096 * GB }).max_slot_wal_keep_size, '65536MB');
});
