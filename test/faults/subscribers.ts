import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { residentMegabytes } from '../../bench/processes.ts';
import { atEnd } from '../database.ts';
import { eventually } from '../leadline.ts';
import { openSubscriber } from '../subscriber.ts';
import { startServer, type Server } from './cluster.ts';
import { settingsOf, startNode } from './nodes.ts';
import { seconds, type Scenario } from './scenario.ts';
import { furnish, type World } from './world.ts';

/** Subscribers that are slow, silent or endless. */

const GOOD = 10;
const HANGING = 100;
const TO_EACH = 300;
const TO_EACH_THAT_HANGS = 20;

const deliverTo = (server: Server, { account }: World, webhooks: number[], each: number) =>
  server.query(
    `insert into deliveries (account_id, webhook_id, resource)
     select $1, w.id, '/api/v2/leads/' || n from generate_series(1, $3::int) n, unnest($2::bigint[]) as w (id)`,
    [account.id, webhooks, each],
  );

const hanging: Scenario = {
  name: 'hanging',
  about: `${HANGING} subscribers that hang and ${GOOD} that answer`,
  async run(finding) {
    const server = await startServer();
    const subscriber = await openSubscriber(({ path }) => (path.startsWith('/good') ? 200 : undefined));
    const urls = (kind: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${subscriber.url}/${kind}/${index}`);
    const world = await furnish(server.url(), { subscribers: [...urls('good', GOOD), ...urls('hang', HANGING)] });
    await startNode('node', settingsOf({ DATABASE_URL: server.url() }));
    const [good, silent] = [world.webhooks.slice(0, GOOD), world.webhooks.slice(GOOD)];
    const heard = (kind: string) => subscriber.received.filter(({ path }) => path.startsWith(`/${kind}`)).length;
    const bring = async () => {
      const before = heard('good');
      await deliverTo(server, world, good, TO_EACH);
      const begun = performance.now();
      await eventually('all arrived', () => heard('good') === before + GOOD * TO_EACH, 60_000);
      return performance.now() - begun;
    };
    // The first time is for warming up.
    await bring();
    const alone = await bring();
    await deliverTo(server, world, silent, TO_EACH_THAT_HANGS);
    await eventually('they hang', () => heard('hang') >= HANGING);
    const beside = await bring();
    finding.count('deliveries', 3 * GOOD * TO_EACH);
    finding.count('requests that hung', heard('hang'));
    finding.count('alone', `${seconds(alone)} s`);
    finding.count('beside those that hang', `${seconds(beside)} s`);
    finding.must('the ten are served as if alone', beside <= alone * 2 + 1_000, `${seconds(beside)} s`);
  },
};

/** Its address. */
async function openRaw(listening: NetServer): Promise<string> {
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/x`;
}

const everySecond = (socket: Socket, say: () => void) => {
  const timer = setInterval(say, 1_000);
  socket.once('close', () => clearInterval(timer)).on('error', () => {});
};

const endless: Scenario = {
  name: 'endless',
  about: 'subscribers that trickle their headers, trickle their body, or send a gigabyte',
  async run(finding) {
    const server = await startServer();
    let sent = 0;
    const open = new Set<Socket>();
    const kinds = {
      'a trickled body': createServer((_request, response) => {
        response.writeHead(200);
        everySecond(response.socket!, () => response.write('.'));
      }),
      'trickled headers': createRawServer((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
          everySecond(socket, () => socket.write('.'));
        });
      }),
      'a gigabyte': createServer((_request, response) => {
        const piece = Buffer.alloc(64 * 1024, 'x');
        response.writeHead(200).on('error', () => {});
        const pour = () => {
          let taken = true;
          for (; taken && !response.destroyed && sent < 2 ** 30; sent += piece.length) taken = response.write(piece);
          if (taken) response.end();
          else response.once('drain', pour);
        };
        pour();
      }),
    };
    for (const one of Object.values(kinds)) {
      one.on('connection', (socket: Socket) => {
        open.add(socket);
        socket.on('error', () => {}).once('close', () => open.delete(socket));
      });
      atEnd(async () => {
        for (const socket of open) socket.destroy();
        one.close();
      });
    }
    const subscribers = await Promise.all(Object.values(kinds).map(openRaw));
    const good = await openSubscriber();
    const world = await furnish(server.url(), { subscribers: [...subscribers, `${good.url}/good`] });
    const node = await startNode('node', settingsOf({ DATABASE_URL: server.url() }));
    const before = residentMegabytes(node.pid());
    await deliverTo(server, world, world.webhooks, 1);
    await eventually('the good one has heard', () => good.received.length === 1);
    type Attempt = { webhook: string; ms: number };
    const attempts = await eventually('all were cut off', async () => {
      const rows = await server.query<Attempt>(
        `select d.webhook_id as webhook, a.ms from delivery_attempts a join deliveries d on d.id = a.delivery_id
          order by d.webhook_id`,
      );
      return rows.length === world.webhooks.length && rows;
    });
    const grown = residentMegabytes(node.pid()) - before;
    for (const [index, kind] of Object.keys(kinds).entries()) {
      const { ms } = attempts[index]!;
      finding.count(kind, `${seconds(ms)} s`);
      finding.must(`${kind} is cut off after 15 s at the latest`, ms <= 16_000, `${seconds(ms)} s`);
    }
    finding.count('bytes taken of the gigabyte', `${Math.round(sent / 2 ** 20)} MiB sent`);
    finding.count('memory', `+${grown} MB`);
    finding.must('the gigabyte is not read', sent < 50 * 2 ** 20, sent);
    finding.must('memory stays', grown < 100, `+${grown} MB`);
  },
};

export const scenarios = [hanging, endless];
