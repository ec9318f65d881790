import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { atEnd } from './database.ts';

/** A way to the tests' PostgreSQL over TCP that can freeze, as a host does whose kernel still answers and whose server does not. */
export async function openProxy(url: string) {
  const { searchParams, port, hostname } = new URL(url);
  const folder = searchParams.get('host');
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((client) => {
    const upstream = folder ? connect(join(folder, `.s.PGSQL.${port || 5432}`)) : connect(Number(port), hostname);
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  atEnd(async () => {
    cut();
    server.close();
  });
  const through = new URL(url);
  through.searchParams.delete('host');
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
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
