import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export type Notification = { path: string; method: string; headers: IncomingMessage['headers']; body: string };

/** A subscriber on loopback that keeps what it is told. `answer` decides the status; undefined leaves the request hanging. */
export async function openSubscriber(answer: (notification: Notification) => number | undefined = () => 200) {
  const received: Notification[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const notification = { path: request.url!, method: request.method!, headers: request.headers, body };
      received.push(notification);
      const status = answer(notification);
      if (status !== undefined) response.writeHead(status).end('heard');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    resources: (path: string) =>
      received
        .filter((one) => one.path === path)
        .map(({ body }) => (JSON.parse(body) as { resource_url: string }).resource_url),
  };
}
