import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** With those above it. Node's own way of doing so never ends where none can be made in a folder that is there, as in /proc. */
export function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** What the system calls them, and what PostgreSQL's programs do. */
const FAULTS = [
  { code: 'ENOSPC', text: 'No space left on device', words: 'the disk is full' },
  { code: 'EDQUOT', text: 'Disk quota exceeded', words: "this user's share of the disk is used up" },
  { code: 'EROFS', text: 'Read-only file system', words: 'the file system is read-only' },
];

/** What keeps a disk from taking more, in words; undefined where it is something else. Also of what a program said before it failed. */
export function describeDiskFault(error: unknown): string | undefined {
  const { code, message, stderr = '' } = (error ?? {}) as NodeJS.ErrnoException & { stderr?: string };
  return FAULTS.find((fault) => fault.code === code || `${message} ${stderr}`.includes(fault.text))?.words;
}
