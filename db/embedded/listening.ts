import { closeSync, openSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/**
 * Unix sockets as signs of life: the kernel answers for a process as long as it lives, however busy or stopped it is, and refuses once
 * it is dead, however it died. Unlike a pid this means the same in every container that has the folder.
 */

/** Where there is no socket, or nobody behind it any more. Whatever else keeps us out comes from someone who is there. */
const NOBODY_THERE = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ENOTSOCK']);

export async function isListening(folder: string, name: string): Promise<boolean> {
  try {
    return await reach(folder, name, async (path) => {
      const socket = connect({ path });
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject)).finally(() =>
        socket.destroy(),
      );
      return true;
    });
  } catch (error) {
    return !NOBODY_THERE.has((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Listens until it is closed or this process ends, and does not keep it from ending. Any user may knock. */
export const listen = (folder: string, name: string): Promise<Server> =>
  reach(folder, name, async (path) => {
    const server = createServer((socket) => socket.destroy()).unref();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ path, readableAll: true, writableAll: true }, resolve);
    });
    return server;
  });

/** The address of a socket is at most 107 bytes long, the path of a folder may be longer: Linux takes the number of the open folder instead. */
async function reach<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return use(join(folder, name));
  const handle = openSync(folder, 'r');
  try {
    return await use(`/proc/self/fd/${handle}/${name}`);
  } finally {
    closeSync(handle);
  }
}
