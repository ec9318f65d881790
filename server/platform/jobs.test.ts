import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { atEnd, createTestDatabase } from '../../test/database.ts';
import { eventually } from '../../test/leadline.ts';
import { startJobs } from './jobs.ts';
import { createLog, logOptions } from './log.ts';

test('what an earlier version did by jobs is forgotten, and what a later one does is left to it', async () => {
  const { pool } = await createTestDatabase();
  const jobs = await startJobs(pool, createLog('silent'));
  atEnd(() => jobs.stop());
  const { boss } = jobs;
  for (const name of ['former', 'later']) {
    await boss.createQueue(name);
    await boss.schedule(name, '17 3 29 2 *');
    await boss.send(name, {});
  }
  await jobs.work([]);
  assert.equal((await boss.getQueues(['former', 'later'])).length, 2);
  await jobs.work([{ name: 'kept', every: '7 * * * *', run: async () => {} }], ['former', 'former-too']);
  const names = (await boss.getQueues()).map(({ name }) => name).filter((name) => !name.startsWith('__'));
  assert.deepEqual(names.toSorted(), ['kept', 'later']);
  const schedules = (await boss.getSchedules()).map(({ name }) => name);
  assert.deepEqual(schedules.toSorted(), ['kept', 'later']);
  assert.equal((await boss.findJobs('later', {})).length, 1);
});

test('a job that fails says so in the log, by its name', async () => {
  const { pool } = await createTestDatabase();
  const lines: string[] = [];
  const jobs = await startJobs(pool, pino(logOptions('error'), { write: (line) => lines.push(line) }));
  atEnd(() => jobs.stop());
  const run = async () => {
    throw new Error('The bucket said no.');
  };
  await jobs.work([{ name: 'remove', run }]);
  await jobs.boss.send('remove', {});
  const line = await eventually('it failed', () => lines[0]);
  const { job, msg, err } = JSON.parse(line);
  assert.deepEqual([job, msg, err.message], ['remove', 'A job failed', 'The bucket said no.']);
});
