import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeDiskFault } from '../disk.ts';
import { Refusal } from '../refusal.ts';
import { ids, type Home } from './home.ts';

export const SUPERUSER = 'leadline';

/** Lays down an empty cluster where there is none. */
export async function ensureCluster(home: Home, binaries: string, signal: AbortSignal): Promise<void> {
  if (existsSync(join(home.cluster, 'PG_VERSION'))) return refuseOtherMajor(home, binaries);
  refuseFilled(home);
  // Made beside and renamed when whole: a kill in mid-initdb leaves rubbish that the next start sweeps up.
  for (const name of readdirSync(home.folder)) {
    if (name.startsWith('pgdata.new')) rmSync(join(home.folder, name), { recursive: true, force: true });
  }
  const unfinished = join(home.folder, `pgdata.new-${process.pid}`);
  const passwordFile = join(home.sockets, `password-${process.pid}`);
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    if (home.user) chownSync(unfinished, home.user.uid, home.user.gid);
    // The folder is the server's user's, who must not be able to lead root's hand: a new file, changed by its handle.
    const handle = openSync(passwordFile, 'wx', 0o600);
    if (home.user) fchownSync(handle, home.user.uid, home.user.gid);
    writeSync(handle, readPassword(home));
    closeSync(handle);
    await promisify(execFile)(
      join(binaries, 'bin/initdb'),
      [
        `--pgdata=${unfinished}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--data-checksums',
        '--no-instructions',
      ],
      { ...ids(home.user), cwd: unfinished, env: serverEnvironment(home), signal },
    );
    renameSync(unfinished, home.cluster);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true, maxRetries: 3 });
    const { message, stderr } = error as Error & { stderr?: string };
    const disk = describeDiskFault(error);
    const why = disk ? `${disk}.` : (stderr || message).trim();
    throw new Refusal(`A new database could not be made in ${home.folder}: ${why}`, { cause: error });
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** A folder that is no database may still be somebody's: only an empty one gives way. */
function refuseFilled(home: Home): void {
  if (!existsSync(home.cluster)) return;
  try {
    rmdirSync(home.cluster);
  } catch {
    throw new Refusal(
      `${home.cluster} holds files but no database (PG_VERSION is missing). Restore it, or move it away.`,
    );
  }
}

function refuseOtherMajor(home: Home, binaries: string): void {
  const major = (file: string) => readFileSync(file, 'utf8').trim();
  const data = major(join(home.cluster, 'PG_VERSION'));
  const catalogue = readFileSync(join(binaries, 'share/postgresql/postgres.bki'), 'utf8').slice(0, 100);
  const program = /^# PostgreSQL (\d+)/.exec(catalogue)?.[1];
  if (data === program) return;
  throw new Refusal(
    `The database in ${home.cluster} was made by PostgreSQL ${data}, this Leadline brings PostgreSQL ${program}. ` +
      'Start the earlier Leadline and move the data with `leadline move --to`.',
  );
}

/** The password of the database's superuser; made once. */
export function readPassword(home: Pick<Home, 'folder'>): string {
  return readPrivateFile(home.folder, 'password', () => randomBytes(24).toString('base64url'));
}

/** A file only its owner may read, made on first use. */
export function readPrivateFile(folder: string, name: string, make: () => string): string {
  const path = join(folder, name);
  if (!existsSync(path)) makePrivateFile(folder, name, `${make()}\n`);
  try {
    chmodSync(path, 0o600);
    const content = readFileSync(path, 'utf8').trim();
    if (content) return content;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(`${path} cannot be read (${code}). Run this command as the user who started Leadline.`);
  }
  throw new Refusal(`${path} is empty. Put back what it held, from a backup.`);
}

/** Whole or not at all: written beside, since a full disk takes the name and refuses the content. Of two that make it the first wins. */
function makePrivateFile(folder: string, name: string, content: string): void {
  const path = join(folder, name);
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, content, { mode: 0o600, flush: true });
    // Made by root in another's folder: it is theirs, as the folder is.
    const { uid, gid } = statSync(folder);
    if (process.getuid?.() === 0 && uid !== 0) chownSync(unfinished, uid, gid);
    linkSync(unfinished, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      throw new Refusal(`${path} cannot be written: ${describeDiskFault(error) ?? code}.`, { cause: error });
    }
  } finally {
    rmSync(unfinished, { force: true });
  }
}

export const serverEnvironment = (home: Home) => ({
  PATH: process.env.PATH,
  LC_ALL: 'C',
  TZ: 'UTC',
  HOME: home.folder,
});
