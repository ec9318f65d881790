import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Subscribers as far as the benchmark needs them: what goes to /hang/… is never answered. GET tells what arrived, DELETE forgets it. */

export type Heard = { arrivals: number; different: number; seconds: number; hanging: number };

let times: number[] = [];
const ids = new Set<string>();
const hanging = new Set<ServerResponse>();

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const seconds = times.length > 0 ? (times.at(-1)! - times[0]!) / 1_000 : 0;
    const heard: Heard = { arrivals: times.length, different: ids.size, seconds, hanging: hanging.size };
    response.end(JSON.stringify(heard));
  } else if (request.method === 'DELETE') {
    times = [];
    ids.clear();
    for (const one of hanging) one.destroy();
    response.end();
  } else request.resume().once('end', () => hear(request, response));
});

function hear({ url, headers }: IncomingMessage, response: ServerResponse): void {
  if (url!.startsWith('/hang/')) {
    hanging.add(response);
    response.once('close', () => hanging.delete(response));
    return;
  }
  times.push(performance.now());
  ids.add(String(headers['webhook-id']));
  response.writeHead(200, { 'content-length': 2 }).end('ok');
}

server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
