import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Beside the database stands when it was last saved, so that someone can be told when that is too long ago. */
const fileIn = (folder: string) => join(folder, 'last-backup');

export const noteBackup = (folder: string): Promise<void> => writeFile(fileIn(folder), `${new Date().toISOString()}\n`);

/** In seconds since 1970; 0: never. */
export async function readLastBackup(folder: string): Promise<number> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => '');
  return (Date.parse(text.trim()) || 0) / 1_000;
}
