import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

const MB = 1024 * 1024;

/** In bytes: its memory, or the container's, shared with the Node process beside PostgreSQL; /dev/shm; what is free on the data folder's disk. */
export type Machine = { memory: number; sharedMemory: number; disk: number };

export const measureMachine = (folder: string): Machine => ({
  memory: machineMemory(),
  sharedMemory: sharedMemoryRoom(),
  disk: freeDisk(folder),
});

/** PostgreSQL's settings for this machine. */
export function sizeSettings({ memory, sharedMemory, disk }: Machine): Record<string, string> {
  const bound = (bytes: number, least: number, most: number) =>
    `${Math.round(Math.min(Math.max(bytes / MB, least), most))}MB`;
  const share = (part: number, least: number, most: number) => bound(memory * part, least, most);
  return {
    shared_buffers: share(1 / 5, 64, 8192),
    effective_cache_size: share(1 / 2, 128, 65_536),
    work_mem: share(1 / 512, 4, 64),
    maintenance_work_mem: share(1 / 32, 32, 1024),
    max_connections: '100',
    jit: 'off',
    // Long pending lists make every find read them: 2.0 ms against 0.5 ms at a million leads.
    gin_pending_list_limit: '512kB',
    // What has just been filled is looked at within seconds: until then, nothing is known of how much there is.
    autovacuum_naptime: '10s',
    random_page_cost: '1.1',
    max_wal_size: '2GB',
    // A backup keeps the log from its beginning; one that hangs is not to fill the disk, as far as that is known at the start.
    max_slot_wal_keep_size: bound(disk / 4, 1024, 65_536),
    checkpoint_timeout: '15min',
    // Docker gives a container 64 MB of /dev/shm, which one parallel query fills.
    dynamic_shared_memory_type: sharedMemory < 256 * MB ? 'mmap' : 'posix',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
}

function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

function sharedMemoryRoom(): number {
  try {
    const { blocks, bsize } = statfsSync('/dev/shm');
    return blocks * bsize;
  } catch {
    return process.platform === 'linux' ? 0 : Infinity;
  }
}

function freeDisk(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
