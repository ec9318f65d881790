import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { describeDiskFault } from '../disk.ts';
import { Refusal } from '../refusal.ts';
import type { Home } from './home.ts';
import { isListening, listen } from './listening.ts';
import { inspectProcess } from './processes.ts';

/** That this process keeps the folder, so that others leave it and its server alone. */
export type Ownership = { giveUp(): void };

/**
 * The file `owner`: who keeps the folder, and in its second line the socket at which they listen as long as they live. Only Linux has
 * containers that see each other's sockets and not each other's processes.
 */
type Note = { text: string; pid: number; startedAt: string; socket: string | undefined };

const ownerFile = (home: Home) => join(home.folder, 'owner');

/** Nothing when another was quicker. */
export async function takeOwnership(home: Home): Promise<Ownership | undefined> {
  const name = `owner.${randomBytes(6).toString('hex')}`;
  const socket = process.platform === 'linux' ? name : undefined;
  const unfinished = join(home.folder, `${name}.new`);
  const text = `${process.pid} ${inspectProcess(process.pid)!.startedAt}\n${socket ?? ''}\n`;
  let server: Server | undefined;
  const giveUp = () => {
    if (readNote(home)?.text === text) rmSync(ownerFile(home), { force: true });
    server?.close();
    rmSync(join(home.folder, name), { force: true });
  };
  try {
    // It listens before it is named, so that nobody takes it for dead.
    if (socket) server = await listen(home.folder, socket);
    writeFileSync(unfinished, text);
    // What root leaves in a user's folder the user can read, whatever root's mask.
    chmodSync(unfinished, 0o644);
    // Unlike a write or a rename, a link fails when the name is taken.
    linkSync(unfinished, ownerFile(home));
    return { giveUp };
  } catch (error) {
    giveUp();
    const disk = describeDiskFault(error);
    if (disk) throw new Refusal(`The data folder ${home.folder} cannot be written: ${disk}.`, { cause: error });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await removeStaleOwner(home);
    return undefined;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Moved aside first and looked at again: between the look and the removal someone may have taken the folder. */
async function removeStaleOwner(home: Home): Promise<void> {
  const stale = readNote(home);
  if (!stale || (await isAlive(home, stale))) return;
  const aside = join(home.folder, `owner.stale-${randomBytes(3).toString('hex')}`);
  try {
    if (readNote(home)?.text !== stale.text) return;
    renameSync(ownerFile(home), aside);
    if (readText(aside) !== stale.text) linkSync(aside, ownerFile(home));
    else if (stale.socket) rmSync(join(home.folder, stale.socket), { force: true });
  } catch {
    // Another start was quicker in this, too.
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The process that keeps the folder, in words: a pid of another container says nothing here. */
export async function liveOwner(home: Home): Promise<string | undefined> {
  const note = readNote(home);
  if (!note || !(await isAlive(home, note))) return undefined;
  return isVisible(note) ? String(note.pid) : `${note.pid} of another container`;
}

/** One without a socket is judged by its pid: not on Linux, or a Leadline's of before there were any. */
const isAlive = async (home: Home, note: Note) =>
  note.socket ? isListening(home.folder, note.socket) : isVisible(note);

const isVisible = ({ pid, startedAt }: Note) => inspectProcess(pid)?.startedAt === startedAt;

function readNote(home: Home): Note | undefined {
  const text = readText(ownerFile(home));
  if (text === undefined) return undefined;
  // Nothing else is taken for a socket: it is removed when nobody listens there.
  const [, pid = 0, startedAt = '', socket] = /^(\d+) ([^\n]*)(?:\n(owner\.[\da-f]+))?\n*$/.exec(text) ?? [];
  return { text, pid: Number(pid), startedAt, socket };
}

/** Empty where it may not be read. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}
