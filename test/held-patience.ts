// Loaded into a service before its program: what that waits for, it waits for longer while a test says so by a file.
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import timers from 'node:timers/promises';

const folder = process.env.HELD_PATIENCE;
const { setTimeout: sleep } = timers;

// Who waits for something else gives a signal to call it off with; whoever gives none just rests.
timers.setTimeout = async (ms, value, options) => {
  const file = join(folder!, options?.signal ? 'patience' : 'rest');
  const result = await sleep(ms, value, options);
  while (existsSync(file)) await sleep(25, undefined, options);
  return result;
};
syncBuiltinESMExports();
