import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { BadOffer, type MediaSettings } from '../media.ts';

/** Addresses and UDP ports for the connections of browsers. */
export type Ports = {
  /** Under which we are reached, the best first. */
  addresses: string[];
  /** A socket at a free port of the range. */
  open(): Promise<{ socket: Socket; port: number }>;
};

const MOST_ADDRESSES = 8;
/** Half a second of sound and more, for a moment in which others have the processor. */
const BUFFER_BYTES = 256 * 1024;

export function openPorts({ publicIps, ports: { first, last } }: MediaSettings): Ports {
  const addresses = (publicIps.length > 0 ? publicIps : ownAddresses()).slice(0, MOST_ADDRESSES);
  const type = addresses.some((address) => address.includes(':')) ? 'udp6' : 'udp4';
  let next = first;

  return {
    addresses,
    async open() {
      for (let tries = first; tries <= last; tries++) {
        const port = next;
        next = next >= last ? first : next + 1;
        const socket = await bind(type, port);
        if (socket) return { socket, port };
      }
      throw new BadOffer(`There is no room for another call: every port from ${first} to ${last} is taken.`);
    },
  };
}

/** Undefined where someone has that port. */
function bind(type: 'udp4' | 'udp6', port: number): Promise<Socket | undefined> {
  // Addresses come as numbers from those who sent to us: looking them up would only cost.
  const socket = createSocket({ type, lookup: (host, _, give) => give(null, host, type === 'udp4' ? 4 : 6) });
  return new Promise((give, fail) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') give(undefined);
      else fail(error);
    });
    socket.bind(port, () => {
      socket.removeAllListeners('error');
      try {
        socket.setRecvBufferSize(BUFFER_BYTES);
        socket.setSendBufferSize(BUFFER_BYTES);
      } catch {
        // What the system gives by itself is enough for one leg.
      }
      give(socket);
    });
  });
}

/** Loopback last: it is there where nothing else is, and of no use to anyone on another machine. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const plain = all.filter(({ address }) => !/^(fe80:|169\.254\.|::1$)/i.test(address));
  const rank = ({ internal, family }: (typeof plain)[number]) => (internal ? 2 : 0) + (family === 'IPv6' ? 1 : 0);
  return plain.toSorted((one, other) => rank(one) - rank(other)).map(({ address }) => address);
}
