import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atEnd, createTestDatabase } from '../../test/database.ts';
import { startJobs } from './jobs.ts';
import { createLog } from './log.ts';

test('what an earlier version did by jobs is forgotten, with its schedule and what waited', async () => {
  const { pool } = await createTestDatabase();
  const jobs = await startJobs(pool, createLog('silent'));
  atEnd(() => jobs.stop());
  const { boss } = jobs;
  await boss.createQueue('former');
  await boss.schedule('former', '* * * * *');
  await boss.send('former', {});
  await jobs.work([{ name: 'kept', every: '7 * * * *', run: async () => {} }]);
  const names = (await boss.getQueues()).map(({ name }) => name).filter((name) => !name.startsWith('__'));
  assert.deepEqual(names, ['kept']);
  assert.deepEqual(
    (await boss.getSchedules()).map(({ name }) => name),
    ['kept'],
  );
});
