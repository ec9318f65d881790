import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { atEnd } from './database.ts';

/** A network between browsers and the engine's ports that does what networks do: it loses, delays, goes down, and gives a browser another address. */
export type Relay = {
  network: Network;
  /** An answer with our ports in it instead of the engine's. */
  redirect(answer: string): Promise<string>;
  /** From now on the engine sees the browsers at other ports, as after a change of the network. */
  move(): void;
  /** What came through since it was last asked for, and what did not. */
  count(): { passed: number; lost: number };
};

export type Network = {
  /** How many of a hundred packets are lost, each way. */
  loss: number;
  /** Each packet takes up to so long, by chance: they overtake each other. */
  jitterMs: number;
  isDown: boolean;
  /** Whether packets from a port of this machine come through at all. */
  lets: (port: number) => boolean;
};

type Way = { front: Socket; port: number; engine: number; ends: Map<number, Socket> };

const HERE = '127.0.0.1';

export function openRelay(): Relay {
  const ways: Way[] = [];
  const network: Network = { loss: 0, jitterMs: 0, isDown: false, lets: () => true };
  let [passed, lost] = [0, 0];
  let closed = false;

  const carry = (send: () => void) => {
    if (network.isDown || Math.random() * 100 < network.loss) {
      lost += 1;
      return;
    }
    passed += 1;
    if (network.jitterMs > 0) setTimeout(() => closed || send(), Math.random() * network.jitterMs);
    else send();
  };

  const quietly = (socket: Socket, message: Buffer, port: number) => {
    try {
      socket.send(message, port, HERE, () => {});
    } catch {
      // It was closed while the packet was under way: that is lost too.
    }
  };

  /** The end by which the engine knows a browser. */
  const endFor = (way: Way, { port }: RemoteInfo): Socket => {
    const known = way.ends.get(port);
    if (known) return known;
    const end = createSocket('udp4');
    end.on('error', () => {});
    end.on('message', (message) => carry(() => quietly(way.front, message, port)));
    end.bind(0, HERE);
    way.ends.set(port, end);
    return end;
  };

  const open = async (engine: number): Promise<Way> => {
    const known = ways.find((way) => way.engine === engine);
    if (known) return known;
    const front = createSocket('udp4');
    await new Promise<void>((done) => front.bind(0, HERE, done));
    front.on('error', () => {});
    const way: Way = { front, port: front.address().port, engine, ends: new Map() };
    front.on('message', (message, from) => {
      if (network.lets(from.port)) carry(() => quietly(endFor(way, from), message, engine));
      else lost += 1;
    });
    ways.push(way);
    return way;
  };

  const closeEnds = ({ ends }: Way) => {
    for (const end of ends.values()) end.close();
    ends.clear();
  };

  atEnd(async () => {
    closed = true;
    for (const way of ways) {
      closeEnds(way);
      way.front.close();
    }
  });

  return {
    network,
    async redirect(answer) {
      const engine = Number(/^m=audio (\d+)/m.exec(answer)![1]);
      const { port } = await open(engine);
      return answer.replace(/^(m=audio )\d+/m, `$1${port}`).replaceAll(/^(a=candidate:.* )\d+( typ )/gm, `$1${port}$2`);
    },
    move: () => ways.forEach(closeEnds),
    count() {
      const counted = { passed, lost };
      [passed, lost] = [0, 0];
      return counted;
    },
  };
}
