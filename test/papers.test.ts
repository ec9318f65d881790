import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';

/** What the papers say and a program can look up. Decisions are of their day and are left alone. */

const ROOT = join(import.meta.dirname, '..');
const PAPERS = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/*.md', { cwd: ROOT })];
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const CODE = globSync('{bench,bin,contract,db,deploy,docs,server,test,web}/**/*.{ts,tsx,mjs,yml,md,sql}', {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/dist/**'],
});

test('every file that the papers name is there', () => {
  const missing = PAPERS.flatMap((paper) =>
    [...read(paper).matchAll(/`([\w./-]+\.(?:tsx?|mjs|yml|md|sql))`/g)]
      .map(([, file]) => file!)
      .filter((file) => !existsSync(join(ROOT, file)) && !CODE.some((path) => `/${path}`.endsWith(`/${file}`)))
      .map((file) => `${paper} names ${file}`),
  );
  assert.deepEqual(missing, []);
});

test('every link between the papers leads somewhere', () => {
  const broken = PAPERS.flatMap((paper) =>
    [...read(paper).matchAll(/\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)/g)]
      .filter(([, to]) => !existsSync(join(ROOT, dirname(paper), to!)))
      .map(([, to]) => `${paper} → ${to}`),
  );
  assert.deepEqual(broken, []);
});

test('ARCHITECTURE.md names every place that asks by which door a request came', () => {
  const asks = CODE.filter((path) => path.startsWith('server/') && !path.endsWith('.test.ts'))
    .filter((path) => /\bvia (?:===|!==) '|\[via\]/.test(read(path)))
    .map((path) => basename(path));
  const [, told] = /By which door it came \(`actor\.via`\) is asked in ([^.]*(?:\.ts[^.]*)*)\./.exec(
    read('ARCHITECTURE.md'),
  )!;
  const named = [...told!.matchAll(/`[\w/]*?([\w-]+\.ts)`/g)].map(([, file]) => file);
  assert.deepEqual(new Set(named), new Set(asks));
});
