// `npm run check`: what must hold of the code without running it, all side by side. test/checks.test.ts makes tests of the same.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from '../bin/generate.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVER = join(ROOT, 'server');
const CACHE = join(ROOT, 'node_modules/.cache/leadline');

export function runTool(tool: string, args: string[], cwd = ROOT): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(join(ROOT, 'node_modules/.bin', tool), args, { cwd, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

const isContent =
  (tool: string, ...args: string[]) =>
  async () => {
    const { code, output } = await runTool(tool, args);
    assert.equal(code, 0, output);
  };

/** By one checker: each of several looks at what they share once more, and other checks have the processors. */
const TYPES = ['--checkers', '1', '--incremental', '--tsBuildInfoFile'];

/** A statement is read more often than it is run. */
async function expectWrapped(): Promise<void> {
  // The words of the API's description are long lines, and no SQL.
  const long = globSync('**/*.ts', { cwd: SERVER, exclude: ['docs'] })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(join(SERVER, file), 'utf8')
        .split('\n')
        .map((line, index) => ({ line, at: `server/${file}:${index + 1}` })),
    )
    .filter(({ line }) => line.length > 120 && !/^\s*(?:\/\/|\/?\*)/.test(line))
    .filter(({ line }) => /\b(?:select|where|insert into|update \w+ (?:\w+ )?set|delete from|account_id)\b/.test(line));
  assert.deepEqual(
    long.map(({ at }) => at),
    [],
  );
}

/** Each throws what is wrong. */
export const CHECKS: Record<string, () => Promise<void>> = {
  'the types hold': isContent('tsc', ...TYPES, join(CACHE, 'types')),
  'the types of the pages hold': isContent('tsc', '-p', 'web', ...TYPES, join(CACHE, 'web')),
  'the linter is content': isContent('oxlint'),
  'the format is right (npm run fix)': isContent('oxfmt', '--check'),
  'SQL is wrapped at 120 characters': expectWrapped,
};

/** What was generated is what is there. */
export function expectCurrent(made: Record<string, string>): void {
  for (const [path, content] of Object.entries(made)) {
    assert.equal(readFileSync(join(ROOT, path), 'utf8'), content, `${path} is not what \`npm run generate\` makes`);
  }
}

async function withDatabase(act: (url: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'leadline-check-'));
  chmodSync(folder, 0o711);
  const database = await openDatabase(undefined, { dataDir: { path: folder, explicit: true } });
  try {
    await migrate(database.directUrl);
    await act(database.url);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const all = {
    ...CHECKS,
    'what is generated is current (npm run generate)': () =>
      withDatabase(async (url) => expectCurrent(await generate(url))),
  };
  const begun = performance.now();
  await Promise.all(
    Object.entries(all).map(async ([title, check]) => {
      const fault = await check().catch((error: Error) => error);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      console.log(fault ? `✖ ${title}\n${fault.message}` : `✔ ${title} (${seconds} s)`);
      if (fault) process.exitCode = 1;
    }),
  );
}
