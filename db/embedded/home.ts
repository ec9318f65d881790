import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { describeDiskFault, makeFolder } from '../disk.ts';
import { Refusal } from '../refusal.ts';

/** Where the embedded PostgreSQL lives, and as whom it runs. */
export type Home = {
  folder: string;
  /** PostgreSQL's own data folder. */
  cluster: string;
  /** Folder of the Unix socket. */
  sockets: string;
  /** Set when we are root: PostgreSQL refuses to run as root. */
  user?: ServerUser;
};
export type ServerUser = { name: string; uid: number; gid: number };

export type DataDir = { path: string; explicit: boolean };

// The address of a Unix socket is at most 107 bytes long.
const LONGEST_SOCKET = 107;
export const PORT = 5432;

/** Finds the folder and makes it fit to use. A folder the operator named is used or refused, never replaced. */
export function prepareHome(dataDir: DataDir, say: (sentence: string) => void): Home {
  const wanted = resolve(dataDir.path);
  if (dataDir.explicit) return furnish(wanted);

  const fallback = fallbackFor(wanted);
  const lived = (folder: string) => existsSync(join(folder, 'pgdata'));
  if (lived(fallback) && !lived(wanted)) {
    say(`The data is in ${fallback}.`);
    return furnish(fallback);
  }
  try {
    return furnish(wanted);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const home = furnish(fallback);
    say(`${error.message} The data goes to ${fallback} instead.`);
    return home;
  }
}

function fallbackFor(wanted: string): string {
  const name = `${basename(dirname(wanted))}-${createHash('sha256').update(wanted).digest('hex').slice(0, 8)}`;
  const base = isRoot() ? '/var/lib' : (process.env.XDG_DATA_HOME ?? join(homedir(), '.local/share'));
  return join(base, 'leadline', name);
}

function furnish(folder: string): Home {
  openFolder(folder);
  const cluster = join(folder, 'pgdata');
  const user = isRoot() ? serverUser(cluster) : undefined;
  if (user) letIn(user, folder);
  else refuseForeignCluster(cluster);
  // An earlier cluster may have been laid down by root (a restore) or with other rights (a copy).
  if (existsSync(cluster)) chmodSync(cluster, 0o700);
  if (existsSync(cluster) && user && statSync(cluster).uid !== user.uid) give(user, cluster);
  return { folder, cluster, sockets: socketFolder(folder, user), ...(user && { user }) };
}

function openFolder(folder: string): void {
  try {
    makeFolder(folder, 0o711);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = describeDiskFault(error) ?? (error as NodeJS.ErrnoException).code;
    throw new Refusal(`The data folder ${folder} cannot be written (${why}).`);
  }
}

/** As root: the owner of an existing cluster, so that people who start it as themselves keep it; else `postgres`, else `nobody`. */
function serverUser(cluster: string): ServerUser {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n').map(parseUser);
  const owner = existsSync(cluster) ? statSync(cluster).uid : 0;
  const user =
    users.find(({ uid }) => uid === owner && uid !== 0) ??
    users.find(({ name }) => name === 'postgres') ??
    users.find(({ name }) => name === 'nobody');
  if (!user) {
    throw new Refusal(
      'PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody". ' +
        'Start Leadline as another user, or set DATABASE_URL.',
    );
  }
  return user;
}

function parseUser(line: string): ServerUser {
  const [name = '', , uid, gid] = line.split(':');
  return { name, uid: Number(uid), gid: Number(gid) };
}

function letIn(user: ServerUser, folder: string): void {
  if (canEnter(user, folder)) return;
  chmodSync(folder, statSync(folder).mode | 0o001);
  if (canEnter(user, folder)) return;
  throw new Refusal(
    `The data folder ${folder} cannot be entered by the user "${user.name}", as whom PostgreSQL has to run when ` +
      'Leadline is started by root. Set DATA_DIR to a folder that others may enter, or start Leadline as another user.',
  );
}

/** Asks the system instead of reading permission bits: access lists and mounts have a say too. */
export function canEnter(user: ServerUser, folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...ids(user), cwd: '/', stdio: 'ignore' }).status === 0;
}

function refuseForeignCluster(cluster: string): void {
  const uid = process.getuid?.();
  try {
    userInfo();
  } catch {
    throw new Refusal(
      `The user id ${uid} has no name on this machine, and PostgreSQL refuses to run without one. ` +
        'Start Leadline as a user listed in /etc/passwd, or set DATABASE_URL.',
    );
  }
  if (existsSync(cluster) && uid !== undefined && statSync(cluster).uid !== uid) {
    throw new Refusal(
      `The database in ${cluster} belongs to another user (id ${statSync(cluster).uid}). ` +
        'Start Leadline as that user or as root, or set DATA_DIR to another folder.',
    );
  }
}

function socketFolder(folder: string, user: ServerUser | undefined): string {
  const inside = join(folder, 'run');
  const fits = Buffer.byteLength(join(inside, `.s.PGSQL.${PORT}`)) <= LONGEST_SOCKET;
  const sockets = fits ? inside : `/tmp/leadline-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
  mkdirSync(sockets, { recursive: true, mode: 0o700 });
  const { uid } = lstatSync(sockets);
  // Anybody can make a folder in /tmp before us and read what goes through it.
  if (!lstatSync(sockets).isDirectory() || (uid !== process.getuid?.() && uid !== user?.uid)) {
    throw new Refusal(`The folder ${sockets}, needed for PostgreSQL's socket, belongs to another user. Remove it.`);
  }
  chmodSync(sockets, 0o700);
  if (user) chownSync(sockets, user.uid, user.gid);
  return sockets;
}

export function give(user: ServerUser, path: string): void {
  lchownSync(path, user.uid, user.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) give(user, join(path, name));
}

export const ids = (user: ServerUser | undefined) => (user ? { uid: user.uid, gid: user.gid } : {});

const isRoot = () => process.getuid?.() === 0;
