import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** From the moment the server closes: for a request to come whole or an answer to be read, and for what is then still being answered. */
const STALLED_MS = 2_000;
const ALL_MS = 4_000;

/**
 * A close waits until every connection has ended, and some would not. Those that never asked anything are cut at once (browsers open some
 * ahead of need, and for Node they are not idle), those that send half a request or do not read their answer a little later.
 */
export function cutConnectionsAtClose(app: FastifyInstance, tls: boolean): void {
  // What each is busy with: unset before its first request, null between two.
  const exchanges = new Map<Socket, ServerResponse | null | undefined>();
  app.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    exchanges.set(socket, undefined);
    socket.once('close', () => exchanges.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => {
    exchanges.set(socket, response);
    response.once('close', () => {
      if (exchanges.get(socket) === response) exchanges.set(socket, null);
    });
  });
  // A socket that goes on as something else says itself that it closes, and has as long for it as who does not read.
  app.server.on('upgrade', ({ socket }) => exchanges.set(socket, null));
  // With TLS also those that have not shaken hands.
  const all = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    all.add(socket);
    socket.once('close', () => all.delete(socket));
  });

  app.addHook('preClose', (done) => {
    for (const [socket, exchange] of exchanges) if (exchange === undefined) socket.destroy();
    const timers = [
      setTimeout(() => {
        for (const [socket, exchange] of exchanges) {
          const isInHand = exchange?.req.complete && !exchange.headersSent;
          if (!isInHand) socket.destroy();
        }
      }, STALLED_MS),
      setTimeout(() => {
        for (const socket of all) socket.destroy();
      }, ALL_MS),
    ];
    app.server.once('close', () => timers.forEach(clearTimeout));
    done();
  });
}
