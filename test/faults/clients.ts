import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd } from '../database.ts';
import { send } from '../house.ts';
import { eventually } from '../leadline.ts';
import { startServer } from './cluster.ts';
import { settingsOf, startNode } from './nodes.ts';
import { seconds, type Scenario } from './scenario.ts';
import { furnish, LONG_LEAD } from './world.ts';

/** Clients that send half a request, trickle it, or do not read the answer. */

const OF_EACH = 50;
/** These cost the service a page each, so few of them do. */
const UNREAD = 10;
/**
 * Node looks every 30 s for requests that have lasted 30 s; answers that nobody reads have a minute, connections on which all was answered
 * 75 s.
 */
const CUT_OFF_MS = 150_000;

export const HALF_A_HEAD = 'GET /api/v2/lists HTTP/1.1\r\nhost: localhost\r\nx-half: ';

/** A connection that is not closed by us before the scenario is over. */
export function openSocket(address: string, text: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(text);
  atEnd(async () => socket.destroy());
  return socket;
}

/** Asks for large pages and reads none of them. */
export function openUnread(address: string, listId: number, key: string): Socket {
  const page = `GET /api/v2/lists/${listId}/leads?per_page=1000 HTTP/1.1\r\nhost: localhost\r\nauthorization: Token "${key}"\r\n\r\n`;
  return openSocket(address, page.repeat(20)).pause();
}

/** As the system sees the other end: a socket that does not read is not told that it was cut off. */
function isConnected({ localPort, remotePort, destroyed }: Socket): boolean {
  const hex = (port: number | undefined) => (port ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const line = new RegExp(`0100007F:${hex(remotePort)} 0100007F:${hex(localPort)} 01 `);
  return !destroyed && line.test(readFileSync('/proc/net/tcp', 'utf8'));
}

const slow: Scenario = {
  name: 'slow-clients',
  about: `${OF_EACH} each of clients that send half a head, half a body or a byte a second, ${UNREAD} that do not read`,
  async run(finding) {
    const server = await startServer();
    const world = await furnish(server.url(), { leads: 2_000, lead: LONG_LEAD, agents: 10 });
    const { address } = await startNode('node', settingsOf({ DATABASE_URL: server.url() }));
    const authorization = `Token "${world.key}"`;
    const body = `POST /api/v2/lists/${world.desk}/leads HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"lead":`;
    const measure = async (ms: number) => {
      const times: number[] = [];
      const statuses = new Set<number>();
      for (const deadline = performance.now() + ms; performance.now() < deadline; await sleep(20)) {
        const begun = performance.now();
        const { token } = world.agents[times.length % world.agents.length]!;
        const { status } = await send(`${address}/app/me`, 'GET', undefined, { cookie: `leadline_session=${token}` });
        statuses.add(status);
        times.push(performance.now() - begun);
      }
      const sorted = times.toSorted((a, b) => a - b);
      return { p50: sorted[Math.floor(sorted.length / 2)]!, statuses: [...statuses].join(', '), asked: times.length };
    };
    await measure(2_000);
    const before = await measure(5_000);
    const begun = performance.now();
    const make = (open: () => Socket, length = OF_EACH) => Array.from({ length }, open);
    const kinds = {
      'half a head': make(() => openSocket(address, HALF_A_HEAD)),
      'half a body': make(() => openSocket(address, body)),
      'a byte a second': make(() => {
        const socket = openSocket(address, HALF_A_HEAD);
        const timer = setInterval(() => socket.write('x'), 1_000);
        return socket.once('close', () => clearInterval(timer)).resume();
      }),
      'not reading': make(() => openUnread(address, world.queue, world.key), UNREAD),
    };
    for (const socket of [...kinds['half a head'], ...kinds['half a body']]) socket.resume();
    const cut = new Map<string, number>();
    const watching = Object.entries(kinds).map(async ([kind, sockets]) => {
      const looked = async () => {
        await sleep(500);
        return !sockets.some(isConnected);
      };
      await eventually(`${kind} is cut off`, looked, CUT_OFF_MS).then(
        () => cut.set(kind, performance.now() - begun),
        () => {},
      );
    });
    const during = await measure(15_000);
    await Promise.all(watching);
    finding.count('slow clients', Object.values(kinds).flat().length);
    finding.count('others before', `${before.asked} at ${before.p50.toFixed(1)} ms`);
    finding.count('others meanwhile', `${during.asked} at ${during.p50.toFixed(1)} ms`);
    finding.must('others are answered', during.statuses === '200', during.statuses);
    finding.must('others are as quick', during.p50 <= before.p50 * 2 + 5, `${during.p50.toFixed(1)} ms`);
    for (const [kind, sockets] of Object.entries(kinds)) {
      const after = cut.get(kind);
      const left = sockets.filter(isConnected).length;
      if (after) finding.count(`${kind}: cut off after`, `${seconds(after)} s`);
      finding.must(
        `${kind} is cut off`,
        after !== undefined,
        `${left} of ${sockets.length} still open after ${CUT_OFF_MS / 1_000} s`,
      );
    }
  },
};

export const scenarios = [slow];
