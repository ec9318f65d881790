import { connect, createServer, type AddressInfo } from 'node:net';

/**
 * Stands between the service and its database and counts the times that someone waits for an answer: what is sent before an answer is one trip,
 * however much it is. Counts the connections that requests use; those of the background have a pace of their own.
 */
export async function countTrips(serverUrl: string) {
  const server = new URL(serverUrl);
  const folder = server.searchParams.get('host');
  const reach = () =>
    folder
      ? connect(`${folder}/.s.PGSQL.${server.port || 5432}`)
      : connect(Number(server.port || 5432), server.hostname);
  let trips = 0;
  const proxy = createServer((client) => {
    const database = reach();
    let counts: boolean | undefined;
    let waits = false;
    client.on('data', (sent) => {
      counts ??= /leadline (?:vital|usual|dear)/.test(sent.toString('latin1'));
      if (counts && !waits) trips += 1;
      waits = true;
      database.write(sent);
    });
    database.on('data', (answer) => {
      waits = false;
      client.write(answer);
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const)
      one.on('close', () => other.destroy()).on('error', () => other.destroy());
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  proxy.unref();
  const url = new URL(serverUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    /** What `act` takes: the fewest of several times, for the first finds nothing prepared, and a sign of life may come in between. */
    async count(act: () => Promise<unknown>): Promise<number> {
      let fewest = Infinity;
      for (let turn = 0; turn < 6; turn += 1) {
        const before = trips;
        await act();
        fewest = Math.min(fewest, trips - before);
      }
      return fewest;
    },
  };
}
