import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.ts';

const PATIENCE_MS = 2_000;

/** Shows how much room there is where something is kept, by what that is. A folder is not there before it is first used. */
export function watchFolders({ register }: Metrics, folders: Record<string, string>): void {
  const show = (name: string, help: string, part: keyof Room) =>
    new Gauge({
      name,
      help,
      labelNames: ['folder'],
      registers: [register],
      async collect() {
        for (const [folder, path] of Object.entries(folders)) {
          const room = await roomAt(path);
          if (room) this.set({ folder }, room[part]);
          else this.remove(folder);
        }
      },
    });
  show('leadline_disk_free_bytes', 'Room left in the file system that holds a folder', 'free');
  show('leadline_disk_size_bytes', 'Size of the file system that holds a folder', 'size');
}

type Room = { free: number; size: number };

/** Undefined where the file system does not tell in time, as one in a network that is away. */
const roomAt = (path: string): Promise<Room | undefined> =>
  Promise.race([askRoom(path), sleep(PATIENCE_MS, undefined, { ref: false })]);

async function askRoom(path: string): Promise<Room | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing && dirname(path) !== path ? askRoom(dirname(path)) : undefined;
  }
}
