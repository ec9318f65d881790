import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { generate, generateExamples } from '../bin/generate.ts';
import { CHECKS, expectCurrent, runTool } from './check.ts';
import { createTestDatabase } from './database.ts';
import { makeFolder } from './leadline.ts';

const ROOT = join(import.meta.dirname, '..');

for (const [title, check] of Object.entries(CHECKS)) test(title, check);

test('what is generated is current (npm run generate)', async () => {
  expectCurrent(await generate((await createTestDatabase()).url));
});

test('the examples of the description are answers that are really given (npm run generate)', async () => {
  expectCurrent(await generateExamples((await createTestDatabase()).url));
});

test('the lock file pins the content of every package', () => {
  for (const folder of ['', 'test/browser/', 'test/description/']) {
    const file = `${folder}package-lock.json`;
    const { packages } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as {
      packages: Record<string, { integrity?: string }>;
    };
    const loose = Object.entries(packages).filter(([name, { integrity }]) => name !== '' && !integrity);
    assert.deepEqual(
      loose.map(([name]) => name),
      [],
      file,
    );
  }
});

test(
  'the alert rules fire under their faults, and none while all is well',
  { skip: spawnSync('promtool', ['--version']).error ? 'promtool is not on this machine (Debian: prometheus)' : false },
  () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(ROOT, 'deploy/alerts.test.yml')], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
  },
);

test('the linter holds the directions of imports with sentences that help', async () => {
  const wrong: [file: string, imported: string, sentence: RegExp][] = [
    ['contract/leads.ts', '../server/app.ts', /contract is what everyone knows/],
    ['db/migrate.ts', '../server/config.ts', /db is below the server/],
    ['server/platform/jobs.ts', '../leads/leads.ts', /platform knows no noun/],
    ['server/platform/jobs.ts', '../app.ts', /the program's assembly/],
    ['server/leads/leads.ts', '../lists/routes.ts', /Routes are doors for requests/],
    ['server/leads/leads.ts', '../utils/text.ts', /No utils, helpers or barrels/],
    ['server/leads/leads.ts', '../app.ts', /the program's assembly/],
    ['server/leads/leads.ts', '../../bin/commands.ts', /the program's assembly/],
    ['server/leads/leads.ts', '../../web/main.tsx', /the program's assembly/],
    ['server/platform/jobs.ts', './utils/text.ts', /No utils, helpers or barrels/],
    ['contract/leads.ts', './index.ts', /No utils, helpers or barrels/],
    ['server/activity/record.ts', '../leads/leads.ts', /activity knows no noun/],
    ['server/telephony/sip/agent.ts', '../../calls/calls.ts', /A carrier reports what happened/],
    ['web/work/page.tsx', '../../server/leads/leads.ts', /sees contract\/ only/],
  ];
  const right: [file: string, imported: string][] = [
    ['server/platform/db.ts', '../../db/schema.ts'],
    ['server/platform/errors.ts', '../../contract/errors.ts'],
    ['server/leads/leads.ts', '../lists/lists.ts'],
    ['web/work/page.tsx', '../../contract/leads.ts'],
  ];
  // Types are read for other rules, which takes most of the time.
  const { options: _types, ...rules } = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')) as {
    options: object;
  };
  const lint = async (file: string, imported: string, name = 'thing') => {
    const folder = makeFolder();
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(rules));
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `import { ${name} } from '${imported}';\n\nexport const other = ${name};\n`);
    return runTool('oxlint', ['--disable-nested-config', file], folder);
  };
  for (const [file, imported, sentence] of wrong) {
    const { code, output } = await lint(file, imported);
    assert.equal(code, 1, `${file} may import ${imported}`);
    assert.match(output.replaceAll(/\s+/g, ' '), sentence);
  }
  for (const [file, imported] of right) {
    const { output } = await lint(file, imported);
    assert.doesNotMatch(output, /no-restricted-imports/, `${file} may not import ${imported}`);
  }
  assert.match((await lint('web/work/page.tsx', '@mantine/core', 'Menu')).output, /one kit for all pages/);
  assert.doesNotMatch((await lint('web/ui/menu.tsx', '@mantine/core', 'Menu')).output, /no-restricted-imports/);
});
