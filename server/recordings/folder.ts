import { copyFile, mkdir, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Store } from './store.ts';

export function openFolder(folder: string): Store {
  return {
    async take(key, file) {
      const target = join(folder, key);
      const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      if (made) await sync(dirname(made));
      await sync(file);
      await move(file, target);
      await sync(dirname(target));
    },

    async measure(key) {
      return (await unlessMissing(stat(join(folder, key))))?.size;
    },

    async open(key, range) {
      const handle = await unlessMissing(open(join(folder, key)));
      if (!handle) return undefined;
      try {
        const { size } = await handle.stat();
        if (range && !(range.start <= range.end && range.end < size)) {
          throw new Error(`${key} has ${size} bytes, and not those from ${range.start} to ${range.end}.`);
        }
        return { body: handle.createReadStream(range), size };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },

    async remove(key) {
      await rm(join(folder, key), { force: true });
    },
  };
}

async function move(file: string, target: string): Promise<void> {
  try {
    await rename(file, target);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    await moveAcross(file, target);
  }
}

/** To another file system. A reader sees nothing until all of it is there. */
async function moveAcross(file: string, target: string): Promise<void> {
  // Always the same name: what a crash leaves behind is written over by the next attempt.
  const unfinished = `${target}.part`;
  try {
    await copyFile(file, unfinished);
    await sync(unfinished);
    await rename(unfinished, target);
    // Before the other goes: each is on a disk of its own, and a power cut may take what only one of them has.
    await sync(dirname(target));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await unlink(file);
}

/** A folder too: the new name is only on the disk once its folder is. */
async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T>(doing: Promise<T>): Promise<T | undefined> {
  try {
    return await doing;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
