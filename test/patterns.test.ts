import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseSync } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const OURS = '{server,contract,db,bin,web}/**/*.{ts,tsx,js,mjs}';

/**
 * The longest is such that a pattern which goes over its text again and again takes a hundred times as long as one that does not. Those
 * before it catch what is worse, and would not come to an end.
 */
const LENGTHS = [24, 200, 10_000];
const MOST_MS = 15;

type Found = { file: string; pattern: RegExp };

test('every pattern takes a time in proportion to its text, whatever the text', () => {
  const found = globSync(OURS, { cwd: ROOT, exclude: ['web/dist/**', '**/*.test.ts'] }).flatMap(findPatterns);
  assert.ok(found.length > 80, 'they are found at all');
  const slow = found.flatMap(({ file, pattern }) => {
    const text = findSlowText(pattern);
    return text === undefined ? [] : [`${file}: ${String(pattern)} goes over a text such as ${text} again and again.`];
  });
  assert.deepEqual(slow, []);
});

test('patterns that are slow are told from those that are not', () => {
  for (const slow of [/=+$/, /\s+$/, /^(a+)+$/, /^\d+\d+$/, /^(?:token|bearer)\s+(.+)\s+$/i, /<.*>/])
    assert.notEqual(findSlowText(slow), undefined, `${String(slow)} passes for quick`);
  for (const quick of [/^=+$/, /^\s*00/, /\D/g, /^[^@]+@[^@]+$/, /^\[(.*)\]$/])
    assert.equal(findSlowText(quick), undefined, `${String(quick)} passes for slow`);
});

/** Literals, and the texts that schemas call `pattern`. A pattern put together while the program runs cannot be looked at, so there is none. */
function findPatterns(file: string): Found[] {
  const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'));
  const found: Found[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex, callee, key, value } = node as Record<string, any>;
    if (regex) found.push({ file, pattern: new RegExp(regex.pattern, regex.flags) });
    if (type === 'Property' && key?.name === 'pattern' && typeof value?.value === 'string')
      found.push({ file, pattern: new RegExp(value.value, 'u') });
    assert.ok(callee?.name !== 'RegExp', `${file}: write patterns as literals, so that they can be looked at.`);
    for (const part of Object.values(node)) visit(part);
  };
  visit(program);
  return found;
}

/** Takes texts the pattern accepts, repeats a piece of each very often, and spoils the end, so that all ways of matching are tried in vain. */
function findSlowText(pattern: RegExp): string | undefined {
  // Without a repetition that has no end there is nothing to go over again.
  if (!/[*+]|,\}/.test(pattern.source)) return undefined;
  const tried = new Set<string>();
  for (const sample of samplesOf(pattern)) {
    for (let start = 0; start < Math.min(sample.length, 10); start += 1) {
      for (const length of [1, 2]) {
        const [before, piece, after] = [
          sample.slice(0, start),
          sample.slice(start, start + length),
          sample.slice(start + length),
        ];
        for (const end of ['\0', '\n\0', `${after}\0`]) {
          const name = JSON.stringify([before, piece, end]);
          if (tried.has(name)) continue;
          tried.add(name);
          if (LENGTHS.some((many) => isSlow(pattern, before + piece.repeat(many / piece.length) + end))) return name;
        }
      }
    }
  }
  return undefined;
}

/** Lookarounds are read as if they stood in the text. */
function samplesOf({ source, flags }: RegExp): string[] {
  const plain = new RegExp(
    source.replaceAll(/\(\?<?[=!]/g, '(?:').replaceAll(/\\b/gi, ''),
    flags.replaceAll(/[^su]/g, ''),
  );
  return fc.sample(fc.stringMatching(plain, { size: 'small' }), { numRuns: 4, seed: 1 });
}

/** By the processor's time, and the best of three: a busy machine makes nothing slow. */
function isSlow(pattern: RegExp, text: string): boolean {
  for (let turn = 0; turn < 3; turn += 1) {
    const before = process.threadCpuUsage();
    text.replace(pattern, '');
    const { user, system } = process.threadCpuUsage(before);
    if (user + system < MOST_MS * 1_000) return false;
    if (user + system > MOST_MS * 10_000) return true;
  }
  return true;
}
