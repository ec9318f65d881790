import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

/** A thread that asks the service for something over and over, by so many connections at once, until it is told to stop. */
export type Asking = { address: string; connections: number; path: string; headers: Record<string, string> };

const { address, connections, path, headers } = workerData as Asking;
const pool = new Pool(address, { connections, pipelining: 1 });
let stopping = false;
let answered = 0;
let refused = 0;

parentPort!.once('message', () => (stopping = true));
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (!stopping) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      await body.dump();
      if (statusCode === 200) answered += 1;
      else refused += 1;
    }
  }),
);
parentPort!.postMessage({ answered, refused }, []);
await pool.close();
