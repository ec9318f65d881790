import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** A way to a PostgreSQL over TCP, whether it listens there or on a socket of its own. `meet` is given both ends of every connection. */
export async function standBetween(
  url: string,
  meet: (client: Socket, database: Socket) => void,
): Promise<{ url: string; server: Server }> {
  const { searchParams, port, hostname } = new URL(url);
  const folder = searchParams.get('host');
  const at = port || '5432';
  const server = createServer((client) =>
    meet(client, folder ? connect(join(folder, `.s.PGSQL.${at}`)) : connect(Number(at), hostname)),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const through = new URL(url);
  through.searchParams.delete('host');
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return { url: through.href, server };
}
