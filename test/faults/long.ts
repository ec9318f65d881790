import { setTimeout as sleep } from 'node:timers/promises';
import { hasBouncer } from '../bouncer.ts';
import { openSubscriber } from '../subscriber.ts';
import { audit } from './audit.ts';
import { bounce, joinHosts } from './bouncer.ts';
import { startCluster } from './cluster.ts';
import { startLoad } from './load.ts';
import { settingsOf, startNodes } from './nodes.ts';
import { seconds, type Scenario } from './scenario.ts';
import { furnish } from './world.ts';

/** Everything at once, for as long as is asked for. */

const MINUTE = 60_000;
/** How long a killed node is away. */
const AWAY_MS = 5_000;

export const long: Scenario = {
  name: 'long',
  about:
    'three nodes behind PgBouncer under load: a kill a minute, and a failover to the synchronous standby in the middle',
  async run(finding, { minutes }) {
    const cluster = await startCluster();
    const { primary, standby } = cluster;
    const subscriber = await openSubscriber();
    const leads = Math.max(5_000, minutes * 2_500);
    const world = await furnish(primary.url(), { leads, agents: 10, subscribers: [`${subscriber.url}/x`] });
    const databases = {
      DATABASE_URL: await bounce([primary, standby]),
      DATABASE_DIRECT_URL: joinHosts([primary.url(), standby.url()]),
    };
    finding.count('pooler', hasBouncer ? 'PgBouncer, transaction mode' : 'none: pgbouncer is not installed');
    const nodes = await startNodes(3, settingsOf(databases));
    const begun = Date.now();
    const load = startLoad(
      world,
      nodes.map(({ address }) => address),
    );
    const at = (moment: number) => sleep(Math.max(0, begun + moment - Date.now()));
    let kills = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      await at((minute + 0.25) * MINUTE);
      const node = nodes[kills % nodes.length]!;
      await node.kill();
      kills += 1;
      await sleep(AWAY_MS);
      await node.start();
      if (minute !== Math.floor((minutes - 1) / 2)) continue;
      await at((minute + 0.75) * MINUTE);
      const before = performance.now();
      await cluster.failOver();
      finding.count('standby promoted in', `${seconds(performance.now() - before)} s`);
    }
    await at(minutes * MINUTE);
    finding.count('minutes', minutes);
    finding.count('kills', kills);
    finding.count('failovers', 1);
    await audit(finding, cluster.current(), world, await load.stop(), subscriber.received);
  },
};
