import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../leadline.ts';
import { openSubscriber } from '../subscriber.ts';
import { audit } from './audit.ts';
import { startServer } from './cluster.ts';
import { startLoad } from './load.ts';
import { settingsOf, startNodes } from './nodes.ts';
import { seconds, type Scenario } from './scenario.ts';
import { furnish } from './world.ts';

/** kill -9 of a node among three. */

const DELIVERIES = 6_000;

const whileWebhooksGoOut: Scenario = {
  name: 'kill-webhooks',
  about: 'kill -9 of a node among three while webhooks go out',
  async run(finding) {
    const server = await startServer();
    const subscriber = await openSubscriber();
    const { account, webhooks } = await furnish(server.url(), { subscribers: [`${subscriber.url}/x`] });
    const nodes = await startNodes(3, settingsOf({ DATABASE_URL: server.url() }));
    await server.query(
      `insert into deliveries (account_id, webhook_id, resource)
       select $1, $2, '/api/v2/leads/' || n from generate_series(1, ${DELIVERIES}) n`,
      [account.id, webhooks[0]],
    );
    await eventually('some arrived', () => subscriber.received.length > 300);
    await nodes[0]!.kill();
    const killed = performance.now();
    // What any node had taken; those of the two that live come to their end anyway.
    const taken = await server.query<{ id: string }>(
      `select id from deliveries where state = 'waiting' and attempts > 0`,
    );
    const heard = () => new Set(subscriber.received.map(({ headers }) => String(headers['webhook-id'])));
    await eventually(
      'those under way arrived',
      () => {
        const ids = heard();
        return taken.every(({ id }) => ids.has(`msg_${id}`));
      },
      60_000,
    );
    const wentOn = seconds(performance.now() - killed);
    await eventually('all arrived', () => heard().size === DELIVERIES, 60_000);
    finding.count('deliveries', DELIVERIES);
    finding.count('under way at the kill', taken.length);
    finding.count('last of them after', `${wentOn} s`);
    const ids = new Map<string, Set<string>>();
    for (const { body, headers } of subscriber.received)
      ids.set(body, (ids.get(body) ?? new Set()).add(String(headers['webhook-id'])));
    const repeats = subscriber.received.length - DELIVERIES;
    finding.count('repeats', repeats);
    finding.must('none lost', ids.size === DELIVERIES, ids.size);
    finding.must('repeats only of those under way', repeats <= taken.length, repeats);
    finding.must(
      'repeats under the same webhook-id',
      [...ids.values()].every(({ size }) => size === 1),
    );
    finding.must('what the node had taken is brought within 15 s', wentOn <= 15, `${wentOn} s`);
  },
};

const duringOutcomes: Scenario = {
  name: 'kill-outcomes',
  about: 'kill -9 of one node after another while agents work and a program writes',
  async run(finding) {
    const server = await startServer();
    const subscriber = await openSubscriber();
    const world = await furnish(server.url(), { leads: 5_000, agents: 10, subscribers: [`${subscriber.url}/x`] });
    const nodes = await startNodes(3, settingsOf({ DATABASE_URL: server.url() }));
    const load = startLoad(
      world,
      nodes.map(({ address }) => address),
      { pauseMs: 50 },
    );
    for (const node of nodes) {
      await sleep(5_000);
      await node.kill();
      await sleep(1_000);
      await node.start();
    }
    await sleep(3_000);
    finding.count('kills', nodes.length);
    await audit(finding, server, world, await load.stop(), subscriber.received);
  },
};

export const scenarios = [whileWebhooksGoOut, duringOutcomes];
