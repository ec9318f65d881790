import { standBetween } from './between.ts';

/**
 * Stands between the service and its database and counts the times that someone waits for an answer: what is sent before an answer is one trip,
 * however much it is. Counts the connections that requests use; those of the background have a pace of their own.
 */
export async function countTrips(serverUrl: string) {
  let trips = 0;
  const { url, server } = await standBetween(serverUrl, (client, database) => {
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
  server.unref();
  return {
    url,
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
