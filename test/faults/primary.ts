import { setTimeout as sleep } from 'node:timers/promises';
import { openSubscriber } from '../subscriber.ts';
import { audit } from './audit.ts';
import { bounce, joinHosts } from './bouncer.ts';
import { startCluster, startServer, type Server } from './cluster.ts';
import { startLoad } from './load.ts';
import { settingsOf, startNodes, type Databases } from './nodes.ts';
import type { Finding, Scenario } from './scenario.ts';
import { startWatch } from './watch.ts';
import { furnish } from './world.ts';

/** The database goes, stays away for a while, and comes back, while two nodes are at work. */

const AWAY_MS = 8_000;
/** Longer than the patience of a client: what hangs is to be seen hanging. */
const FROZEN_MS = 20_000;

type Break = { what: string; awayMs?: number; breakIt: () => Promise<void>; mend: () => Promise<void> };

async function breakAndMend(
  finding: Finding,
  { server, current, databases, breaks }: Stage & { breaks: Break[] },
): Promise<void> {
  const subscriber = await openSubscriber();
  const world = await furnish(server.url(), { leads: 3_000, agents: 6, subscribers: [`${subscriber.url}/x`] });
  const nodes = await startNodes(2, settingsOf(databases));
  const addresses = nodes.map(({ address }) => address);
  const load = startLoad(world, addresses, { writers: 3 });
  const watch = startWatch(addresses[0]!, world);
  await sleep(3_000);
  for (const { what, awayMs = AWAY_MS, breakIt, mend } of breaks) {
    const brokenAt = performance.now();
    await breakIt();
    await sleep(awayMs);
    await mend();
    const healedAt = performance.now();
    await watch.healthy(healedAt);
    watch.tell(finding, what, brokenAt, healedAt);
    await sleep(2_000);
  }
  await watch.stop();
  await audit(finding, current(), world, await load.stop(), subscriber.received);
}

type Stage = { server: Server; current: () => Server; databases: Databases };

async function alone(): Promise<Stage> {
  const server = await startServer();
  return { server, current: () => server, databases: { DATABASE_URL: server.url() } };
}

const restarted: Scenario = {
  name: 'database-restart',
  about: 'PostgreSQL stopped and started, then killed and started, under load',
  async run(finding) {
    const stage = await alone();
    const { server } = stage;
    await breakAndMend(finding, {
      ...stage,
      breaks: [
        { what: 'stopped', breakIt: () => server.stop(), mend: () => server.start() },
        { what: 'killed', breakIt: async () => server.kill(), mend: () => server.start() },
      ],
    });
  },
};

const readOnly: Scenario = {
  name: 'read-only',
  about: 'the primary turned read-only under load, then writable again',
  async run(finding) {
    const stage = await alone();
    const set = async (value: 'on' | 'off') => {
      await stage.server.query(`alter system set default_transaction_read_only = ${value}`);
      await stage.server.query('select pg_reload_conf()');
    };
    await breakAndMend(finding, {
      ...stage,
      breaks: [{ what: 'read-only', breakIt: () => set('on'), mend: () => set('off') }],
    });
  },
};

const frozen: Scenario = {
  name: 'frozen',
  about: 'the primary frozen (SIGSTOP) under load, then thawed',
  async run(finding) {
    const stage = await alone();
    await breakAndMend(finding, {
      ...stage,
      breaks: [
        {
          what: 'frozen',
          awayMs: FROZEN_MS,
          breakIt: async () => stage.server.freeze(),
          mend: async () => stage.server.thaw(),
        },
      ],
    });
  },
};

const failover: Scenario = {
  name: 'failover',
  about: 'the primary killed for good, eight seconds later its synchronous standby promoted',
  async run(finding) {
    const { primary, standby, failOver, current } = await startCluster();
    await breakAndMend(finding, {
      server: primary,
      current,
      databases: { DATABASE_URL: joinHosts([primary.url(), standby.url()]) },
      breaks: [{ what: 'failed over', breakIt: async () => primary.fence(), mend: failOver }],
    });
  },
};

const failoverOfFrozen: Scenario = {
  name: 'failover-frozen',
  about: 'the primary behind PgBouncer freezes; eight seconds later it is fenced and its standby promoted',
  async run(finding) {
    const { primary, standby, failOver, current } = await startCluster();
    await breakAndMend(finding, {
      server: primary,
      current,
      databases: {
        DATABASE_URL: await bounce([primary, standby]),
        DATABASE_DIRECT_URL: joinHosts([primary.url(), standby.url()]),
      },
      breaks: [{ what: 'failed over', breakIt: async () => primary.freeze(), mend: failOver }],
    });
  },
};

export const scenarios = [restarted, readOnly, frozen, failover, failoverOfFrozen];
