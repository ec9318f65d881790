import type { Socket } from 'node:net';
import { standBetween } from './between.ts';
import { atEnd } from './database.ts';

/** A way to the tests' PostgreSQL over TCP that can freeze, as a host does whose kernel still answers and whose server does not. */
export async function openProxy(url: string) {
  const sockets = new Set<Socket>();
  let frozen = false;
  const { url: through, server } = await standBetween(url, (client, upstream) => {
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
      if (frozen) from.pause();
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  atEnd(async () => {
    cut();
    server.close();
  });
  return {
    url: through,
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** What hung is gone: whoever waited for it has given up. */
    thaw: () => {
      frozen = false;
      cut();
    },
  };
}
