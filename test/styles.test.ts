import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const ours = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: ['web/dist', 'web/**/*.test.ts'] }).toSorted();
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Words that any page may use, and what every page stands on. */
const EVERYWHERE = new Set(['web/base.css', 'web/ui/words.css', 'web/ui/kit.css']);

const sheets = ours('web/**/*.css');
const sources = new Map(ours('web/**/*.{ts,tsx}').map((file) => [file, read(file)]));

const importsOf = (file: string): string[] =>
  [...sources.get(file)!.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  );

const askersOf = (sheet: string): string[] => [...sources.keys()].filter((file) => importsOf(file).includes(sheet));

/** The selectors of a sheet, one by one, without what is in their braces. */
const selectorsOf = (css: string): string[] =>
  css
    .replaceAll(/\/\*[^*]*\*\//g, '')
    .replaceAll(/@[a-z-]+[^{;]*[{;]/g, '')
    .replaceAll(/\{[^{}]*\}/g, ',')
    .replaceAll(/\([^()]*\)/g, (inside) => inside.replaceAll(',', ' '))
    .split(',')
    .map((selector) => selector.trim())
    .filter((selector) => selector !== '' && selector !== '}');

const classesOf = (selector: string): string[] =>
  [...selector.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name]) => name!).filter((name) => !name.startsWith('mantine-'));

/** The words in its texts: what a component can write as a class. */
const wordsOf = (source: string): Set<string> =>
  new Set([...source.matchAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g)].flatMap(([text]) => text.split(/[^\w-]+/)));

const words = new Map([...sources].map(([file, source]) => [file, wordsOf(source)]));

/** Put together from a state: `tone-won`. */
const isWritten = (name: string, said: Set<string>) =>
  said.has(name) || (said.has('tone-') && name.startsWith('tone-'));

test('no rule dresses what is nowhere', () => {
  const said = new Set([...words.values()].flatMap((of) => [...of]));
  const dead = sheets.flatMap((sheet) =>
    selectorsOf(read(sheet))
      .filter((selector) => !classesOf(selector).every((name) => isWritten(name, said)))
      .map((selector) => `${sheet}: ${selector}`),
  );
  assert.deepEqual(dead, []);
});

test('a style sheet lies beside the component it dresses, which asks for it', () => {
  const astray = sheets.flatMap((sheet) => {
    if (EVERYWHERE.has(sheet)) return [];
    const askers = askersOf(sheet);
    const component = sheet.replace(/css$/, 'tsx');
    if (existsSync(join(ROOT, component)) && !askers.includes(component)) {
      return [`${component} does not import ${sheet}, which lies beside it.`];
    }
    const own = askers.filter((file) => dirname(file) === dirname(sheet) || dirname(sheet) === 'web/ui');
    return own.length === askers.length && askers.length > 0
      ? []
      : [`${sheet} is asked for by ${askers.join(', ') || 'nobody'}. Move it beside the component it dresses.`];
  });
  assert.deepEqual(astray, []);
});

test('every rule is about something that whoever asks for its sheet writes, or what is made of them', () => {
  const astray = sheets.flatMap((sheet) => {
    if (EVERYWHERE.has(sheet)) return [];
    const askers = new Set(askersOf(sheet));
    const users = [...sources.keys()].filter(
      (file) => askers.has(file) || importsOf(file).some((imported) => askers.has(imported)),
    );
    const said = new Set(users.flatMap((file) => [...words.get(file)!]));
    return selectorsOf(read(sheet))
      .filter(
        (selector) => classesOf(selector).length > 0 && !classesOf(selector).some((name) => isWritten(name, said)),
      )
      .map((selector) => `${sheet}: ${selector}`);
  });
  assert.deepEqual(astray, []);
});
