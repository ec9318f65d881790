import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { request } from 'undici';
import { runTool } from '../check.ts';
import { openHouse } from '../house.ts';
import { makeFolder } from '../leadline.ts';
import { skipWithout } from '../peers.ts';

const HERE = import.meta.dirname;
const PACKAGES = join(HERE, 'node_modules');
const withPackages = {
  skip: skipWithout(
    existsSync(join(PACKAGES, 'openapi-typescript')),
    'the packages of test/description are not installed',
  ),
};
const run = promisify(execFile);

const house = await openHouse();
// Redocly does not like the addresses that tests usually have.
await house.addAccount('Shop', 'https://calls.shop.test');

/** Neither tells anyone that it ran, nor asks whether there is a newer one. */
const QUIET = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };

async function save(folder: string): Promise<string> {
  const file = join(folder, 'openapi.json');
  const { body } = await request(`${house.address}/api/v2/openapi.json`, { headers: { host: 'calls.shop.test' } });
  writeFileSync(file, await body.text());
  return file;
}

test("Redocly's recommended rules find nothing to say", withPackages, async () => {
  const folder = makeFolder();
  const file = await save(folder);
  const cli = join(PACKAGES, '@redocly/cli/bin/cli.js');
  const { stdout } = await run(process.execPath, [cli, 'lint', '--extends=recommended', '--format=json', file], {
    cwd: folder,
    env: QUIET,
    maxBuffer: 1e8,
  }).catch((failed: { stdout: string }) => failed);
  const { totals, problems } = JSON.parse(stdout) as {
    totals: object;
    problems: { ruleId: string; message: string }[];
  };
  assert.deepEqual(
    problems.map(({ ruleId, message }) => `${ruleId}: ${message}`),
    [],
  );
  assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 });
});

test('a client that is generated from it compiles and runs against the service', withPackages, async () => {
  const folder = makeFolder();
  const file = await save(folder);
  cpSync(join(HERE, 'client'), folder, { recursive: true });
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  const generator = join(PACKAGES, 'openapi-typescript/bin/cli.js');
  await run(process.execPath, [generator, file, '-o', join(folder, 'api.ts')], { cwd: folder, env: QUIET });
  const { code, output } = await runTool('tsc', ['-p', folder, '--typeRoots', join(HERE, '../../node_modules/@types')]);
  assert.equal(code, 0, output);

  const { stdout } = await run(process.execPath, [join(folder, 'client.ts')], {
    cwd: folder,
    env: { ...process.env, LEADLINE_URL: house.address, LEADLINE_KEY: house.key },
  });
  const told = JSON.parse(stdout);
  const [acme, bakery, cycles] = told.created;
  assert.deepEqual(told, {
    list: 0,
    created: [acme, bakery, cycles],
    statuses: [204, 204, 204],
    found: ['Acme'],
    visited: [cycles, bakery, acme],
    refused: [422, 'validation_failed', { category: ['must be one of Order'] }],
    state: 'won',
    events: ['winner', 'lead_created'],
  });
});
