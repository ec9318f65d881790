import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isRoot, makeFolder } from '../../test/leadline.ts';
import { findBinaries, nativeFolder } from './binaries.ts';
import { prepareHome } from './home.ts';

/** The package as npm lays it down with --ignore-scripts: without its symbolic links. */
function unpackPackage(folder: string): string {
  cpSync(dirname(nativeFolder()), folder, { recursive: true, verbatimSymlinks: true });
  const native = join(folder, 'native');
  for (const { target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[]) {
    rmSync(join(folder, target), { force: true });
  }
  return native;
}

const homeIn = (folder: string) => prepareHome({ path: folder, explicit: true }, () => {});

test('library links that npm left out are made', () => {
  const native = unpackPackage(join(makeFolder(), 'package'));
  assert.equal(findBinaries(homeIn(makeFolder()), native), native);
  assert.ok(lstatSync(join(native, 'lib/libpq.so.5')).isSymbolicLink());
});

const asRoot = { skip: !isRoot && 'only root runs PostgreSQL as another user' };

test('binaries in a folder that PostgreSQL cannot enter are copied to where it can, once', asRoot, () => {
  const closed = makeFolder();
  chmodSync(closed, 0o700);
  const native = unpackPackage(join(closed, 'package'));
  const home = homeIn(makeFolder());
  const copy = findBinaries(home, native);
  assert.ok(copy.startsWith(home.folder));
  const made = lstatSync(copy).ctimeMs;
  assert.equal(findBinaries(home, native), copy);
  assert.equal(lstatSync(copy).ctimeMs, made);
});

test('binaries that do not run here are refused with a sentence', () => {
  const native = unpackPackage(join(makeFolder(), 'package'));
  rmSync(join(native, 'bin/postgres'));
  assert.throws(() => findBinaries(homeIn(makeFolder()), native), /does not run on this machine.*set DATABASE_URL/s);
  assert.equal(existsSync(join(native, 'bin/postgres')), false);
});
