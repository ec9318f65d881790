import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { eventually, makeFolder } from '../test/leadline.ts';

/** The machine's own Node, whatever its age: npm puts ours before it on the path. */
const hostNode = process.env
  .PATH!.split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((path) => existsSync(path))!;

test('called by the Node of the machine, the program runs on Node 24 and passes signals and exit codes on', async () => {
  const version = execFileSync(hostNode, [join(import.meta.dirname, 'leadline.mjs'), '--version'], {
    encoding: 'utf8',
  });
  assert.match(version, /^\d+\.\d+\.\d+\n$/);

  const { PATH = '' } = process.env;
  const env = { PATH, DATA_DIR: makeFolder(), PORT: '0' };
  const child = spawn(hostNode, [join(import.meta.dirname, 'leadline.mjs'), 'serve'], { env, cwd: env.DATA_DIR });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  const code = new Promise((resolve) => {
    child.on('close', resolve);
  });
  const node = await eventually('ready', () => /"node":"v(\d+)\./.exec(output)?.[1]);
  assert.ok(Number(node) >= 24);
  child.kill('SIGTERM');
  const passedOn = await code;
  assert.match(output, /"msg":"Stopping"/);
  // A busy machine may not have stopped in time, and says so.
  const said = passedOn === 0 ? /"msg":"Stopped"/ : /Stopping took more than/;
  assert.match(output, said);
  assert.ok(passedOn === 0 || passedOn === 1);
});
